import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandResult, runInProcess } from '../../test/servers/run-cli.ts'
import type { Throughline } from '../api.ts'
import { open } from '../open/open.ts'
import type { ImportReport } from './memory/import-report.ts'

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))

let cwd: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'tl-memory-'))
  await withStore(async () => {})
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

function run(args: readonly string[], { input = '', url = 'a.db', columns = '' } = {}): Promise<CommandResult> {
  const env = { THROUGHLINE_URL: `sqlite:${cwd}/${url}`, COLUMNS: columns }
  if (input === '') return runInProcess(args, cwd, env)
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env } }
    const child = execFile(process.execPath, [RUN, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 'unknown'), stdout, stderr })
    })
    child.stdin?.end(input)
  })
}

async function withStore<T>(work: (tl: Throughline) => Promise<T>, url = 'a.db'): Promise<T> {
  const tl = await open(`sqlite:${cwd}/${url}`)
  try {
    return await work(tl)
  } finally {
    await tl.close()
  }
}

const remembered = (url?: string, userId = 'ada') =>
  withStore(async ({ memories }) => (await memories.list({ userId, limit: 500 })).items, url)

const contentsOf = async (url?: string) => (await remembered(url)).map(({ content }) => content).sort()

function file(name: string, text: string): string {
  writeFileSync(join(cwd, name), text)
  return name
}

const lines = (...documents: unknown[]) => documents.map((document) => JSON.stringify(document)).join('\n')

