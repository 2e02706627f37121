import Database from 'better-sqlite3'
import pg from 'pg'
import { type OpenOptions, open } from '../../src/index.ts'
import { KEY, OPERATIONS } from './life-operations.ts'

/** What the child does: one operation, in which it dies at the n-th fault point; at none if there are fewer. */
export interface Fault {
  target: OpenOptions
  sessionId: string
  operation: string
  at: number
}

const { target, sessionId, operation, at } = JSON.parse(process.argv[2] ?? '') as Fault

let points = 0
let counting = false

/** A fault point: a moment at which the process may die. */
function point(): void {
  if (!counting || ++points !== at) return
  process.kill(process.pid, 'SIGKILL')
  // the signal ends the process while it waits here
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

type Call = (this: unknown, ...args: never[]) => unknown

/** The same call with a fault point before it, after it, and where it gives a promise when that is settled. */
function faulty(call: Call): Call {
  return function (this: unknown, ...args) {
    point()
    const result = call.apply(this, args)
    point()
    return result instanceof Promise ? result.finally(point) : result
  }
}

function patch(owner: object, methods: readonly string[]): void {
  const members = owner as Record<string, Call>
  for (const name of methods) members[name] = faulty(members[name] as Call)
}

const { prepare } = Database.prototype
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql)
  patch(statement, ['run', 'get', 'all', 'iterate'])
  return statement
} as typeof prepare
patch(Database.prototype, ['exec'])
patch(pg.Client.prototype, ['query'])

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
counting = true
await call(session, { idempotencyKey: KEY })
counting = false
process.stdout.write(`${JSON.stringify({ points })}\n`)
await tl.close()
