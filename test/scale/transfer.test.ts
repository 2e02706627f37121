import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import type { ImportReport, VerifyReport } from '../../src/api.ts'
import type { ExportReport } from '../../src/cli/transfer/export-sessions.ts'
import { type EventInput, open } from '../../src/index.ts'
import { isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { trackProcess } from '../servers/test-run.ts'

const CHILD = fileURLToPath(new URL('./transfer-child.ts', import.meta.url))
const MB = 1024 * 1024
/** Heap of a process, and most memory that it may ever hold, in MB; the file of the long form has some 230. */
const [HEAP, MOST] = [128, 300]
const NODE = [`--max-old-space-size=${HEAP}`, '--max-semi-space-size=4']

/** How many sessions have how many events. Together they are a million, or three thousand. */
const SIZES: readonly (readonly [sessions: number, events: number])[] = isProving
  ? [
      [1, 200_000],
      [20, 10_000],
      [1000, 300],
      [2500, 100],
      [10_000, 5],
    ]
  : [
      [1, 1200],
      [4, 300],
      [5, 100],
      [20, 5],
    ]
const SESSIONS = SIZES.reduce((sum, [sessions]) => sum + sessions, 0)
const EVENTS = SIZES.reduce((sum, [sessions, events]) => sum + sessions * events, 0)

/** The n-th event that a caller would append. */
function eventOf(n: number): EventInput {
  const words = `${n} `.repeat(1 + (n % 12)).trim()
  if (n % 7 === 3)
    return { type: 'tool_call', parts: { id: `c${n}`, name: 'look', arguments: { n, deep: [n, { a: -0 }] } } }
  if (n % 7 === 4) return { type: 'tool_result', parts: { toolCallId: `c${n - 1}`, found: words }, agentId: 'looker' }
  if (n % 7 === 5) return { type: 'x.note', content: `ö${words}\u2028`, occurredAt: '2026-01-31T09:30' }
  return { type: n % 2 === 0 ? 'user_message' : 'model_message', content: words }
}

async function fill(url: string): Promise<void> {
  const tl = await open({ url, durability: 'relaxed', index: false })
  let n = 0
  for (const [sessions, events] of SIZES) {
    for (let s = 0; s < sessions; s++) {
      const session = await tl.sessions.create({ userId: `user${s % 50}`, tenant: `tenant${s % 3}`, task: `Task ${s}` })
      // one event for the beginning, two that change views, and two for the end of some
      const isOver = s % 3 === 0
      const rest = events - 1 - 2 - (isOver ? 1 : 0)
      for (let done = 0; done < rest; done += 1000) {
        await session.append(Array.from({ length: Math.min(1000, rest - done) }, () => eventOf(n++)))
      }
      await session.updateState({ current_task: `Task ${s}` })
      await session.updateEnvelope({ metadata: { s } })
      if (isOver) await session.end()
    }
  }
  await tl.close()
}

interface Ended<T> {
  report: T
  rss: number
  seconds: number
}

/** How a child is brought to its end before its time. */
type Killing = (child: ReturnType<typeof spawn>) => () => void

/** Runs a command in a process of its own. Gives nothing if it was killed on the way. */
async function run<T>(args: readonly string[], killing?: Killing): Promise<Ended<T> | undefined> {
  const start = performance.now()
  const command = [...NODE, CHILD, JSON.stringify([...args, '--json'])]
  const child = trackProcess(spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'pipe'] }))
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  }
  child.stdin.on('error', () => {})
  const over = killing?.(child)
  if (killing === undefined) child.stdin.end()
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('close', (...ended) => resolve(ended))
  })
  over?.()
  if (signal === 'SIGKILL') return undefined
  if (code !== 0) throw new Error(`it left with ${code}: ${text.stderr}`)
  const [report, memory] = text.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { report: report as T, rss: (memory as { rss: number }).rss, seconds: (performance.now() - start) / 1000 }
}

/** Kills it once the file has so many bytes. */
const onceThereAre =
  (bytes: number, file: string): Killing =>
  (child) => {
    writeFileSync(file, '')
    const watcher = watch(file, () => {
      if (statSync(file).size > bytes) child.kill('SIGKILL')
    })
    return () => watcher.close()
  }

