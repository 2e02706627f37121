import type { ClientBase, Pool, PoolClient } from 'pg'
import { FairLines } from '../../../domain/fair-lines.ts'
import type { PreparedStatement } from './prepared-statement.ts'

/** After this many unused milliseconds a connection is closed. */
const IDLE_TIMEOUT = 15_000

/** Code of a server that takes no writes. */
export const READ_ONLY = '25006'

/** Milliseconds between checks for idle connections and late statements; less if the timeout is short. */
const CHECK_INTERVAL = 1000

/** A call that waits for a connection; without `resolve` it gave up. */
interface Waiter {
  resolve: (() => void) | undefined
  timer: NodeJS.Timeout | undefined
}

/** Connections that stay checked out of the pool from one statement to the next. */
export interface ClientPool {
  /** A connection for this caller until it is released; `undefined` if {@link take} would have to wait. */
  takeIdle(): PoolClient | undefined
  /**
   * Waits for a connection; owners take turns. Fails with {@link READ_ONLY} if the server said at the start of a
   * connection that it takes no writes.
   *
   * @param owner whose data the call is about, such as a partition
   */
  take(owner?: unknown): Promise<PoolClient>
  /** Calls that wait for a connection. */
  waiting(): number
  /**
   * Closes all connections, those in use when they are released, because the server of this one is of no use any more.
   * @returns whether this is news
   */
  discard(client: ClientBase): boolean
  /** `isBroken`: its state is unknown, so it is closed. */
  release(client: PoolClient, isBroken: boolean): void
  /** Sends a statement. On a timeout the connection is closed. */
  send<Row extends object>(
    client: PoolClient,
    query: PreparedStatement<Row> | { text: string },
  ): Promise<{ rows: Row[] }>
  close(): Promise<void>
}

/**
 * Keeps connections checked out between statements. The driver's pool sets and clears two timers per checkout and one
 * per statement, a fifth of the time of reading one row; here one timer serves all.
 * @param toError maps an error of the driver to the one that callers get
 */
export function clientPool(pool: Pool, timeoutMs: number, toError: (error: Error) => Error): ClientPool {
  const idle: { client: PoolClient; since: number }[] = []
  const sentAt = new Map<PoolClient, number>()
  const timedOut = new WeakSet<PoolClient>()
  const connected = new Set<ClientBase>()
  const discarded = new WeakSet<ClientBase>()
  let now = performance.now()
  const { max, connectionTimeoutMillis: patience = 0 } = pool.options
  /** Calls that have a connection or are getting one. */
  let busy = 0
  const waiting = new FairLines<Waiter>()
  let waiters = 0

  /** Waits until fewer than `max` calls are busy. First come, first served, one caller held up all the others. */
  function enter(owner: unknown): Promise<void> | undefined {
    if (busy < max) {
      busy++
      return undefined
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, timer: undefined }
      if (patience > 0) {
        waiter.timer = setTimeout(() => {
          waiter.timer = undefined
          waiter.resolve = undefined
          waiters--
          reject(Object.assign(new Error('timeout: every connection is in use'), { code: 'ETIMEDOUT' }))
        }, patience).unref()
      }
      waiters++
      waiting.add(waiter, [owner])
    })
  }

  function leave(): void {
    for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
      // it gave up
      if (next.resolve === undefined) continue
      waiters--
      clearTimeout(next.timer)
      next.resolve()
      return
    }
    busy--
  }

  const timer = setInterval(
    () => {
      now = performance.now()
      for (const [client, since] of sentAt) {
        if (now - since < timeoutMs) continue
        timedOut.add(client)
        destroySocket(client)
      }
      // the most recently used is at the end
      while (idle[0] !== undefined && now - idle[0].since > IDLE_TIMEOUT) idle.shift()?.client.release(true)
    },
    Math.min(CHECK_INTERVAL, timeoutMs / 4),
  ).unref()

  // an idle connection that breaks is not used again
  pool.on('connect', (client) => {
    connected.add(client)
    client.on('error', () => {
      const index = idle.findIndex((one) => one.client === client)
      if (index >= 0) idle.splice(index, 1)[0]?.client.release(true)
    })
  })
  pool.on('remove', (client) => connected.delete(client))

  return {
    takeIdle() {
      if (busy >= max) return undefined
      const client = idle.pop()?.client
      if (client !== undefined) busy++
      return client
    },

    async take(owner?: unknown) {
      await enter(owner)
      try {
        const client = idle.pop()?.client ?? (await pool.connect())
        if (!discarded.has(client)) return client
        client.release(true)
        throw Object.assign(new Error('the server takes no writes'), { code: READ_ONLY })
      } catch (error) {
        leave()
        throw error
      }
    },

    waiting: () => waiters,

    discard(client) {
      if (discarded.has(client)) return false
      discarded.add(client)
      // while it connects it says nothing about the others, which may be to another server
      if (!connected.has(client)) return false
      for (const one of connected) discarded.add(one)
      for (const one of idle.splice(0)) one.client.release(true)
      return true
    },

    release(client, broken) {
      const isBroken = broken || discarded.has(client)
      if (isBroken || pool.ending) client.release(isBroken)
      else idle.push({ client, since: now })
      leave()
    },

    send(client, query) {
      sentAt.set(client, performance.now())
      // with a callback: each driver promise retains the one before it until a full collection, a tenth of a call
      return new Promise((resolve, reject) => {
        client.query(query, (error: Error | undefined, result: { rows: never[] }) => {
          sentAt.delete(client)
          if (!error) resolve(result)
          else reject(timedOut.has(client) ? timeoutError(timeoutMs, error) : toError(error))
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

function timeoutError(ms: number, cause: Error): Error {
  return Object.assign(new Error(`timeout: the server did not answer within ${ms} ms`, { cause }), {
    code: 'ETIMEDOUT',
  })
}

/** Reads a private field of the driver, because a server that hangs does not answer a regular close. */
function destroySocket(client: PoolClient): void {
  ;(client as PoolClient & { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
