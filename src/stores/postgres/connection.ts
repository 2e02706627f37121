import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client, ClientBase, ClientConfig, Pool, PoolClient, types } from 'pg'
import { StorageError, ThroughlineError } from '../../domain/errors.ts'
import { binaryArray, type ElementType } from './arrays.ts'
import { migrationSettings, settingsOf, type Timeouts } from './connection-url.ts'
import { clientPool, READ_ONLY } from './driver/client-pool.ts'
import { type Parsers, PreparedStatement } from './driver/prepared-statement.ts'
import { onReadOnly } from './driver/server-status.ts'
import { isoTime } from './times.ts'

export interface Statement {
  /** Name of the prepared statement. */
  name: string
  text: string
  /** Element types of the parameters if all are arrays, which are then sent in binary format. */
  arrays?: readonly ElementType[]
}

/** Runs one statement on a connection. */
export type Query = <Row extends object>(statement: Statement, values: unknown[]) => Promise<Row[]>

/** A connection to listen on. */
export interface Listener extends Client {
  /** Closes it without waiting for the server. */
  hangUp(): void
}

/** Milliseconds that a server has to answer a close. */
const CLOSE_TIMEOUT = 500

/** The connection pool, with retries. */
export interface Connections {
  /** Runs one statement. `retry`: send it again if the connection is lost, because it is idempotent. */
  query<Row extends object>(statement: Statement, values: unknown[], options: { retry: boolean }): Promise<Row[]>
  /** Runs statements in one transaction, without retries. `script` takes several statements at once. */
  transaction<T>(work: (query: Query, script: (sql: string) => Promise<void>) => Promise<T>): Promise<T>
  /** Runs one statement without parameters, outside a transaction and without retries. */
  script(sql: string): Promise<void>
  /** A connection outside the pool, to listen on. */
  dedicated(): Promise<Listener>
  /** Calls that wait for a connection. */
  waiting(): number
  /** Behind a transaction pooler: no named statements, no listening. */
  readonly pooled: boolean
  close(): Promise<void>
}

