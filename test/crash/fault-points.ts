import Database from 'better-sqlite3'
import pg from 'pg'

/** Counts the points at which a process may die, from its start on. */
export interface FaultPoints {
  start(): void
  /** Returns the number of points so far. */
  stop(): number
}

type Call = (this: unknown, ...args: never[]) => unknown

/**
 * Puts fault points before and after every statement of this process, and at its later completion if it is
 * asynchronous. The process dies by SIGKILL at the n-th point, or not at all if there are fewer.
 */
export function faultPoints(at: number): FaultPoints {
  let points = 0
  let counting = false

  function point(): void {
    if (!counting || ++points !== at) return
    process.kill(process.pid, 'SIGKILL')
    // the signal ends the process while it blocks here
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }

  function faulty(call: Call): Call {
    return function (this: unknown, ...args) {
      point()
      const told: unknown = args.at(-1)
      const answered = (...answer: unknown[]) => {
        point()
        ;(told as (...given: unknown[]) => void)(...answer)
      }
      const result = call.apply(this, typeof told === 'function' ? [...args.slice(0, -1), answered as never] : args)
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

  return {
    start() {
      counting = true
    },
    stop() {
      counting = false
      return points
    },
  }
}
