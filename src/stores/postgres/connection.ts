import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client, Pool, PoolClient, types } from 'pg'
import { StorageError, ThroughlineError } from '../../domain/errors.ts'
import { binaryArray, type ElementType } from './arrays.ts'
import { checkouts } from './checkouts.ts'
import { type Parsers, Prepared } from './prepared.ts'
import { isoTime } from './times.ts'

/** Bounds of every call, in milliseconds. */
interface Timeouts {
  /** To connect once. */
  connection: number
  /** How long a call goes on trying while the server cannot be reached. */
  reconnect: number
  /** For one statement, on the server and, should the server hang, on this side. */
  statement: number
  query: number
}

const TIMEOUTS: Timeouts = { connection: 5000, reconnect: 15_000, statement: 30_000, query: 35_000 }

export interface Statement {
  /** Name under which the server keeps the plan. */
  name: string
  text: string
  /** Types of the elements of its parameters, all of which are arrays: those are sent in binary form. */
  arrays?: readonly ElementType[]
}

/** Runs one statement on a connection. */
export type Query = <Row extends object>(statement: Statement, values: unknown[]) => Promise<Row[]>

/** A connection to listen on. */
export interface Listener extends Client {
  /** Ends it without waiting for the server. */
  hangUp(): void
}

/** How long a server has to answer a goodbye, in milliseconds. */
const GOODBYE = 500

/** The pool with what every statement needs around it. */
export interface Connections {
  /** Runs one statement. `again`: it may be sent again when the connection is lost, because it does no harm twice. */
  query<Row extends object>(statement: Statement, values: unknown[], options: { again: boolean }): Promise<Row[]>
  /** Runs several statements in one transaction; nothing is sent again. `script` takes many statements at once. */
  transaction<T>(work: (query: Query, script: (sql: string) => Promise<void>) => Promise<T>): Promise<T>
  /** A connection outside the pool, to listen on. */
  dedicated(): Promise<Listener>
  /** Behind a transaction pooler: no named statements, no listening. */
  readonly pooled: boolean
  close(): Promise<void>
}

