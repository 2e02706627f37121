import { writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { main } from '../../src/cli/main.ts'

/** The child's work: a command on a SQLite store; it dies at the n-th statement. */
export interface ImportJob {
  args: readonly string[]
  at?: number
}

const { args, at } = JSON.parse(process.argv[2] ?? '') as ImportJob

let statements = 0

type Call = (this: unknown, ...args: never[]) => unknown

/** The same call, at which the process may die. */
function mortal(call: Call): Call {
  return function (this: unknown, ...given) {
    if (++statements === at) {
      process.kill(process.pid, 'SIGKILL')
      // the signal ends the process while it blocks here
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
    return call.apply(this, given)
  }
}

const { prepare } = Database.prototype
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql)
  const members = statement as unknown as Record<string, Call>
  for (const name of ['run', 'get', 'all']) members[name] = mortal(members[name] as Call)
  return statement
} as typeof prepare

// behind the report, how many statements it took
process.once('exit', () => writeSync(1, `${JSON.stringify({ statements })}\n`))
await main(args)
