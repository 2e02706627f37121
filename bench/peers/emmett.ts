import { randomUUID } from 'node:crypto'
import type { Event } from '@event-driven-io/emmett'
import type { Contender, Entrant } from '../contender.ts'
import type { Message } from '../load.ts'
import { endOf, poolOf } from './pool.ts'

type Said = Event<Message['type'] | 'session_created', { role?: string; content?: string; user?: string }>

/**
 * Emmett answers two appends at once with a conflict of versions, even when none was expected, and leaves the retry to
 * its caller. Its own setting, three times from 100 ms on, gives up under 32 writers; this one goes on, and waits less.
 */
const RETRY = { retries: 1000, minTimeout: 1, factor: 1 }

/**
 * How often a call is made again when SQLite says that it is busy, which happens even to one writer: Emmett opens a
 * connection for each call and does not wait for the last one to close.
 */
const BUSY = 3

/** What both of Emmett's stores have and is used here. */
interface Streams {
  appendToStream(stream: string, events: Said[]): Promise<{ nextExpectedStreamVersion: bigint }>
  readStream(
    stream: string,
    options?: { from: bigint },
  ): Promise<{ currentStreamVersion: bigint; events: readonly Said[] }>
}

/**
 * A stream for each session, appended to without an expected version. A stream begins with its first event, so a
 * session is made by one that says so. Emmett has no read of the last events: it is told from where. An application
 * knows that from its own last append, so the version is kept here as it would keep it, and a first read without one
 * reads all.
 */
async function contender(
  about: { name: string; caveat?: string },
  store: Streams,
  close: () => Promise<void>,
): Promise<Contender> {
  const { asyncRetry, isExpectedVersionConflictError } = await import('@event-driven-io/emmett')
  const versions = new Map<string, bigint>()

  async function retried<Result>(call: () => Promise<Result>): Promise<Result> {
    let busy = 0
    const again = (error: unknown) => isExpectedVersionConflictError(error) || (isSqliteError(error) && ++busy <= BUSY)
    return await asyncRetry(call, { ...RETRY, shouldRetryError: again })
  }

  async function add(sessionId: string, events: Said[]): Promise<void> {
    const { nextExpectedStreamVersion } = await retried(() => store.appendToStream(sessionId, events))
    versions.set(sessionId, nextExpectedStreamVersion)
  }

  async function since(sessionId: string, version: bigint | undefined): Promise<readonly Said[]> {
    const from = (version ?? 0n) - 59n
    const read = await retried(() => store.readStream(sessionId, from > 0n ? { from } : undefined))
    versions.set(sessionId, read.currentStreamVersion)
    return read.events
  }

  return {
    ...about,
    async create() {
      const id = `session-${randomUUID()}`
      await add(id, [{ type: 'session_created', data: { user: 'bench' } }])
      return id
    },
    append: (sessionId, message) => add(sessionId, [said(message)]),
    recent: async (sessionId) => (await since(sessionId, versions.get(sessionId))).slice(-60),
    contents: async (sessionId) => (await since(sessionId, undefined)).flatMap(({ data }) => data.content ?? []),
    async fill(sessionId, messages) {
      const events = messages.map(said)
      for (let at = 0; at < events.length; at += 500) await add(sessionId, events.slice(at, at + 500))
    },
    close,
  }
}

function said({ type, role, content }: Message): Said {
  return { type, data: { role, content } }
}

/** Any of them: when a transaction could not begin, Emmett tries to roll it back and throws the error of that. */
function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
}

const SQLITE = 'Emmett SQLite'
const POSTGRES = 'Emmett Postgres'

export const emmettSqlite: Entrant = {
  name: SQLITE,
  async open(target) {
    const { getSQLiteEventStore } = await import('@event-driven-io/emmett-sqlite')
    const store = getSQLiteEventStore({ fileName: target })
    await store.schema.migrate()
    const caveat = 'Opens and closes a connection for each call'
    return await contender({ name: SQLITE, caveat }, store, async () => {})
  },
}

export const emmettPostgres: Entrant = {
  name: POSTGRES,
  async open(target, { connections }) {
    const { getPostgreSQLEventStore } = await import('@event-driven-io/emmett-postgresql')
    const pool = await poolOf(target, connections)
    const store = getPostgreSQLEventStore(target, { connectionOptions: { pool } })
    await store.schema.migrate()
    return await contender({ name: POSTGRES }, store, async () => {
      await store.close()
      await endOf(pool)
    })
  },
}
