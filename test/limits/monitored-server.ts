import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { SECRET } from '../servers/http.ts'
import { trackProcess } from '../servers/test-run.ts'

const CLI = fileURLToPath(new URL('../../src/cli/run.ts', import.meta.url))
const MONITOR = new URL('loop-monitor.mjs', import.meta.url).href

/** Megabytes of old space. A single piece of work that needs more ends the process. */
const HEAP = 768

/** What a piece of work cost the server. */
export interface Cost {
  /** The longest piece of work on the event loop, in milliseconds of CPU time. */
  readonly longestMs: number
  /** The CPU time of the thread of the event loop for the whole work, in milliseconds. */
  readonly spentMs: number
  /** How far the memory of the process rose. */
  readonly grownBytes: number
}

/** A server process that measures its event loop and its memory. */
export interface MonitoredServer {
  readonly url: string
  hasEnded(): boolean
  /** Runs the work, waits until the event loop is idle, and says what that cost the server. */
  measure<T>(work: () => Promise<T>): Promise<{ result: T; cost: Cost }>
  stop(): Promise<void>
}

/**
 * Starts one for a store, with a cache in front of it if there is one. If memory seems to grow by more than
 * `mostBytes`, it collects garbage before it measures.
 */
export async function startMonitoredServer(
  store: string,
  cache: string | undefined,
  mostBytes: number,
): Promise<MonitoredServer> {
  const flags = ['--expose-gc', `--max-old-space-size=${HEAP}`, '--import', MONITOR]
  const command = [...flags, CLI, '--json', 'serve', '--url', store, '--port', '0', '--log', 'warn']
  const env = { ...process.env, THROUGHLINE_JWT_SECRET: SECRET, THROUGHLINE_CACHE_URL: cache ?? '' }
  const child = trackProcess(spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env }))
  const ended = once(child, 'exit')
  const dead = ended.then(([code, signal]) => {
    throw new Error(`the server ended with ${code ?? signal}`)
  })
  dead.catch(() => {})
  const output = child.stdout as Readable
  const [line] = (await Promise.race([once(output.setEncoding('utf8'), 'data'), dead])) as [string]
  output.resume()

  async function tell(message: 'report' | { mostBytes: number }): Promise<Cost> {
    const reply = once(child, 'message')
    child.send(message)
    const [cost] = (await Promise.race([reply, dead])) as [Cost]
    return cost
  }

  return {
    url: (JSON.parse(line) as { url: string }).url,
    hasEnded: () => (child.exitCode ?? child.signalCode) !== null,
    async measure(work) {
      await tell({ mostBytes })
      const result = await Promise.race([work(), dead])
      return { result, cost: await tell('report') }
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
