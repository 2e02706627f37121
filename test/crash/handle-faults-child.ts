import { type OpenOptions, open } from '../../src/index.ts'
import { faultPoints } from './fault-points.ts'
import { CALLS, KEY } from './handle-calls.ts'

/** The child's work: one call; it dies at the n-th fault point. */
export interface Fault {
  target: OpenOptions
  conversation: string
  name: string
  at: number
}

const { target, conversation, name, at } = JSON.parse(process.argv[2] ?? '') as Fault
const faults = faultPoints(at)
const tl = await open(target)
faults.start()
await CALLS[name]?.call(tl, conversation, { idempotencyKey: KEY })
process.stdout.write(`${JSON.stringify({ points: faults.stop() })}\n`)
await tl.close()
