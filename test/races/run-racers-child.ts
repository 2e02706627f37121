import type { OpenOptions, Run } from '../../src/index.ts'
import { open, ThroughlineError } from '../../src/index.ts'

/** Racers of one process. They start when its input ends. */
export interface RacersJob {
  target: string | OpenOptions
  racers: number
  /** `claim` waits for any session that needs work. */
  race:
    | { do: 'run'; sessionId: string; idempotencyKey?: string }
    | { do: 'resolve'; sessionId: string; requestId: string }
    | { do: 'claim' }
}

/** A run that a racer got, that it resolved the request, or the code of its error. */
export type RacerLine = { sessionId: string; runId: string; generation: number } | { resolved: true } | { code: string }

const { target, racers, race } = JSON.parse(process.argv[2] ?? '') as RacersJob
const print = (line: RacerLine | 'ready') => process.stdout.write(`${JSON.stringify(line)}\n`)
const tl = await open(target)
const session = race.do === 'claim' ? undefined : await tl.sessions.get(race.sessionId)

async function start(): Promise<RacerLine> {
  if (race.do === 'resolve') {
    await session?.resolve(race.requestId, process.pid)
    return { resolved: true }
  }
  const { id, runId, generation } = await begin()
  return { sessionId: id, runId, generation }
}

async function begin(): Promise<Run> {
  if (session === undefined) return await tl.claim({ worker: 'racer' })
  const key = race.do === 'run' ? race.idempotencyKey : undefined
  return await session.run({ worker: 'racer', ...(key !== undefined && { idempotencyKey: key }) })
}

const started = new Promise((resolve) => process.stdin.once('end', resolve))
process.stdin.resume()
print('ready')
await started
await Promise.all(
  Array.from({ length: racers }, async () => {
    try {
      print(await start())
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error
      print({ code: error.code })
    }
  }),
)
await tl.close()
