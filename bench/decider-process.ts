// A process of the benchmark of decisions: opens a build, waits for a line, decides, and prints its latencies.
import { once } from 'node:events'

/** The task of a process. */
export interface DeciderOptions {
  /** URL of the module to open the store with. */
  build: string
  url: string
  sessionId: string
  deciders: number
  each: number
}

const { build, url, sessionId, deciders, each } = JSON.parse(process.argv[2] ?? '{}') as DeciderOptions
const { open } = (await import(build)) as typeof import('../dist/index.js')
const tl = await open({ url, index: false })
const session = await tl.sessions.get(sessionId)
console.log('ready')
await once(process.stdin, 'data')
const latencies: number[] = []
await Promise.all(
  Array.from({ length: deciders }, async (_, n) => {
    for (let i = 0; i < each; i++) {
      const before = performance.now()
      // a handoff is a decision that is never guessed from a cache
      await session.recordTransition({ to: `agent-${n}-${i}`, reason: 'benchmark' })
      latencies.push(performance.now() - before)
    }
  }),
)
console.log(JSON.stringify(latencies))
process.stdin.unref()
await tl.close()