describe('memory import', () => {
  const TWO = lines(
    {
      id: 1,
      page_content: 'Ada prefers tabs',
      category: 'preferences',
      embedding: [0.5, -2],
      score: 0.9,
      hints: 'mmr',
    },
    { id: 'b', text: 'The service runs on port 8080', metadata: { area: 'main' }, source: 'notes.md' },
  )
  const report = async (args: readonly string[], options = {}): Promise<ImportReport> =>
    JSON.parse((await run(['memory', 'import', ...args, '--user', 'ada', '--json'], options)).stdout)

  it('imports each document once', async () => {
    const name = file('faiss.jsonl', TWO)
    const first = await run(['memory', 'import', name, '--user', 'ada'])
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' })
    expect(first.stdout.split('\n').slice(0, 6)).toEqual([
      'file       faiss.jsonl',
      'source     import:faiss.jsonl',
      'read       2 documents',
      'created    2',
      'unchanged  0',
      'refused    0',
    ])
    const kept = await remembered()
    expect(kept.toSorted((a, b) => (a.content < b.content ? -1 : 1))).toMatchObject([
      {
        content: 'Ada prefers tabs',
        category: 'preferences',
        sourceType: 'bootstrap',
        confidence: 0.8,
        lineage: [{ relation: 'origin', source: 'import:faiss.jsonl' }],
        metadata: { id: 1, coordinates: [0.5, -2], score: 0.9, retriever: 'mmr' },
      },
      { category: 'facts', metadata: { id: 'b', source: 'notes.md', area: 'main' } },
    ])
    const again = { file: name, source: 'import:faiss.jsonl', dryRun: false, read: 2, created: 0, unchanged: 2 }
    expect(await report([name])).toEqual({ ...again, refused: 0, refusals: [], seconds: expect.any(Number) })
    expect(await remembered()).toEqual(kept)
  })

  it('checks everything in a dry run, and writes nothing', async () => {
    const name = file('a.jsonl', `${TWO}\n{"id": 3, "text": ""}\n{"id": "b", "text": "Other"}`)
    const { code, stdout } = await run(['memory', 'import', name, '--user', 'ada', '--dry-run'])
    expect(code).toBe(2)
    expect(stdout).toContain('to create  2\n')
    expect(stdout).toMatch(/\nline 3 {3}3 {3}text {3}must not be empty\n/)
    expect(stdout).toMatch(/\nDry run: nothing was written\.\n$/)
    expect(await remembered()).toEqual([])
    expect(await report([name])).toMatchObject({ dryRun: false, created: 2, refused: 2 })
    expect(await report([name, '--dry-run'])).toMatchObject({ dryRun: true, created: 0, unchanged: 2, refused: 2 })
  })

  it('imports the valid documents of a batch, lists the others, and exits with 2', async () => {
    const name = file(
      'a.jsonl',
      [
        TWO,
        'words',
        lines(
          { id: 4, text: 'x', category: 'work' },
          { id: 5, text: 'y'.repeat(16_385) },
          { id: 6, text: 'z', metadata: { long: 'm'.repeat(65_536) } },
          { id: 7, text: 'w', expires_at: 'soon' },
          { id: 'b', text: 'The service runs on port 9090' },
          { text: 'without an id' },
        ),
      ].join('\n'),
    )
    const { code } = await run(['memory', 'import', name, '--user', 'ada'])
    expect(code).toBe(2)
    expect(await contentsOf()).toEqual(['Ada prefers tabs', 'The service runs on port 8080', 'without an id'])
    expect(await report([name])).toMatchObject({
      read: 9,
      created: 0,
      unchanged: 3,
      refused: 6,
      refusals: [
        { place: 'line 3', field: 'document', reason: expect.stringContaining('is not JSON') },
        { place: 'line 4', id: '4', field: 'category' },
        { place: 'line 5', id: '5', field: 'text', reason: 'size 16385 exceeds the limit of 16384' },
        { place: 'line 6', id: '6', field: 'metadata' },
        { place: 'line 7', id: '7', field: 'expires_at' },
        { place: 'line 8', id: 'b', field: 'id', reason: 'is already used by line 2' },
      ],
    })
  })

  it('refuses a document whose content has changed, and imports the others of its batch', async () => {
    await report([file('a.jsonl', TWO)])
    const changed = file('a.jsonl', lines({ id: 1, text: 'Ada prefers spaces' }, { id: 9, text: 'New' }))
    const refusal = { place: 'line 1', id: '1', field: 'id', reason: expect.stringContaining('belongs to a memory') }
    for (const args of [[changed, '--dry-run'], [changed]]) {
      expect(await report(args)).toMatchObject({ created: 1, unchanged: 0, refused: 1, refusals: [refusal] })
    }
    expect(await contentsOf()).toEqual(['Ada prefers tabs', 'New', 'The service runs on port 8080'])
  })

  it('reads stdin and every format, with a given source name', async () => {
    const documents = TWO.split('\n').map((line) => JSON.parse(line))
    const options = { input: TWO }
    expect(await report(['-'], options)).toMatchObject({ file: '-', source: 'import:stdin', created: 2 })
    const shapes = [documents, { documents }, { 1: documents[0], b: documents[1] }]
    for (const [i, shape] of shapes.entries()) {
      const name = file(`${i}.json`, JSON.stringify(shape, null, 2))
      expect(await report([name, '--source', 'stdin'])).toMatchObject({ read: 2, unchanged: 2, refused: 0 })
    }
    expect(await report(['-', '--source', 'other'], options)).toMatchObject({ source: 'import:other', created: 2 })
  })

  it('applies the options, with batches of any size', async () => {
    const name = file('a.jsonl', lines(...[1, 2, 3, 4, 5].map((id) => ({ id, text: `Number ${id}` }))))
    const options = ['--tenant', 'acme', '--category', 'skills', '--scope', 'api', '--batch', '2']
    expect(await report([name, ...options])).toMatchObject({ created: 5 })
    const items = await withStore(
      async ({ memories }) => (await memories.list({ userId: 'ada', tenant: 'acme' })).items,
    )
    expect(items).toHaveLength(5)
    for (const item of items) expect(item).toMatchObject({ tenant: 'acme', category: 'skills', scope: 'api' })
    expect(await remembered()).toEqual([])
  })

  it('lists the first hundred refusals and counts all', async () => {
    const name = file('a.jsonl', lines(...Array.from({ length: 120 }, (_, id) => ({ id, text: ' ' }))))
    const { refused, refusals } = await report([name])
    expect([refused, refusals.length]).toEqual([120, 100])
    const { stdout } = await run(['memory', 'import', name, '--user', 'ada'])
    expect(stdout).toContain('\nline 100  99  text   must not be empty\nand 20 more\n')
  })

  it('refuses invalid input with 2, and creates a missing SQLite store except in a dry run', async () => {
    const name = file('a.jsonl', TWO)
    const wrong: [string[], string][] = [
      [[name], 'user: is required'],
      [['none.jsonl', '--user', 'ada'], 'file: cannot be read: ENOENT'],
      [['.', '--user', 'ada'], 'file: cannot be read: EISDIR'],
      [[name, '--user', 'ada', '--batch', '0'], 'batch: must be a whole number from 1 to 1000'],
      [[name, '--user', 'ada', '--category', 'work'], 'category: must be one of facts, preferences'],
      [[file('b.json', '[{"id": 1},'), '--user', 'ada'], 'file: is not JSON: '],
      [['--user', 'ada'], "missing required argument 'file'"],
    ]
    for (const [args, message] of wrong) {
      const { code, stderr } = await run(['memory', 'import', ...args])
      expect(stderr).toContain(`error VALIDATION: ${message}`)
      expect(code).toBe(2)
    }
    const importing = ['memory', 'import', name, '--user', 'ada', '--json']
    const dry = await run([...importing, '--dry-run'], { url: 'none.db' })
    expect([dry.code, JSON.parse(dry.stdout).created]).toEqual([0, 2])
    const missing = await run(['memory', 'list', '--user', 'ada', '--json'], { url: 'none.db' })
    expect([missing.code, JSON.parse(missing.stderr).error.code]).toEqual([5, 'STORAGE'])
    const made = await run(importing, { url: 'none.db' })
    expect([made.code, JSON.parse(made.stdout).created]).toEqual([0, 2])
  })
})

