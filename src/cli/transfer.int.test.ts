import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../../test/servers/run-cli.ts'
import type { ImportReport, SessionBlock, Throughline } from '../api.ts'
import { exportLines, importLines } from '../features/transfer/lines.ts'
import { open } from '../open/open.ts'

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const EVENTS = 3000

let shared: string
/** A store with some sessions, one of them long, as text. */
let text: string
let cwd: string

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
const url = (name: string) => `sqlite:${join(cwd, name)}`

async function withStore<T>(target: string, work: (tl: Throughline) => Promise<T>): Promise<T> {
  const tl = await open({ url: target, index: false })
  try {
    return await work(tl)
  } finally {
    await tl.close()
  }
}

beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), 'tl-transfer-'))
  cwd = shared
  await withStore(url('a.db'), async (tl) => {
    for (let n = 1; n <= 12; n++) {
      const session = await tl.sessions.create({ userId: 'ada', id: idOf(n), task: `Task ${n}` })
      const count = n === 7 ? EVENTS - 100 : 7
      for (let done = 0; done < count; done += 500) {
        const many = Math.min(500, count - done)
        await session.append(
          Array.from({ length: many }, (_, i) => ({ type: 'user_message', content: `${done + i} ${'ä'.repeat(200)}` })),
        )
      }
      if (n % 2 === 0) await session.abort('enough')
    }
  })
  await run(['export', '--out', 'whole.jsonl'])
  text = readFileSync(join(cwd, 'whole.jsonl'), 'utf8')
})

afterAll(() => rmSync(shared, { recursive: true }))

beforeEach(() => {
  cwd = mkdtempSync(join(shared, 'test-'))
})

afterEach(() => {
  cwd = shared
})

const source = () => `sqlite:${join(shared, 'a.db')}`

/** A copy of it, to be written to. */
function ownSource(): string {
  copyFileSync(join(shared, 'a.db'), join(cwd, 'own.db'))
  return url('own.db')
}

const run = (args: readonly string[], target = source()) => runInProcess([...args, '--url', target], cwd)
const json = async (args: readonly string[], target?: string) =>
  JSON.parse((await run([...args, '--json'], target)).stdout)
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(cwd, name), content)
  return name
}
const read = (name: string) => readFileSync(join(cwd, name), 'utf8')

