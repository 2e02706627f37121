import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TranscriptImport } from '../../src/cli/transcripts/transcript-importer.ts'
import { open } from '../../src/index.ts'
import { temporaryFolder, trackProcess } from '../servers/test-run.ts'
import { restoreLines } from './original-lines.ts'
import { dataFile, readLines, sessionId } from './transcripts.ts'

const CHILD = fileURLToPath(new URL('follow-child.ts', import.meta.url))

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder('tl-follow-')
})

afterEach(() => folder.remove())

/** Follows in a process of its own, and gives what it prints. */
function following(url: string, paths: string[]) {
  const child = trackProcess(
    spawn(process.execPath, [CHILD, JSON.stringify({ url, paths })], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // the transcripts of the tests are old
      env: { ...process.env, SESSION_STALE_TIMEOUT_SECONDS: String(100 * 365 * 86_400) },
    }),
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'exit')
  return {
    /** The next that comes, and how long it took. */
    async next(): Promise<TranscriptImport & { took: number }> {
      const start = performance.now()
      const { value } = await lines.next()
      return { ...(JSON.parse(value ?? 'null') as TranscriptImport), took: performance.now() - start }
    },
    async stop(): Promise<unknown[]> {
      child.kill('SIGINT')
      const { done } = await lines.next()
      return [done, ...(await ended)]
    },
  }
}

const said = (content: string, more = {}) =>
  `${JSON.stringify({ type: 'user', ...more, message: { role: 'user', content } })}\n`

it('follows files that grow, and new ones in new folders, until Ctrl-C', async () => {
  const url = `sqlite:${join(folder.path, 'sessions.db')}`
  const projects = join(folder.path, 'projects')
  const file = join(projects, 'one', `${sessionId(1)}.jsonl`)
  await mkdir(join(projects, 'one'), { recursive: true })
  await cp(dataFile('plain', 1), file)
  const child = following(url, [projects])
  expect(await child.next()).toMatchObject({ files: 1, created: 1, events: 8 })

  await appendFile(file, said('One.'))
  const one = await child.next()
  expect(one).toMatchObject({ files: 1, extended: 1, events: 1 })
  expect(one.took).toBeLessThan(5000)

  // a line in two halves is one line; a sub-agent that begins is a session
  await appendFile(file, '{"type":"user","mess')
  await appendFile(file, `age":{"content":"Two."}}\n${said('Help.', { isSidechain: true, agentId: 'a1' })}`)
  let events = 0
  for (let created = 0; created === 0; ) {
    const batch = await child.next()
    events += batch.events
    created = batch.created
  }
  expect(events).toBe(3)

  // in a new file it waits until something was said
  const other = join(projects, 'two', `${sessionId(2)}.jsonl`)
  await mkdir(join(projects, 'two'))
  await writeFile(other, '{"type":"mode","mode":"default"}\n')
  await appendFile(file, said('Three.'))
  expect(await child.next()).toMatchObject({ extended: 1, created: 0, events: 1 })
  await appendFile(other, said('What is this about?'))
  expect(await child.next()).toMatchObject({ created: 1, events: 3 })

  // here it goes on by itself
  const tl = await open(url)
  const session = await tl.sessions.get(sessionId(2))
  expect((await session.record()).task).toBe('What is this about?')
  await session.append({ type: 'user_message', content: 'Said here.' })
  await appendFile(other, said('Said there.'))
  expect(await child.next()).toMatchObject({ events: 0, refused: [{ code: 'IMPORT_CONFLICT', file: other }] })
  await appendFile(file, said('Four.'))
  expect(await child.next()).toMatchObject({ extended: 1, events: 1, refused: [] })

  expect(await child.stop()).toEqual([true, 4, null])
  const all = []
  for (const { id } of (await tl.sessions.list({ conversationId: sessionId(1) })).items) {
    all.push(...(await (await tl.sessions.get(id)).events()))
  }
  expect(restoreLines(all)).toEqual(await readLines(file))
  await tl.close()
})