describe('memory export', () => {
  it('writes a file that import reads into another store with the same ids', async () => {
    await withStore(async ({ memories, sessions }) => {
      const { id: sessionId } = await sessions.create({ userId: 'ada' })
      const metadata = { id: 7, nested: { content: 'x' } }
      await memories.remember({
        userId: 'ada',
        content: 'Ada likes tea',
        metadata,
        scope: 'home',
        source: { sessionId },
      })
      await memories.remember({ userId: 'ada', content: 'A tool said so', sourceType: 'tool_output', confidence: 0.35 })
      await memories.remember({ userId: 'ada', content: 'Gone by now', expiresAt: '2020-01-01' })
      const [old, young] = await memories.remember([
        { userId: 'ada', content: 'Lives in Vienna' },
        { userId: 'ada', content: 'Moved to Graz' },
      ])
      await memories.contradict(old?.id ?? '', { supersededBy: young?.id ?? '' })
      await memories.remember({ userId: 'bob', content: 'Bob likes coffee' })
    })
    const piped = await run(['memory', 'export', '--user', 'ada'])
    const { stdout } = await run(['memory', 'export', '--user', 'ada', '--out', 'ada.jsonl', '--json'])
    expect(JSON.parse(stdout)).toEqual({ file: 'ada.jsonl', written: 3 })
    expect(readFileSync(join(cwd, 'ada.jsonl'), 'utf8')).toBe(piped.stdout)

    await withStore(async () => {}, 'b.db')
    const into = (name: string) => run(['memory', 'import', name, '--user', 'ada', '--json'], { url: 'b.db' })
    expect(JSON.parse((await into('ada.jsonl')).stdout)).toMatchObject({ created: 3, refused: 0 })
    const shown = async (url: string) =>
      (await remembered(url)).map(({ lineage: _l, createdAt: _c, useCount: _u, ...rest }) => rest)
    const left = (await shown('a.db')).filter(({ content }) => !/^(Gone|Lives)/.test(content))
    expect(await shown('b.db')).toEqual(left)
    expect(JSON.parse((await into('ada.jsonl')).stdout)).toMatchObject({ created: 0, unchanged: 3 })
  })

  it('exports all pages, and exits silently when the reader stops', async () => {
    const pad = 'x'.repeat(1000)
    const many = Array.from({ length: 600 }, (_, id) => ({ id, text: `Number ${id}`, pad }))
    await run(['memory', 'import', file('many.jsonl', lines(...many)), '--user', 'ada'])
    await run(['memory', 'export', '--user', 'ada', '--out', 'out.jsonl'])
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8').trim().split('\n')).toHaveLength(600)
    const script = '{ "$0" "$1" memory export --user ada --url sqlite:a.db; echo $? > code; } | head -c 10'
    const { stderr } = await new Promise<{ stderr: string }>((resolve) => {
      execFile('sh', ['-c', script, process.execPath, RUN], { cwd }, (_error, _stdout, stderr) => resolve({ stderr }))
    })
    expect(stderr).toBe('')
    expect(readFileSync(join(cwd, 'code'), 'utf8').trim()).toBe('0')
  })

  it('refuses a file that cannot be written with 2', async () => {
    const { code, stderr } = await run(['memory', 'export', '--user', 'ada', '--out', 'none/a.jsonl'])
    expect(code).toBe(2)
    expect(stderr).toContain('error VALIDATION: out: cannot be written: ENOENT')
  })
})

