import type { Pool, PoolClient } from 'pg'
import type { Prepared } from './prepared.ts'

/** Connections that nobody has used for so long go back to the pool, which closes them in its own time, in milliseconds. */
const IDLE = 5000

/** How often is looked for those, and for statements that take too long, in milliseconds; oftener where time is short. */
const LOOK = 1000

/** Connections that stay checked out of the pool from one statement to the next. */
export interface Checkouts {
  /** A connection for the caller alone, until it is given back; nothing where none is at hand, and {@link take} must wait for one. */
  idle(): PoolClient | undefined
  take(): Promise<PoolClient>
  /** `broken`: it is in a state that nobody knows, and is closed. */
  giveBack(client: PoolClient, broken: boolean): void
  /** Asks over a connection. An answer that does not come in time is given up, and the connection with it. */
  ask<Row extends object>(client: PoolClient, query: Prepared<Row> | { text: string }): Promise<{ rows: Row[] }>
  close(): Promise<void>
}

/**
 * The pool sets and clears two timers for each checkout and one for each statement, which took a fifth of the time of reading one row. Here
 * one timer looks after all of them.
 * @param toldAs the error that a caller gets for one of the driver's
 */
export function checkouts(pool: Pool, longestAnswer: number, toldAs: (error: Error) => Error): Checkouts {
  const idle: { client: PoolClient; since: number }[] = []
  const asked = new Map<PoolClient, number>()
  const late = new WeakSet<PoolClient>()
  let now = performance.now()

  const timer = setInterval(
    () => {
      now = performance.now()
      for (const [client, since] of asked) {
        if (now - since < longestAnswer) continue
        late.add(client)
        hangUp(client)
      }
      // the one used last is at the end
      while (idle[0] !== undefined && now - idle[0].since > IDLE) idle.shift()?.client.release()
    },
    Math.min(LOOK, longestAnswer / 4),
  ).unref()

  // one that breaks while nobody uses it is not to be used again
  pool.on('connect', (client) =>
    client.on('error', () => {
      const place = idle.findIndex((one) => one.client === client)
      if (place >= 0) idle.splice(place, 1)[0]?.client.release(true)
    }),
  )

  return {
    idle: () => idle.pop()?.client,

    async take() {
      return idle.pop()?.client ?? (await pool.connect())
    },

    giveBack(client, broken) {
      if (broken || pool.ending || pool.waitingCount > 0) client.release(broken)
      else idle.push({ client, since: now })
    },

    ask(client, query) {
      asked.set(client, performance.now())
      // by callback: of the driver's own promises each holds on to the one before it till all garbage is collected, a tenth of the time of a call
      return new Promise((resolve, reject) => {
        client.query(query, (error: Error | undefined, result: { rows: never[] }) => {
          asked.delete(client)
          if (!error) resolve(result)
          else reject(late.has(client) ? timeout(longestAnswer, error) : toldAs(error))
        })
      })
    },

    async close() {
      for (const { client } of idle.splice(0)) client.release()
      await pool.end()
      clearInterval(timer)
    },
  }
}

function timeout(ms: number, cause: Error): Error {
  return Object.assign(new Error(`timeout: the server did not answer within ${ms} ms`, { cause }), {
    code: 'ETIMEDOUT',
  })
}

/** A server that hangs would not answer a goodbye. */
function hangUp(client: PoolClient): void {
  ;(client as PoolClient & { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