describe('export and import', () => {
  it('move sessions to another store and back unchanged, through a file or a pipe', async () => {
    expect(await json(['export', '--out', 'a.jsonl'])).toEqual({
      file: 'a.jsonl',
      sessions: 12,
      events: expect.any(Number),
      sum: expect.stringMatching(/^[\da-f]{64}$/),
      was: 'written',
    })
    expect(read('a.jsonl')).toBe(text)
    expect((await run(['export'])).stdout).toBe(text)
    const first: ImportReport = await json(['import', 'a.jsonl'], url('b.db'))
    expect(first).toMatchObject({ sessions: 12, created: 12, extended: 0, unchanged: 0, refused: [] })
    expect((await run(['export'], url('b.db'))).stdout).toBe(text)
    expect((await run(['verify'], url('b.db'))).code).toBe(0)
    const again = await run(['import', 'a.jsonl'], url('b.db'))
    expect(again.code).toBe(0)
    expect(again.stdout).toMatch(
      /^sessions {3}12\ncreated {4}0\nextended {3}0\nunchanged {2}12\nrefused {4}0\nwritten {4}0 events\n/,
    )
    // one more event, and one session alone
    const own = ownSource()
    await withStore(own, async (tl) => (await tl.sessions.get(idOf(1))).append({ type: 'x.more', content: 'more' }))
    expect(await json(['export', idOf(1).toUpperCase(), '--out', 'one.jsonl'], own)).toMatchObject({
      sessions: 1,
      events: 9,
    })
    expect(await json(['import', 'one.jsonl', 'a.jsonl'], url('b.db'))).toMatchObject({
      sessions: 13,
      extended: 1,
      events: 1,
    })
    const script = '"$0" "$1" export --url "$2" | "$0" "$1" import --json --url "$3"'
    const piped = await new Promise<string>((resolve, reject) => {
      execFile('sh', ['-c', script, process.execPath, RUN, source(), url('c.db')], { cwd }, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      )
    })
    expect(JSON.parse(piped)).toMatchObject({ created: 12 })
    expect((await run(['export'], url('c.db'))).stdout).toBe(text)
  })

  it('create files that only their owner can read, and keep the mode of existing ones', async () => {
    const modeOf = (name: string) => statSync(join(cwd, name)).mode & 0o777
    await run(['export', '--out', 'new.jsonl'])
    expect(modeOf('new.jsonl')).toBe(0o600)
    chmodSync(join(cwd, 'new.jsonl'), 0o644)
    await run(['export', '--out', 'new.jsonl'])
    expect(modeOf('new.jsonl')).toBe(0o644)
  })

  it('list refused sessions and exit with 4', async () => {
    await run(['import', file('a.jsonl', text)], url('b.db'))
    const append = (target: string, type: 'x.own' | 'x.other') =>
      withStore(target, async (tl) => (await tl.sessions.get(idOf(3))).append({ type, content: type }))
    const own = ownSource()
    await append(url('b.db'), 'x.own')
    await append(own, 'x.other')
    const more = (await run(['export'], own)).stdout
    await withStore(url('c.db'), async ({ sessions }) => {
      for (let n = 1; n <= 12; n++) await sessions.create({ userId: 'bob', id: idOf(n) })
    })
    const conflict = await run(['import', file('b.jsonl', more), '--json'], url('b.db'))
    expect(conflict.code).toBe(4)
    expect(JSON.parse(conflict.stdout)).toMatchObject({
      unchanged: 11,
      refused: [{ sessionId: idOf(3), code: 'IMPORT_CONFLICT' }],
    })
    const all = await run(['import', 'b.jsonl'], url('c.db'))
    expect(all.code).toBe(4)
    expect(all.stdout).toContain('refused    12\n')
    expect(all.stdout).toContain(`${idOf(1)}  IMPORT_CONFLICT  session ${idOf(1)} `)
    expect(all.stdout).not.toContain(idOf(11))
    expect(all.stdout).toContain('\nand 2 more; --json lists all\n')
  })

  it('import the intact part of a damaged file, name the line, and exit with 2', async () => {
    const lines = text.split('\n')
    const cut = file('cut.jsonl', text.slice(0, text.length / 2))
    const torn = await run(['import', cut, '--json'], url('b.db'))
    expect(torn.code).toBe(2)
    expect(JSON.parse(torn.stdout)).toMatchObject({ created: 6, refused: [] })
    expect(JSON.parse(torn.stderr)).toMatchObject({
      error: { code: 'VALIDATION', message: expect.stringContaining('cut.jsonl, line ') },
    })
    expect(torn.stderr).toContain('throughline export --resume')
    expect(await json(['verify'], url('b.db'))).toMatchObject({ sessions: 6 })
    // what had come of the long one is not written again
    const rest: ImportReport = await json(['import', file('whole.jsonl', text)], url('b.db'))
    expect(rest).toMatchObject({ created: 6, unchanged: 6 })
    expect(rest.events).toBeLessThan(EVENTS - 500)
    expect((await run(['export'], url('b.db'))).stdout).toBe(text)
    const changed = file('changed.jsonl', lines.with(4, (lines[4] ?? '').replace('ä', 'a')).join('\n'))
    const bad = await run(['import', changed], url('c.db'))
    expect(bad).toMatchObject({ code: 2, stdout: '' })
    expect(bad.stderr).toMatch(/^error VALIDATION: changed\.jsonl, line 11: /)
    const bytes = Buffer.concat([
      Buffer.from(`${lines.slice(0, 30).join('\n')}\n`),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('{}\n'),
    ])
    const notText = await run(['import', file('bytes.jsonl', bytes)], url('d.db'))
    expect(notText.stderr).toContain('bytes.jsonl, line 31: is not UTF-8')
    // what comes behind it is taken all the same
    const others = await run(['import', changed, 'bytes.jsonl', 'whole.jsonl', cut, '--json'], url('e.db'))
    expect(others.code).toBe(2)
    expect(JSON.parse(others.stdout)).toMatchObject({ created: 12, refused: [] })
    const messages = others.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).error.message)
    expect(messages).toEqual([
      expect.stringMatching(/^changed\.jsonl, line 11: /),
      expect.stringMatching(/^bytes\.jsonl, line 31: /),
      expect.stringMatching(/^cut\.jsonl, line \d+: /),
    ])
    const none = await run(['import', changed, file('words.jsonl', 'words')], url('c.db'))
    expect(none).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/changed.*\n.*words\.jsonl, line 1/),
    })
    // nothing is made for what is nothing
    expect(existsSync(join(cwd, 'c.db'))).toBe(false)
    expect(existsSync(join(cwd, 'd.db'))).toBe(true)
  })
})