describe('memory search, list, show and forget', () => {
  /** Two memories of Ada, one of which takes the place of the other. Gives their ids. */
  const tabs = () =>
    withStore(async ({ memories, sessions }) => {
      const session = await sessions.create({ userId: 'ada' })
      const said = ['I want tabs in every file', 'Tabs it is', 'Good \u001b[2Jtabs', 'four', 'five', 'six', 'seven']
      await session.append(said.map((content) => ({ type: 'user_message', content })))
      const source = { sessionId: session.id, from: 2, to: 8 }
      const input = { userId: 'ada', content: 'Ada indents with tabs', category: 'preferences', source } as const
      const { id: old } = await memories.remember({ ...input, metadata: { seen: 2 } })
      await memories.corroborate(old, { source: 'tool:lint', note: 'said again' })
      const { id: young } = await memories.remember({ userId: 'ada', content: 'Spaces are used for indenting' })
      await memories.contradict(old, { sessionId: session.id, from: 4, to: 4, supersededBy: young })
      return { old, young, session: session.id }
    })

  it('does not count a search as use, and cuts lines to the width', async () => {
    const long = `The build runs on Node. ${'And more of it. '.repeat(20)}`
    await withStore(({ memories }) => memories.remember({ userId: 'ada', content: long, confidence: 0.4 }))
    const search = (...args: string[]) => ['memory', 'search', 'what runs the build', '--user', 'ada', ...args]
    const narrow = await run(search(), { columns: '80' })
    const [head, row] = narrow.stdout.split('\n')
    expect(head).toBe('score  confidence  category  age  content')
    expect(row).toMatch(/^\d\.\d\d {3}0\.40 {8}facts {5}now {2}The build runs on Node\. .*…$/)
    expect(row).toHaveLength(80)
    const [memory] = await remembered()
    expect((await run(search())).stdout).toContain(memory?.id)
    const { items } = JSON.parse((await run(search('--json', '--limit', '1'))).stdout)
    expect(items).toMatchObject([{ id: memory?.id, content: long, score: expect.any(Number), useCount: 0 }])
    for (const filter of [
      ['--min-confidence', '0.5'],
      ['--category', 'rules'],
      ['--tenant', 'x'],
    ]) {
      expect((await run(search(...filter))).stdout).toBe('No matching memories.\n')
    }
    expect(await remembered()).toMatchObject([{ useCount: 0 }])
  })

  it('lists all, page by page', async () => {
    const { old, young } = await tabs()
    const all = await run(['memory', 'list', '--user', 'ada'])
    expect(all.stdout).toMatch(new RegExp(`^superseded +0\\.\\d\\d +preferences +now +${old} +Ada indents`, 'm'))
    expect(all.stdout).toMatch(new RegExp(`^current +0\\.80 +facts +now +${young} +Spaces`, 'm'))
    const first = await run(['memory', 'list', '--user', 'ada', '--limit', '1'])
    expect(first.stdout).toContain(`\n\nNext page: --cursor ${old}\n`)
    const { stdout } = await run(['memory', 'list', '--user', 'ada', '--cursor', old, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ id: young }] })
    expect((await run(['memory', 'list', '--user', 'eve'])).stdout).toBe('No memories.\n')
  })

  it('shows a memory with its source events, its successor and its history', async () => {
    const { old, young, session } = await tabs()
    const { code, stdout } = await run(['memory', 'show', old], { columns: '100' })
    expect(code).toBe(0)
    const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
    expect(stdout.replace(time, 'TIME').trimEnd().split('\n')).toEqual([
      'Ada indents with tabs',
      '',
      `memory       ${old}`,
      'user         ada, tenant local',
      'category     preferences, explicit',
      'confidence   0.43',
      'used         0 times',
      'created      TIME',
      'superseded   TIME',
      `replaced by  ${young}: Spaces are used for indenting`,
      'metadata     {"seen":2}',
      '',
      'lineage',
      '├─ origin, TIME, explicit, confidence 0.80',
      `│  └─ session ${session}, events 2 to 8`,
      '│     ├─ 2 user_message: I want tabs in every file',
      '│     ├─ 3 user_message: Tabs it is',
      '│     ├─ 4 user_message: Good �[2Jtabs',
      '│     ├─ 5 user_message: four',
      '│     ├─ 6 user_message: five',
      '│     └─ and 2 more events',
      '├─ corroborates, TIME',
      '│  └─ source tool:lint',
      '└─ contradicts, TIME',
      `   └─ session ${session}, event 4`,
      '      └─ 4 user_message: Good �[2Jtabs',
      '',
      'history',
      '#  time                      change        confidence  cause',
      `1  TIME  created       0.80        ${session}:2-8`,
      '2  TIME  corroborated  0.85        tool:lint, said again',
      `3  TIME  contradicted  0.43        ${session}:4`,
      `4  TIME  superseded    0.43        ${young}`,
    ])
    const data = JSON.parse((await run(['memory', 'show', old, '--json'])).stdout)
    expect(data).toMatchObject({
      memory: { id: old, supersededBy: young },
      lineage: [{ events: [{ sequence: 2 }, {}, {}, {}, {}], more: 2 }, { source: 'tool:lint' }, { from: 4 }],
      successor: { id: young },
      history: [{ version: 1 }, { version: 2 }, { version: 3 }, { version: 4 }],
    })
    for (const command of ['show', 'forget']) {
      const { code, stderr } = await run(['memory', command, 'nobody'])
      expect({ code, stderr }).toEqual({ code: 3, stderr: 'error MEMORY_NOT_FOUND: memory nobody does not exist\n' })
    }
  })

  it('forgets one memory or an import', async () => {
    const { old, young } = await tabs()
    const name = file('a.jsonl', lines({ id: 1, text: 'One' }, { id: 2, text: 'Two' }))
    await run(['memory', 'import', name, '--user', 'ada'])
    expect((await run(['memory', 'forget', old])).stdout).toBe('forgot 1 memory\n')
    const undo = ['memory', 'forget', '--user', 'ada', '--source', 'import:a.jsonl', '--json']
    expect(JSON.parse((await run(undo)).stdout)).toEqual({ forgotten: 2, kept: 0 })
    expect(await remembered()).toMatchObject([{ id: young }])
    const wrong = [[], [young, '--source', 'x', '--user', 'ada'], ['--source', 'x']]
    for (const args of wrong) expect((await run(['memory', 'forget', ...args])).code).toBe(2)
    expect(await remembered()).toHaveLength(1)
  })
})

