import { appendFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findFiles } from '../../src/cli/transcripts/find-files.ts'
import { followFiles } from '../../src/cli/transcripts/follow-files.ts'
import { type TranscriptImport, TranscriptImporter } from '../../src/cli/transcripts/transcript-importer.ts'
import { remoteThroughline } from '../../src/remote/index.ts'
import { TIMEOUTS } from '../../src/remote/retry.ts'
import { claudeCode } from '../../src/transcripts/claude-code/format.ts'
import { operatorToken, startServer } from '../servers/http.ts'
import { temporaryFolder } from '../servers/test-run.ts'
import { restoreLines } from './original-lines.ts'
import { dataFile, OWNER, readLines, sessionId } from './transcripts.ts'

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder('tl-away-')
  // the transcripts of the tests are old
  vi.stubEnv('SESSION_STALE_TIMEOUT_SECONDS', String(100 * 365 * 86_400))
})

afterEach(() => {
  vi.unstubAllEnvs()
  folder.remove()
})

const said = (content: string) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`

/** What comes, one after the other, to whoever asks for the next. */
class Arrivals<T> {
  readonly #here: T[] = []
  #wake: () => void = () => {}

  add(item: T): void {
    this.#here.push(item)
    this.#wake()
  }

  async next(): Promise<T | undefined> {
    if (this.#here.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#here.shift()
  }
}

it('waits while the server is unreachable, says so once, and then imports everything new', async () => {
  const url = `sqlite:${join(folder.path, 'sessions.db')}`
  const [one, two] = [1, 2].map((n) => join(folder.path, `${sessionId(n)}.jsonl`)) as [string, string]
  await cp(dataFile('plain', 1), one)
  let server = await startServer({ url })
  const { port } = new URL(server.url)
  const tl = await remoteThroughline({
    url: server.url,
    token: await operatorToken(),
    timeouts: { ...TIMEOUTS, retries: 0 },
  })
  const importer = new TranscriptImporter(tl, claudeCode, OWNER, true)
  const found = await findFiles([folder.path])
  const first = { found, imported: await importer.importFiles(found.files) }
  expect(first.imported).toMatchObject({ created: 1 })

  const news = new Arrivals<TranscriptImport | string>()
  const stop = new AbortController()
  const following = followFiles(importer, [folder.path], first, {
    signal: stop.signal,
    onBatch: (imported) => news.add(imported),
    onUnavailable: (error) => news.add(error.code),
    onAvailable: () => news.add('back'),
  })
  await server.close()
  await appendFile(one, said('While it is away.'))
  expect(await news.next()).toBe('STORAGE')
  await cp(dataFile('blocks', 2), two)
  server = await startServer({ url, port: Number(port) })
  expect(await news.next()).toBe('back')
  expect(await news.next()).toMatchObject({ extended: 1, events: 1, refused: [] })
  expect(await news.next()).toMatchObject({ created: 1, refused: [] })
  for (const [n, path] of [one, two].entries()) {
    const events = await (await tl.sessions.get(sessionId(n + 1))).events()
    expect(restoreLines(events)).toEqual(await readLines(path))
  }

  // told to end while it waits
  await server.close()
  await appendFile(one, said('Away again.'))
  expect(await news.next()).toBe('STORAGE')
  stop.abort()
  await following
  await tl.close()
})