describe('import --check', () => {
  /** The text of an export whose logs were made by someone else: its sums are right. */
  async function forged(change: (block: SessionBlock) => SessionBlock): Promise<string> {
    const blocks: SessionBlock[] = []
    for await (const block of importLines(text.split('\n'))) blocks.push(change(block))
    let made = ''
    for await (const line of exportLines(blocks)) made += line
    return made
  }

  it('verifies files and writes nothing', async () => {
    const whole = file('whole.jsonl', text)
    expect(await json(['import', '--check', whole], url('b.db'))).toEqual({
      files: 1,
      sessions: 12,
      events: 3007,
      ok: true,
      damaged: [],
      refused: [],
    })
    // no store is needed, nor one that answers
    const plain = await run(['import', '--check', whole, whole], 'postgres://127.0.0.1:1/none')
    expect(plain).toMatchObject({ code: 0, stderr: '', stdout: 'ok  2 files, 24 sessions, 6,014 events\n' })
    const lines = text.split('\n')
    const changed = file('changed.jsonl', lines.with(4, (lines[4] ?? '').replace('ä', 'a')).join('\n'))
    const bad = await run(['import', '--check', changed, whole, file('cut.jsonl', text.slice(0, 60_000))], url('b.db'))
    expect(bad.code).toBe(2)
    expect(bad.stdout).toMatch(
      /^changed\.jsonl, line 11: does not fit lines 2 to 10.*\ncut\.jsonl, line \d+: ends before/,
    )
    expect(bad.stdout).toMatch(/\ndamaged {2}intact: 3 files, 1\d sessions, 3,\d{3} events\n$/)
    expect(existsSync(join(cwd, 'b.db'))).toBe(false)
  })

  it('finds sessions that every store refuses', async () => {
    const made = await forged((block) => {
      const { sessionId, events } = block
      const change = (sequence: number, more: object) => ({
        ...block,
        events: events.map((event) => (event.sequence === sequence ? { ...event, ...more } : event)),
      })
      if (sessionId === idOf(2)) return change(3, { role: 'nobody' })
      if (sessionId === idOf(7)) return change(600, { createdAt: 'never' })
      if (sessionId === idOf(9)) return change(1, { type: 'user_message', checksum: undefined })
      if (sessionId === idOf(11)) return change(1, { content: 'other' })
      return block
    })
    const found = await run(['import', '--check', file('forged.jsonl', made), '--json'])
    expect(found.code).toBe(2)
    const report = JSON.parse(found.stdout)
    expect(report).toMatchObject({ files: 1, sessions: 8, ok: false, damaged: [] })
    expect(report.refused).toEqual([
      {
        file: 'forged.jsonl',
        sessionId: idOf(2),
        code: 'VALIDATION',
        message: expect.stringContaining('events[2].role'),
      },
      { file: 'forged.jsonl', sessionId: idOf(7), code: 'VALIDATION', message: expect.stringContaining('createdAt') },
      {
        file: 'forged.jsonl',
        sessionId: idOf(9),
        code: 'VALIDATION',
        message: expect.stringContaining('events[0].type'),
      },
      {
        file: 'forged.jsonl',
        sessionId: idOf(11),
        code: 'VALIDATION',
        message: expect.stringMatching(/^event 1: .*checksum/),
      },
    ])
    const words = (await run(['import', '--check', 'forged.jsonl'])).stdout
    expect(words).toContain(`forged.jsonl, session ${idOf(2)}: VALIDATION: events[2].role`)
    expect(words).toMatch(/\ndamaged {2}intact: 1 file, 8 sessions, /)
  })
})

