import { type OpenOptions, open } from '../../src/index.ts'
import { faultPoints } from './fault-points.ts'
import { CLOCK, OPERATIONS, type Operation } from './memory-faults-operations.ts'

/** The child's work: one operation; it dies at the n-th fault point. */
export interface MemoryFault {
  target: OpenOptions
  operation: string
  at: number
}

const { target, operation, at } = JSON.parse(process.argv[2] ?? '') as MemoryFault
const faults = faultPoints(at)
const tl = await open({ ...target, clock: CLOCK, index: false })
const { call } = OPERATIONS[operation] as Operation
faults.start()
await call(tl)
process.stdout.write(`${JSON.stringify({ points: faults.stop() })}\n`)
await tl.close()