export async function connect(url: string): Promise<Connections> {
  const { default: pg } = await loadDriver()
  const { connectionString, pooled, max, timeouts } = settingsOf(url)
  const config = {
    connectionString,
    connectionTimeoutMillis: timeouts.connection,
    keepAlive: true,
    // a pooler refuses settings it does not know
    ...(!pooled && { statement_timeout: timeouts.statement, application_name: 'throughline' }),
  }
  // a server that hangs does not answer a goodbye, so sockets are at hand to be closed without one
  const sockets = new Set<Socket>()
  const stream = () => {
    const socket = new Socket()
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    return socket
  }
  const pool: Pool = new pg.Pool({ ...config, stream, max })
  // an idle connection that breaks is replaced when it is needed
  pool.on('error', () => {})
  const clients = checkouts(pool, timeouts.query, coded)
  const parsers = parsersOf(pg.types)

  function run<Row extends object>(
    client: PoolClient,
    { name, text, arrays }: Statement,
    given: unknown[],
  ): Promise<{ rows: Row[] }> {
    const values = arrays === undefined ? given : given.map((list, i) => binary(arrays[i], list))
    return clients.ask(client, new Prepared<Row>(pooled ? '' : name, text, values, parsers))
  }

  /** Runs statements that have no values. */
  async function script(client: PoolClient, text: string): Promise<void> {
    await clients.ask(client, { text })
  }

  async function acquire(): Promise<PoolClient> {
    const deadline = performance.now() + timeouts.reconnect
    for (let attempt = 0; ; attempt++) {
      try {
        return await clients.take()
      } catch (error) {
        if (!isUnreachable(error) || performance.now() > deadline) throw storageError(error)
        await delay(Math.random() * Math.min(50 * 2 ** attempt, 1000))
      }
    }
  }

  async function using<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = clients.idle() ?? (await acquire())
    try {
      const result = await work(client)
      clients.giveBack(client, false)
      return result
    } catch (error) {
      // a connection in an unknown state is not used again
      clients.giveBack(client, isLost(error) || codeOf(error) === '')
      throw error
    }
  }

  return {
    pooled,

    async query<Row extends object>(statement: Statement, values: unknown[], { again }: { again: boolean }) {
      for (let attempt = 0; ; attempt++) {
        try {
          return (await using((client) => run<Row>(client, statement, values))).rows
        } catch (error) {
          const repeat = isSerialization(error) || (again && isLost(error))
          // after a timeout once at most: each takes long
          if (isTimeout(error)) attempt += 4
          if (!repeat || attempt >= 5) throw error
        }
      }
    },

    async transaction(work) {
      return await using(async (client) => {
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

    async dedicated() {
      const socket = stream()
      const client = new pg.Client({ ...config, stream: () => socket, query_timeout: timeouts.query })
      client.on('error', () => {})
      await client.connect()
      return Object.assign(client, { hangUp: () => void socket.destroy() })
    },

    async close() {
      await clients.close()
      const goodbyes = [...sockets].map((socket) => once(socket, 'close'))
      await Promise.race([Promise.all(goodbyes), delay(GOODBYE, undefined, { ref: false })])
      for (const socket of sockets) socket.destroy()
    },
  }
}

function binary(type: ElementType | undefined, list: unknown): unknown {
  return type !== undefined && Array.isArray(list) ? binaryArray(type, list) : list
}

const TIMESTAMPTZ = 1184

/** How values are read: all as the driver does, but moments as texts. */
function parsersOf({ getTypeParser }: typeof types): Parsers {
  const date = getTypeParser(TIMESTAMPTZ) as (text: string) => unknown
  const moment = (text: string) => isoTime(text, date)
  return (type, format) => (type === TIMESTAMPTZ ? moment : getTypeParser(type, format))
}

/** The driver is the caller's to install: who stays with SQLite does without. */
export async function loadDriver() {
  try {
    return await import('pg')
  } catch (cause) {
    throw new StorageError('postgres', "the driver 'pg' is not installed; run npm install pg", { cause })
  }
}

interface Settings {
  connectionString: string
  pooled: boolean
  max: number
  timeouts: Timeouts
}

/**
 * Takes our own settings out of the URL: `pooled=true`; `pool=N` for the number of connections; `timeout=MS` for the
 * longest time of a statement on the server, by which the other bounds go: 1 s more on this side, at most 5 s to connect,
 * and twice as long to try again while the server cannot be reached.
 */
export function settingsOf(url: string): Settings {
  const [base = '', search = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(search)
  const pooled = parameters.get('pooled') === 'true'
  const max = Number(parameters.get('pool') ?? 10)
  const timeout = Number(parameters.get('timeout') ?? 0)
  for (const name of ['pooled', 'pool', 'timeout']) parameters.delete(name)
  const rest = parameters.toString()
  return {
    connectionString: rest === '' ? base : `${base}?${rest}`,
    pooled,
    max: Number.isInteger(max) && max > 0 ? max : 10,
    timeouts: Number.isInteger(timeout) && timeout > 0 ? timeoutsOf(timeout) : TIMEOUTS,
  }
}

function timeoutsOf(ms: number): Timeouts {
  return { connection: Math.min(ms, 5000), reconnect: 2 * ms, statement: ms, query: ms + 1000 }
}

/** The error a caller gets for one of the driver's. */
export function storageError(error: unknown, doing?: string): ThroughlineError {
  if (error instanceof ThroughlineError) return error
  const message = error instanceof Error ? error.message || codeOf(error) : String(error)
  const code = codeOf(error)
  const parts = [doing, `${message}${code && ` (${code})`}${HINTS[code] ?? ''}`]
  return new StorageError('postgres', parts.filter(Boolean).join(': '), { cause: error })
}

const HINTS: Record<string, string> = {
  ECONNREFUSED: '; is the server running, and the address right?',
  '08P01': '; behind a pooler, add pooled=true to the URL',
  '28P01': '; check user and password',
  '28000': '; check user and password',
  '3D000': '; create the database first',
  '42501': '; make the role a member of throughline_app',
  '53300': '; the server takes no more connections: use a pooler, or a smaller pool (?pool=N)',
}

/** Codes of sockets that broke or hang, not those of a name or a certificate that is wrong. */
const SOCKET = /^E(?!NOTFOUND|RR_)[A-Z]/

/** No connection could be had, so nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return codeOf(error) === '53300' || isLost(error)
}

/** The connection went away or the server did not answer: what was sent may or may not have been done. */
export function isLost(error: unknown): boolean {
  if (error instanceof ThroughlineError) return false
  const code = codeOf(error)
  if (['57P01', '57P02', '57P03'].includes(code) || code.startsWith('08') || SOCKET.test(code)) return true
  return code === '' && error instanceof Error && /terminat|timeout|closed|not queryable|ended/i.test(error.message)
}

/** The server, or what is between, did not answer in time. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'ETIMEDOUT'
}

/** The driver gives no code to some of its errors: they get the one that fits. */
function coded(error: Error): Error {
  if (codeOf(error) !== '' || !isLost(error)) return error
  const code = /timeout/i.test(error.message) ? 'ETIMEDOUT' : '08006'
  return Object.assign(new Error(error.message, { cause: error }), { code })
}

/** The server undid the transaction and asks to try again. */
export function isSerialization(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error))
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
