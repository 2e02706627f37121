import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { StorageError, ThroughlineError } from '../domain/errors.ts'

/** Timeouts to connect and to close. */
const CONNECT_TIMEOUT_MS = 5000
const CLOSE_TIMEOUT_MS = 500

/** One connection that runs statements one after the other. */
export interface Connection {
  run<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export async function connect(url: string): Promise<Connection> {
  const { default: pg } = await loadDriver()
  const socket = new Socket()
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: () => socket,
  }
  const client = await withStorageErrors(async () => new pg.Client(settings))
  // the running query fails too and reports the error
  client.on('error', () => {})
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await Promise.race([client.end().catch(() => {}), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    socket.destroy()
  }

  try {
    await withStorageErrors(() => client.connect())
  } catch (error) {
    socket.destroy()
    throw error
  }
  return {
    run: <Row extends object>(sql: string, values?: unknown[]) =>
      withStorageErrors(async () => [await client.query<Row>(sql, values)].flat().at(-1)?.rows ?? []),
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** An optional peer dependency, needed only for Postgres. */
async function loadDriver() {
  try {
    return await import('pg')
  } catch (cause) {
    throw new StorageError('postgres', "the driver 'pg' is not installed; run npm install pg", { cause })
  }
}

/** Converts driver errors to `StorageError`. */
async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ThroughlineError) throw error
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
    const message = (error instanceof Error ? error.message : String(error)) || code
    throw new StorageError('postgres', `${message}${code && ` (${code})`}${HINTS[code] ?? ''}`, { cause: error })
  }
}

const HINTS: Record<string, string> = {
  ECONNREFUSED: '; check that the server is running and the address is right',
  '28P01': '; check user and password',
  '28000': '; check user and password',
  '3D000': '; check the database name',
  '42501': '; the role needs permission to read the whole table',
}