describe('recall and index', () => {
  const past = () =>
    withStore(async ({ sessions, memories }) => {
      const session = await sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'The retries should wait longer each time' })
      await session.append({ type: 'model_message', content: 'Retries now double their pause', agentId: 'coach' })
      await memories.remember({ userId: 'ada', content: 'Retries are important to Ada' })
      return session.id
    })

  it('finds messages and memories with their places', async () => {
    const id = await past()
    const ask = (...args: string[]) => ['recall', 'how do retries wait', '--user', 'ada', ...args]
    const { code, stdout } = await run(ask(), { columns: '80' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^score {2}when {14}who {7}place {7}text\n/)
    expect(stdout).toMatch(new RegExp(`^\\d\\.\\d\\d .* user +${id.slice(-8)}:2 +The retries`, 'm'))
    expect(stdout).toMatch(new RegExp(`^\\d\\.\\d\\d .* coach +${id.slice(-8)}:3 +Retries now`, 'm'))
    expect(stdout).toMatch(/ explicit +memory +Retries are important/)
    expect(stdout).toMatch(/\n\n3 results, \d+ tokens\n$/)
    const { items } = JSON.parse((await run(ask('--kinds', 'memory', '--json'))).stdout)
    expect(items).toMatchObject([{ kind: 'memory', content: 'Retries are important to Ada' }])
    expect(JSON.parse((await run(ask('--limit', '1', '--json'))).stdout).items).toHaveLength(1)
    for (const none of [
      ['--until', '2020-01-01'],
      ['--max-tokens', '1'],
      ['--tenant', 'x'],
    ]) {
      expect((await run(ask(...none))).stdout).toBe('No results.\n')
    }
    const wrong = await run(ask('--kinds', 'events'))
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('must be a comma-separated list of event, commit, memory')
    expect((await run(ask('--since', 'soon'))).stderr).toContain('error VALIDATION: since: must be a time in ISO 8601')
  })

  it('updates the index once', async () => {
    // nothing is read on the side
    const tl = await open({ url: `sqlite:${cwd}/a.db`, index: false })
    for (const userId of ['ada', 'ada', 'bob']) {
      const session = await tl.sessions.create({ userId })
      await session.append({ type: 'user_message', content: 'Something to be found' })
    }
    await tl.close()
    expect(JSON.parse((await run(['index', '--user', 'ada', '--json'])).stdout)).toEqual({ sessions: 2, messages: 2 })
    expect((await run(['index'])).stdout).toBe('ok  1 session, 1 message\n')
    expect((await run(['index'])).stdout).toBe('ok  nothing to do\n')
  })
})

it.each([
  'memory import',
  'memory export',
  'memory search',
  'memory list',
  'memory show',
  'memory forget',
  'recall',
  'index',
])('%s --help has an example, in 80 columns', async (command) => {
  const { code, stdout } = await run([...command.split(' '), '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain(`Usage: throughline ${command}`)
  expect(stdout).toContain(`Example: throughline ${command} `)
  const [text = ''] = stdout.split('\nOptions:')
  // no line that the help had to break
  expect(text.split('\n').filter((line) => line.length > 80 || /^\S{1,12}$/.test(line))).toEqual([])
})

it('a group without a command prints its commands and exits with 2', async () => {
  const { code, stderr } = await run(['memory'])
  expect(code).toBe(2)
  expect(stderr).toContain('import [options] <file>')
  expect(stderr).toContain('error VALIDATION: missing command')
  expect(await run(['memory', 'serch'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean search?'),
  })
})
