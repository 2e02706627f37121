import { type OpenOptions, open } from '../../src/index.ts'
import { faultPoints } from './fault-points.ts'
import { KEY, OPERATIONS } from './lifecycle-operations.ts'

/** The child's work: one operation; it dies at the n-th fault point. */
export interface Fault {
  target: OpenOptions
  sessionId: string
  operation: string
  at: number
}

const { target, sessionId, operation, at } = JSON.parse(process.argv[2] ?? '') as Fault
const faults = faultPoints(at)
const tl = await open(target)
const session = await tl.sessions.get(sessionId)
const { call, step } =
  OPERATIONS[operation] ??
  (() => {
    throw new Error(`no operation ${operation}`)
  })()
if (step !== undefined) {
  session.observe.fileWrite({ path: 'src/parser.ts', content: 'export const parse = JSON.parse' })
  session.observe.note('Decision: by hand')
}
faults.start()
await call(session, { idempotencyKey: KEY })
process.stdout.write(`${JSON.stringify({ points: faults.stop() })}\n`)
await tl.close()