describe('export --resume', () => {
  it('continues from any position and produces the same file', async () => {
    const whole = Buffer.from(text)
    const lengths = [
      0,
      1,
      20,
      41,
      42,
      43,
      60,
      3000,
      whole.length >> 1,
      (whole.length * 0.7) | 0,
      whole.length - 300,
      whole.length - 2,
      whole.length - 1,
    ]
    for (const length of lengths) {
      file('a.jsonl', whole.subarray(0, length))
      const { was } = await json(['export', '--out', 'a.jsonl', '--resume'])
      expect(readFileSync(join(cwd, 'a.jsonl')).equals(whole), `from ${length}`).toBe(true)
      expect(was).toBe(length > 5000 ? 'resumed' : 'written')
    }
    // behind the end of a line, and behind each check
    const ends = [...text.matchAll(/\{"kind":"check".*\n/g)].map((match) =>
      Buffer.byteLength(text.slice(0, match.index + match[0].length)),
    )
    for (const length of ends) {
      file('a.jsonl', whole.subarray(0, length))
      await run(['export', '--out', 'a.jsonl', '--resume'])
      expect(readFileSync(join(cwd, 'a.jsonl')).equals(whole), `from ${length}`).toBe(true)
    }
    const done = await run(['export', '--out', 'a.jsonl', '--resume'], 'sqlite:none.db')
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok {2}a\.jsonl is complete: 12 sessions, 3,007 events\n$/),
    })
  })

  it('rewrites a damaged part, and starts if there is no file', async () => {
    const lines = text.split('\n')
    file('a.jsonl', lines.with(40, (lines[40] ?? '').replace('ä', 'a')).join('\n'))
    expect((await run(['export', '--out', 'a.jsonl', '--resume'])).stdout).toMatch(/^continued a\.jsonl: 12 sessions/)
    expect(read('a.jsonl')).toBe(text)
    expect((await run(['export', '--out', 'new.jsonl', '--resume'])).stdout).toMatch(/^wrote 12 sessions/)
    expect(read('new.jsonl')).toBe(text)
    await run(['export', idOf(7), '--out', 'one.jsonl'])
    const one = read('one.jsonl')
    file('one.jsonl', one.slice(0, one.length / 2))
    await run(['export', idOf(7), '--out', 'one.jsonl', '--resume'])
    expect(read('one.jsonl')).toBe(one)
  })

  it('refuses to change a file that is not the same export', async () => {
    await run(['export', idOf(3).toUpperCase(), '--out', 'one.jsonl'])
    const one = read('one.jsonl')
    expect(one.split('\n')[0]).toBe(`{"kind":"throughline-export","version":1,"session":"${idOf(3)}"}`)
    expect((await run(['export', idOf(3)])).stdout).toBe(one)
    for (const length of [one.length, 40, 41, 60, one.indexOf('\n'), one.indexOf('\n') + 1, one.length / 2]) {
      file('one.jsonl', one.slice(0, length))
      expect(await run(['export', idOf(3), '--out', 'one.jsonl', '--resume'])).toMatchObject({ code: 0, stderr: '' })
      expect(read('one.jsonl'), `from ${length}`).toBe(one)
    }
    for (const [content, args, message] of [
      ['words', [], 'out: is not an export of this version'],
      ['\ufeff', [], 'out: is not an export of this version'],
      [`${text}words\n`, [], 'out: has data after the end of the export'],
      [text + text, [], 'out: has data after the end'],
      [text.slice(0, text.length / 2), [idOf(3)], `out: is an export of all sessions, not of ${idOf(3)}: choose`],
      [text, [idOf(3)], 'out: is an export of all sessions'],
      [one, [], `out: is an export of ${idOf(3)}, not of all sessions: choose another --out`],
      [one.slice(0, one.length / 2), [], `out: is an export of ${idOf(3)}`],
      [one.slice(0, one.indexOf('\n') + 1), [], `out: is an export of ${idOf(3)}`],
      [one, [idOf(4)], `out: is an export of ${idOf(3)}, not of ${idOf(4)}`],
    ] as const) {
      file('a.jsonl', content)
      const { code, stderr } = await run(['export', ...args, '--out', 'a.jsonl', '--resume'])
      expect(stderr).toContain(`error VALIDATION: ${message}`)
      expect(code).toBe(2)
      expect(read('a.jsonl')).toBe(content)
    }
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    mkdirSync(join(cwd, 'folder'))
    for (const out of ['folder', 'pipe', '/dev/null', join(file('plain', 'x'), 'below')]) {
      const { code, stderr } = await run(['export', '--out', out, '--resume'])
      expect(stderr).toMatch(/^error VALIDATION: out: (is not a regular file|cannot be read: ENOTDIR)/)
      expect(code).toBe(2)
    }
  })

  it('continues after kill -9', async () => {
    const out = join(cwd, 'a.jsonl')
    writeFileSync(out, '')
    const child = spawn(process.execPath, [RUN, 'export', '--out', out, '--url', source()], { stdio: 'ignore' })
    const watcher = watch(out, () => {
      if (statSync(out).size > text.length / 4) child.kill('SIGKILL')
    })
    await new Promise((resolve) => child.once('close', resolve))
    watcher.close()
    // it may have been quicker than the signal
    expect((await json(['export', '--out', 'a.jsonl', '--resume'])).was).toMatch(/^(resumed|complete)$/)
    expect(read('a.jsonl')).toBe(text)
  })
})

