import { execFileSync } from 'node:child_process'
import { appendFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { importTranscripts } from '../../src/cli/transcripts/import-transcripts.ts'
import type { TranscriptsReport } from '../../src/cli/transcripts/report.ts'
import { exportLines, open, type SessionEvent } from '../../src/index.ts'
import { temporaryFolder } from '../servers/test-run.ts'
import { restoreLines } from './original-lines.ts'
import { DATA, dataFile, readLines, sessionId } from './transcripts.ts'

let folder: ReturnType<typeof temporaryFolder>
let url: string

beforeEach(() => {
  folder = temporaryFolder('tl-take-')
  url = `sqlite:${join(folder.path, 'sessions.db')}`
  // the transcripts of the tests are old
  vi.stubEnv('SESSION_STALE_TIMEOUT_SECONDS', String(100 * 365 * 86_400))
})

afterEach(() => {
  vi.unstubAllEnvs()
  folder.remove()
})

interface Imported {
  code: number
  report: TranscriptsReport
  text: string
}

async function imported(paths: string[], user = 'ada'): Promise<Imported> {
  const printed: { text: string; data: unknown }[] = []
  const output = {
    json: false,
    print: (text: string, data: unknown) => void printed.push({ text, data }),
    say: () => {},
    sayAll: async () => {},
    paint: (_style: unknown, text: string) => text,
    fail: () => {},
  }
  const code = await importTranscripts(
    { from: 'claude-code', paths, user },
    { target: { url, explicit: true }, output },
  )
  expect(printed).toHaveLength(1)
  return { code: code ?? 0, report: printed[0]?.data as TranscriptsReport, text: printed[0]?.text ?? '' }
}

/** A project with one session in it. */
async function project(): Promise<{ path: string; file: string }> {
  const path = join(folder.path, 'project')
  const file = join(path, `${sessionId(1)}.jsonl`)
  await mkdir(path)
  await cp(dataFile('plain', 1), file)
  return { path, file }
}

const said = (content: string) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`

describe('transcripts in a store', () => {
  it('come in whole, and once, however often they are imported', async () => {
    const first = await imported([DATA])
    expect(first.report).toMatchObject({ files: 20, sessions: 22, created: 22, extended: 0, unchanged: 0, refused: [] })
    expect(first.report.torn).toEqual([dataFile('torn', 17)])
    expect(first.code).toBe(0)
    expect(first.text).toMatch(/^sessions +22$/m)
    expect(first.text).toContain('1 file with an incomplete last line')
    const again = await imported([DATA, dataFile('plain', 1)])
    expect(again.report).toMatchObject({ created: 0, extended: 0, unchanged: 22, events: 0, refused: [] })

    const tl = await open(url)
    try {
      expect((await tl.verify()).differences).toEqual([])
      const { items } = await tl.sessions.list({ userId: 'ada', limit: 500 })
      expect(items).toHaveLength(22)
      const plain = items.find(({ id }) => id === sessionId(1))
      expect(plain).toMatchObject({
        turns: 2,
        activeAgent: 'claude',
        startedAt: '2026-03-02T09:00:02.014Z',
        lastActivityAt: '2026-03-02T09:00:14.098Z',
        status: { state: 'running' },
      })
      const sidechains = await tl.sessions.list({ userId: 'ada', conversationId: sessionId(3) })
      const all: SessionEvent[] = []
      for (const { id } of sidechains.items) all.push(...(await (await tl.sessions.get(id)).events()))
      expect(restoreLines(all)).toEqual(await readLines(dataFile('sidechain', 3)))
      for (const [variant, number] of [
        ['broken', 13],
        ['unknown', 12],
        ['blocks', 2],
      ] as const) {
        const events = await (await tl.sessions.get(sessionId(number))).events()
        expect(restoreLines(events)).toEqual(await readLines(dataFile(variant, number)))
      }
      const messages = await (await tl.sessions.get(sessionId(1))).messages({ format: 'anthropic' })
      expect(JSON.stringify(messages)).toContain('"tool_use_id":"toolu_01"')
    } finally {
      await tl.close()
    }
  })

  it('grow as their files do; a line that is being written waits for its end', async () => {
    const { path, file } = await project()
    expect((await imported([path])).report).toMatchObject({ created: 1, events: 8 })
    await appendFile(file, `${said('One.')}{"type":"user","mess`)
    expect((await imported([path])).report).toMatchObject({ extended: 1, events: 1, torn: [file] })
    await appendFile(file, 'age":{"role":"user","content":"Two."}}')
    expect((await imported([path])).report).toMatchObject({ extended: 1, events: 1, torn: [] })
    await appendFile(file, '\n')
    expect((await imported([path])).report).toMatchObject({ unchanged: 1, events: 0 })

    const tl = await open(url)
    const events = await (await tl.sessions.get(sessionId(1))).events()
    await tl.close()
    expect(events.slice(-2).map(({ content }) => content)).toEqual(['One.', 'Two.'])
  })

  it('stay out, and are named, where the session went on here, belongs to another, or cannot be read', async () => {
    const { path, file } = await project()
    await imported([path])
    const tl = await open(url)
    await (await tl.sessions.get(sessionId(1))).append({ type: 'user_message', content: 'Said here.' })
    await tl.close()
    await appendFile(file, said('Said there.'))
    await cp(dataFile('errors', 9), join(path, `${sessionId(9)}.jsonl`))
    await writeFile(join(path, 'notes.jsonl'), '{"note":"no transcript"}\n')
    const missing = join(path, 'missing.jsonl')

    const { code, report, text } = await imported([missing, path])
    expect(code).toBe(4)
    expect(report).toMatchObject({ files: 3, created: 1, sessions: 1, skipped: [join(path, 'notes.jsonl')] })
    expect(report.refused.map(({ file: at, sessionId: id, code: why }) => [at, id, why])).toEqual([
      [missing, undefined, 'UNREADABLE'],
      [file, sessionId(1), 'IMPORT_CONFLICT'],
    ])
    expect(text).toContain(`throughline purge ${sessionId(1)}`)
    expect(text).toContain('ENOENT')
    expect((await imported([join(path, `${sessionId(9)}.jsonl`)], 'grace')).report.refused).toMatchObject([
      { sessionId: sessionId(9), code: 'IMPORT_CONFLICT' },
    ])
  })

  it('are those that look like it: anything else that is named is refused, with what to do', async () => {
    const { path, file } = await project()
    const store = await open('memory:')
    await store.sessions.create({ userId: 'ada', id: sessionId(5) })
    const lines: string[] = []
    for await (const line of exportLines(store.export())) lines.push(line)
    await store.close()
    const write = async (name: string, content: string | Buffer) => {
      await writeFile(join(path, name), content)
      return join(path, name)
    }
    const exported = await write(`${sessionId(5)}.jsonl`, lines.join(''))
    const notes = await write('notes.jsonl', '{"note":"no transcript"}\nwords\n')
    const bytes = await write('bytes.bin', Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * i) % 251)))
    const empty = await write('empty.jsonl', '')
    const begun = await write('begun.jsonl', '{"type":"user","mess')
    const blank = await write('blank.jsonl', '\n \r\n')

    const { code, report, text } = await imported([exported, notes, bytes, empty, begun, blank, file])
    expect(code).toBe(4)
    expect(report).toMatchObject({ files: 7, sessions: 1, created: 1, skipped: [], torn: [begun] })
    expect(report.refused.map(({ file: at, code: why }) => [at, why])).toEqual(
      [exported, notes, bytes].map((at) => [at, 'NO_TRANSCRIPT']),
    )
    expect(report.refused.map(({ message }) => message)).toEqual([
      expect.stringContaining('omit --from'),
      expect.stringContaining('is not a Claude Code transcript'),
      expect.stringContaining('is not a Claude Code transcript'),
    ])
    expect(text).toContain('omit --from')
    // in a folder they are passed over
    const folderOf = await imported([path])
    expect(folderOf).toMatchObject({
      code: 0,
      report: { refused: [], unchanged: 1, skipped: [exported, begun, blank, empty, notes] },
    })
  })

  it('are files: what is none is refused and not waited for, behind links too', async () => {
    const { path, file } = await project()
    const at = (name: string) => join(path, name)
    execFileSync('mkfifo', [at('pipe.jsonl')])
    await symlink(at('pipe.jsonl'), at('to-pipe.jsonl'))
    await symlink(path, at('to-folder.jsonl'))
    await symlink(at('missing'), at('to-nothing.jsonl'))
    await symlink('/dev/zero', at('to-zero.jsonl'))
    await cp(dataFile('errors', 9), join(folder.path, `${sessionId(9)}.jsonl`))
    await symlink(join(folder.path, `${sessionId(9)}.jsonl`), at(`${sessionId(9)}.jsonl`))

    const { code, report } = await imported([path, '/dev/null', at('pipe.jsonl')])
    expect(code).toBe(4)
    expect(report).toMatchObject({ files: 2, created: 2 })
    expect(report.refused.map(({ file: name, message }) => [name.split('/').at(-1), message])).toEqual([
      ['pipe.jsonl', 'cannot be read: not a regular file'],
      ['to-folder.jsonl', 'cannot be read: a link to a folder; name the folder itself'],
      ['to-nothing.jsonl', expect.stringContaining('ENOENT')],
      ['to-pipe.jsonl', 'cannot be read: not a regular file'],
      ['to-zero.jsonl', 'cannot be read: not a regular file'],
      ['null', 'cannot be read: not a regular file'],
      ['pipe.jsonl', 'cannot be read: not a regular file'],
    ])
    expect(report.refused.every((one) => one.code === 'UNREADABLE')).toBe(true)
    await expect(imported(['-', file])).rejects.toMatchObject({ code: 'VALIDATION', field: 'files' })
  })

  it('are refused where a line was changed since, and taken again once the session was purged', async () => {
    const { path, file } = await project()
    await imported([path])
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(
      file,
      [lines[0]?.replace('last line', 'first line'), ...lines.slice(1, -1), said('More.')].join('\n'),
    )
    expect((await imported([path])).report.refused).toMatchObject([{ code: 'IMPORT_CONFLICT' }])
    const tl = await open(url)
    await tl.sessions.purge(sessionId(1))
    await tl.close()
    expect((await imported([path])).report).toMatchObject({ created: 1, refused: [] })
  })

  it('are named where they are compressed', async () => {
    const { path } = await project()
    await writeFile(join(path, 'rollout.jsonl.zst'), '')
    const { code, report } = await imported([path])
    expect(code).toBe(4)
    expect(report).toMatchObject({ created: 1, refused: [{ code: 'UNREADABLE' }] })
    expect(report.refused[0]?.message).toContain('zstd -d')
  })

  it('have costs by the prices that are given, for models that they name', async () => {
    const { path } = await project()
    const prices = join(folder.path, 'prices.json')
    await writeFile(prices, '{"claude-sonnet-4-5":{"input":3,"output":15}}')
    vi.stubEnv('THROUGHLINE_PRICES', prices)
    await imported([path])
    const tl = await open(url)
    const { usage } = await (await tl.sessions.get(sessionId(1))).record()
    await tl.close()
    const { inputTokens = 0, outputTokens = 0, costUsd } = usage?.total ?? {}
    expect(costUsd).toBeCloseTo((inputTokens * 3 + outputTokens * 15) / 1e6, 9)
    expect(costUsd).toBeGreaterThan(0)
  })

  it('need a file or a folder', async () => {
    await expect(imported([])).rejects.toMatchObject({ code: 'VALIDATION', details: { field: 'files' } })
  })
})
