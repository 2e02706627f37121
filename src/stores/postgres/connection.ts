import { setTimeout as delay } from 'node:timers/promises'
import type { Client, Pool, PoolClient, QueryResult } from 'pg'
import { StorageError, ThroughlineError } from '../../domain/errors.ts'

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
}

/** Runs one statement on a connection. */
export type Query = <Row extends object>(statement: Statement, values: unknown[]) => Promise<Row[]>

/** The pool with what every statement needs around it. */
export interface Connections {
  /** Runs one statement. `again`: it may be sent again when the connection is lost, because it does no harm twice. */
  query<Row extends object>(statement: Statement, values: unknown[], options: { again: boolean }): Promise<Row[]>
  /** Runs several statements in one transaction; nothing is sent again. `script` takes many statements at once. */
  transaction<T>(work: (query: Query, script: (sql: string) => Promise<void>) => Promise<T>): Promise<T>
  /** A connection outside the pool, to listen on. */
  dedicated(): Promise<Client>
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
    query_timeout: timeouts.query,
    keepAlive: true,
    // a pooler refuses settings it does not know
    ...(!pooled && { statement_timeout: timeouts.statement, application_name: 'throughline' }),
  }
  const pool: Pool = new pg.Pool({ ...config, max })
  // an idle connection that breaks is replaced when it is needed
  pool.on('error', () => {})

  function run<Row extends object>(
    client: PoolClient,
    { name, text }: Statement,
    values: unknown[],
  ): Promise<QueryResult<Row>> {
    return client.query<Row>(pooled ? { text, values } : { name, text, values })
  }

  async function acquire(): Promise<PoolClient> {
    const deadline = performance.now() + timeouts.reconnect
    for (let attempt = 0; ; attempt++) {
      try {
        return await pool.connect()
      } catch (error) {
        if (!isUnreachable(error) || performance.now() > deadline) throw storageError(error)
        await delay(Math.random() * Math.min(50 * 2 ** attempt, 1000))
      }
    }
  }

  async function once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await acquire()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      // a connection in an unknown state is not used again
      client.release(isLost(error) || codeOf(error) === '')
      throw error
    }
  }

  return {
    pooled,

    async query<Row extends object>(statement: Statement, values: unknown[], { again }: { again: boolean }) {
      for (let attempt = 0; ; attempt++) {
        try {
          return (await once((client) => run<Row>(client, statement, values))).rows
        } catch (error) {
          const repeat = isSerialization(error) || (again && isLost(error))
          if (!repeat || attempt === 5) throw error
        }
      }
    },

    async transaction(work) {
      return await once(async (client) => {
        await client.query('begin')
        try {
          const query: Query = async (statement, values) => (await run<never>(client, statement, values)).rows
          const script = async (sql: string) => void (await client.query(sql))
          const result = await work(query, script)
          await client.query('commit')
          return result
        } catch (error) {
          if (!isLost(error)) await client.query('rollback')
          throw error
        }
      })
    },

    async dedicated() {
      const client = new pg.Client(config)
      await client.connect()
      return client
    },

    async close() {
      await pool.end()
    },
  }
}

/** The driver is the caller's to install: who stays with SQLite does without. */
async function loadDriver() {
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
function settingsOf(url: string): Settings {
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
  '28P01': '; check user and password',
  '28000': '; check user and password',
  '3D000': '; create the database first',
  '42501': '; make the role a member of throughline_app',
  '53300': '; the server takes no more connections: use a pooler, or a smaller pool (?pool=N)',
}

/** No connection could be had, so nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', '57P03', '57P01', '53300'].includes(codeOf(error)) ||
    isLost(error)
  )
}

/** The connection went away or the server did not answer: what was sent may or may not have been done. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (['57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code) || code.startsWith('08'))
    return true
  return code === '' && error instanceof Error && /terminat|timeout|closed|not queryable|ended/i.test(error.message)
}

/** The server undid the transaction and asks to try again. */
function isSerialization(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error))
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
