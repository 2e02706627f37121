import { type OpenOptions, open } from '../../src/index.ts'

/** What the child does: it compacts a session that has ended. */
export interface CompactJob {
  target: OpenOptions
  sessionId: string
}

/** What it prints: the time, what memory it took on top of what it had, and how the work went on. */
export interface Compacted {
  seconds: number
  /** Largest resident size during the work, above that before it, in bytes. */
  growth: number
  progress: { events: number; of: number }[]
}

const { target, sessionId } = JSON.parse(process.argv[2] ?? '') as CompactJob
const tl = await open(target)
const session = await tl.sessions.get(sessionId)
const progress: Compacted['progress'] = []
const before = process.memoryUsage.rss()
let peak = before
const start = performance.now()
await session.compact(undefined, {
  onProgress(step) {
    progress.push(step)
    peak = Math.max(peak, process.memoryUsage.rss())
  },
})
const seconds = (performance.now() - start) / 1000
peak = Math.max(peak, process.memoryUsage.rss())
process.stdout.write(`${JSON.stringify({ seconds, growth: peak - before, progress } satisfies Compacted)}\n`)
await tl.close()