describe('the shell', () => {
  it('gets 0 and no message when the reader of an export stops', async () => {
    const script = '{ "$0" "$1" export --url "$2"; echo $? > code; } | head -c 10'
    const { stderr } = await new Promise<{ stderr: string }>((resolve) => {
      execFile('sh', ['-c', script, process.execPath, RUN, source()], { cwd }, (_e, _out, stderr) =>
        resolve({ stderr }),
      )
    })
    expect(stderr).toBe('')
    expect(read('code').trim()).toBe('0')
  })

  it('gets 130 for Ctrl-C during an import, which the next run completes', async () => {
    await withStore(url('b.db'), async () => {})
    const child = spawn(process.execPath, [RUN, 'import', '--url', url('b.db')], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    child.stdin.on('error', () => {})
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const db = watch(cwd, (_event, name) => {
      // it has begun to write
      if (name === 'b.db-wal') child.kill('SIGINT')
    })
    child.stdin.write(text.slice(0, text.length / 2))
    expect(await ended).toBe(130)
    db.close()
    expect(await json(['verify'], url('b.db'))).toMatchObject({ differences: [] })
    const rest: ImportReport = await json(['import', file('a.jsonl', text)], url('b.db'))
    expect(rest).toMatchObject({ sessions: 12, refused: [] })
    expect((await run(['export'], url('b.db'))).stdout).toBe(text)
  })

  it('gets the error, and an existing file is unchanged', async () => {
    file('kept.jsonl', 'kept')
    for (const [args, code, message] of [
      [['export', '--resume'], 2, 'resume: needs --out'],
      [['export', '--cache', '--out', 'a', '--resume'], 2, 'resume: needs --out and cannot be combined with --cache'],
      [['export', idOf(1), '--cache'], 2, 'cache: cannot be combined with a session'],
      [['export', idOf(99), '--out', 'kept.jsonl'], 3, idOf(99)],
      [['export', '--out', 'none/a.jsonl'], 2, 'out: cannot be written: ENOENT'],
      [['export', '--out', 'kept.jsonl', '--url', 'sqlite:none.db'], 5, 'no database at'],
      [['import', 'none.jsonl'], 2, 'files: cannot be read: ENOENT'],
      [['import', 'kept.jsonl', '--url', 'sqlite:new.db'], 2, 'kept.jsonl, line 1: '],
      [['import', 'kept.jsonl', '--user', 'ada'], 2, 'user: needs --from'],
      [['import', 'kept.jsonl', '--follow'], 2, 'follow: needs --from'],
      [['import', 'kept.jsonl', '--tenant', 'acme'], 2, 'tenant: needs --from'],
      [['import', 'kept.jsonl', '--from', 'faiss'], 2, 'from: must be claude-code'],
      [['import', '--from', 'claude-code'], 2, 'files: are required'],
      [['import', '--check', 'kept.jsonl', '--from', 'claude-code'], 2, 'check: cannot be combined with --from'],
    ] as const) {
      const ended = await runInProcess(args.includes('--url' as never) ? args : [...args, '--url', source()], cwd)
      expect(ended.stderr).toContain(message)
      expect(ended.code).toBe(code)
    }
    expect(read('kept.jsonl')).toBe('kept')
    expect(existsSync(join(cwd, 'new.db'))).toBe(false)
  })

  it.each(['export', 'import'])('%s --help has an example, in 80 columns', async (command) => {
    const { code, stdout } = await runInProcess([command, '--help'], cwd)
    expect(code).toBe(0)
    expect(stdout).toContain(`Example: throughline ${command}`)
    const [words = ''] = stdout.split('\nOptions:')
    expect(words.split('\n').filter((line) => line.length > 80 || /^\S{1,12}$/.test(line))).toEqual([])
  })
})