/** `forMigration`: without limits for statements, and whatever `pool` says with as many connections as one needs. */
export async function connect(url: string, { forMigration = false } = {}): Promise<Connections> {
  const { default: pg } = await loadDriver()
  const { hosts, pooled, max, timeouts } = forMigration ? migrationSettings(url) : settingsOf(url)
  const config = {
    connectionTimeoutMillis: timeouts.connection,
    keepAlive: true,
    // a pooler refuses unknown settings
    ...(!pooled && { application_name: 'throughline', ...limitOf(timeouts) }),
  }
  // a server that hangs does not answer a close, so the sockets can be destroyed
  const sockets = new Set<Socket>()
  const stream = () => {
    const socket = new Socket()
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    return socket
  }
  /** Number of the host to connect to: the next one after a host that is down or takes no writes. */
  let current = 0
  const here = () => ({ ...config, connectionString: hosts[current] ?? hosts[0] })
  class HostClient extends pg.Client {
    constructor(options?: ClientConfig) {
      super({ ...options, ...here() })
      // a pooler reports the settings of a server that it may have left since
      if (!pooled) onReadOnly(this, () => discard(this))
    }
  }
  const pool: Pool = new pg.Pool({ ...config, stream, max, Client: HostClient })
  // an idle connection that breaks is replaced when it is needed
  pool.on('error', () => {})
  const clients = clientPool(pool, timeouts.query, withCode)
  const listening = new Set<Socket>()
  const parsers = parsersOf(pg.types)

  /** Gives up all connections to the server of this one: it takes no writes any more, or hangs. */
  function discard(client: ClientBase): void {
    if (!clients.discard(client)) return
    for (const socket of listening) socket.destroy()
  }

  function run<Row extends object>(
    client: PoolClient,
    { name, text, arrays }: Statement,
    given: unknown[],
  ): Promise<{ rows: Row[] }> {
    const values = arrays === undefined ? given : given.map((list, i) => encodeArray(arrays[i], list))
    return clients.send(client, new PreparedStatement<Row>(pooled ? '' : name, text, values, parsers))
  }

  /** Runs statements without parameters. */
  async function script(client: PoolClient, text: string): Promise<void> {
    await clients.send(client, { text })
  }

  async function acquire(owner?: unknown): Promise<PoolClient> {
    const deadline = performance.now() + timeouts.reconnect
    for (let attempt = 0; ; attempt++) {
      const tried = current
      try {
        return await clients.take(owner)
      } catch (error) {
        if (!isUnreachable(error, hosts.length) || performance.now() > deadline) throw storageError(error)
        // unless another call went on to the next host already
        if (current === tried) current = (tried + 1) % hosts.length
        await backoff(attempt)
      }
    }
  }

  async function withClient<T>(work: (client: PoolClient) => Promise<T>, owner?: unknown): Promise<T> {
    const client = clients.takeIdle() ?? (await acquire(owner))
    try {
      const result = await work(client)
      clients.release(client, false)
      return result
    } catch (error) {
      if (refusesWrites(error) || isTimeout(error)) discard(client)
      // a connection in an unknown state is closed
      clients.release(client, isLost(error) || codeOf(error) === '')
      throw error
    }
  }

  return {
    pooled,
    waiting: clients.waiting,

    async query<Row extends object>(statement: Statement, values: unknown[], { retry }: { retry: boolean }) {
      let deadline: number | undefined
      for (let attempt = 0; ; attempt++) {
        try {
          return (await withClient((client) => run<Row>(client, statement, values), values[0])).rows
        } catch (error) {
          if (refusesWrites(error)) {
            // nothing was written, so every statement may be sent again
            deadline ??= performance.now() + timeouts.reconnect
            if (performance.now() > deadline) throw error
            await backoff(attempt)
            continue
          }
          const repeat = isSerialization(error) || (retry && isLost(error))
          // at most one retry after a timeout, because each takes long
          if (isTimeout(error)) attempt += 4
          if (!repeat || attempt >= 5) throw error
        }
      }
    },

    async transaction(work) {
      return await withClient(async (client) => {
        await script(client, 'begin')
        try {
          const query: Query = async (statement, values) => (await run<never>(client, statement, values)).rows
          const result = await work(query, (sql) => script(client, sql))
          await script(client, 'commit')
          return result
        } catch (error) {
          if (!isLost(error)) await script(client, 'rollback')
          throw error
        }
      })
    },

    script: (sql) => withClient((client) => script(client, sql)),

    async dedicated() {
      const socket = stream()
      const client = new pg.Client({ ...here(), stream: () => socket, query_timeout: timeouts.query })
      client.on('error', () => {})
      await client.connect()
      listening.add(socket.once('close', () => listening.delete(socket)))
      return Object.assign(client, { hangUp: () => void socket.destroy() })
    },

    async close() {
      await clients.close()
      const goodbyes = [...sockets].map((socket) => once(socket, 'close'))
      await Promise.race([Promise.all(goodbyes), delay(CLOSE_TIMEOUT, undefined, { ref: false })])
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The limit of a statement, which may also be set for the role. */
function limitOf({ statement }: Timeouts): { statement_timeout: number } | { options: string } {
  return statement === 0 ? { options: '-c statement_timeout=0' } : { statement_timeout: statement }
}

/** Waits before the next attempt: not all callers at the same moment, and longer each time. */
async function backoff(attempt: number): Promise<void> {
  await delay(Math.random() * Math.min(50 * 2 ** attempt, 1000))
}

function encodeArray(type: ElementType | undefined, list: unknown): unknown {
  return type !== undefined && Array.isArray(list) ? binaryArray(type, list) : list
}

const TIMESTAMPTZ = 1184

/** The driver's parsers, except that timestamps become ISO text. */
function parsersOf({ getTypeParser }: typeof types): Parsers {
  const date = getTypeParser(TIMESTAMPTZ) as (text: string) => unknown
  const timestamp = (text: string) => isoTime(text, date)
  return (type, format) => (type === TIMESTAMPTZ ? timestamp : getTypeParser(type, format))
}

/** Loads the optional driver. */
export async function loadDriver() {
  try {
    return await import('pg')
  } catch (cause) {
    throw new StorageError('postgres', "the driver 'pg' is not installed; run npm install pg", { cause })
  }
}

/** Converts an error of the driver. */
export function storageError(error: unknown, doing?: string): ThroughlineError {
  if (error instanceof ThroughlineError) return error
  const message = error instanceof Error ? error.message || codeOf(error) : String(error)
  const code = codeOf(error)
  const parts = [doing, `${message}${code && ` (${code})`}${HINTS[code] ?? ''}`]
  return new StorageError('postgres', parts.filter(Boolean).join(': '), { cause: error })
}

/** What to do if the server takes no writes. */
export const READ_ONLY_HINT = '; connect to the primary: point the URL at it, or name all hosts: postgres://a,b/db'

const HINTS: Record<string, string> = {
  ECONNREFUSED: '; is the server running, and the address right?',
  '08P01': '; behind a pooler, add pooled=true to the URL',
  [READ_ONLY]: READ_ONLY_HINT,
  '28P01': '; check user and password',
  '28000': '; check user and password',
  '3D000': '; create the database first',
  '55P03': '; another transaction holds the lock: end it (see pg_stat_activity), then try again',
  '42501': '; make the role a member of throughline_app',
  '53300': '; the server takes no more connections: use a pooler, or a smaller pool (?pool=N)',
}

/** Socket errors, except a wrong host name or certificate. */
const SOCKET = /^E(?!NOTFOUND|RR_)[A-Z]/

/** No connection was made, so nothing was sent. One of several host names may be unknown for a while. */
function isUnreachable(error: unknown, hosts: number): boolean {
  const code = codeOf(error)
  return code === '53300' || refusesWrites(error) || isLost(error) || (code === 'ENOTFOUND' && hosts > 1)
}

/** The server takes no writes: a standby, or a former primary after a failover. Nothing was written. */
function refusesWrites(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

/**
 * Texts of a lost connection that the driver throws without a code; the same in pg 8.16.0 and 8.23.1, pg-pool 3.14.0.
 * - terminat: "Connection terminated", "… unexpectedly" (pg), "… due to connection timeout" (pg-pool)
 * - timeout: "timeout expired", "Query read timeout" (pg), "timeout exceeded when trying to connect" (pg-pool)
 * - not queryable: "Client was closed and …", "Client has encountered a connection error and …" (pg)
 */
const CODELESS = /terminat|timeout|not queryable/i

/** The connection was lost or timed out: the statement may or may not have run. */
export function isLost(error: unknown): boolean {
  if (error instanceof ThroughlineError) return false
  const code = codeOf(error)
  if (['57P01', '57P02', '57P03'].includes(code) || code.startsWith('08') || SOCKET.test(code)) return true
  return code === '' && error instanceof Error && CODELESS.test(error.message)
}

/** The server did not answer in time. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'ETIMEDOUT'
}

/** Adds a code to the driver errors that have none, so that other callers need not match texts. */
function withCode(error: Error): Error {
  if (codeOf(error) !== '' || !isLost(error)) return error
  const code = /timeout/i.test(error.message) ? 'ETIMEDOUT' : '08006'
  return Object.assign(new Error(error.message, { cause: error }), { code })
}

/** The server rolled the transaction back and asks for a retry. */
export function isSerialization(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error))
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