/** Gives it so much of the file as its standard input, and kills it once it has taken that. */
const afterFeeding =
  (file: string, bytes: number): Killing =>
  (child) => {
    const stream = createReadStream(file, { end: bytes })
    stream.pipe(child.stdin as NodeJS.WritableStream, { end: false })
    stream.once('end', () => child.stdin?.write('', () => child.kill('SIGKILL')))
    return () => stream.destroy()
  }

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** Exports to the file, dies in the middle, and goes on. */
async function exported(url: string, file: string, killAt?: number): Promise<Ended<ExportReport>> {
  const args = ['export', '--out', file, '--url', url]
  if (killAt !== undefined) await run(args, onceThereAre(killAt, file))
  const ended = await run<ExportReport>(killAt === undefined ? args : [...args, '--resume'])
  expect(ended?.report).toMatchObject({ sessions: SESSIONS, events: EVENTS })
  // the short form may be quicker than the signal
  if (killAt !== undefined && isProving) expect(ended?.report.was).toBe('resumed')
  return ended as Ended<ExportReport>
}

/** Imports half of the file, dies, and takes it all. */
async function imported(file: string, url: string): Promise<Ended<ImportReport>> {
  const { size } = statSync(file)
  expect(await run(['import', '-', '--url', url], afterFeeding(file, size >> 1))).toBeUndefined()
  const ended = await run<ImportReport>(['import', file, '--url', url])
  expect(ended?.report).toMatchObject({ sessions: SESSIONS, extended: 0, refused: [] })
  const { created = 0, unchanged = 0 } = ended?.report ?? {}
  expect(created + unchanged).toBe(SESSIONS)
  if (!isProving) return ended as Ended<ImportReport>
  expect(unchanged).toBeGreaterThan(0)
  expect(await run(['import', file, '--url', url])).toMatchObject({ report: { unchanged: SESSIONS, events: 0 } })
  return ended as Ended<ImportReport>
}

it('moves sessions from SQLite to Postgres and back in little memory, through kill -9, to the same bytes', {
  timeout: 7_200_000,
}, async () => {
  const databases = await databasesOf(inject('postgres')[0]?.url ?? '')
  const database = await databases.create()
  try {
    await withDatabaseFile(async (path) => {
      const at = (name: string) => join(dirname(path), name)
      const [first, last, postgres] = [`sqlite:${at('a.db')}`, `sqlite:${at('b.db')}`, database.url(SERVING)]
      await fill(first)
      const files = [at('1.jsonl'), at('2.jsonl'), at('3.jsonl')] as const
      const half = (EVENTS * 250) / 2
      const steps = {
        'SQLite → file, after kill -9': await exported(first, files[0], half),
        'file → Postgres, after kill -9': await imported(files[0], postgres),
        'Postgres → file, after kill -9': await exported(postgres, files[1], half),
        'file → SQLite, after kill -9': await imported(files[1], last),
        'SQLite → file, in one go': await exported(last, files[2]),
      }
      const hashes = await Promise.all(files.map(hashOf))
      expect(new Set(hashes).size).toBe(1)
      expect(readFileSync(files[0]).subarray(0, 41).toString()).toBe('{"kind":"throughline-export","version":1}')
      const verified = await run<VerifyReport>(['verify', '--url', last])
      expect(verified?.report).toEqual({ sessions: SESSIONS, events: EVENTS, differences: [] })
      for (const [step, { rss, seconds }] of Object.entries(steps)) {
        expect(rss / MB, step).toBeLessThan(MOST)
        printFigure(`${step}: ${seconds.toFixed(1)} s, at most ${Math.round(rss / MB)} MB`)
      }
      const size = Math.round(statSync(files[0]).size / MB)
      printFigure(
        `${EVENTS.toLocaleString('en')} events of ${SESSIONS.toLocaleString('en')} sessions, ${size} MB, sha256 ${hashes[0]} three times`,
      )
    })
  } finally {
    await database.destroy()
    await databases.close()
  }
})
