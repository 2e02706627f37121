import { randomUUID } from 'node:crypto'
import type { Event, Session } from '@google/adk'
import type { MikroORM, Options } from '@mikro-orm/core'
import type { Contender, Entrant } from '../contender.ts'
import type { Message } from '../load.ts'
import { inPostgres, inSqlite, type Rows } from './rows.ts'

const APP = { appName: 'bench', userId: 'bench' }

/** How far back the events that `fill` writes begin, in milliseconds; it gives each one of its own. */
const PAST = 10 ** 9

/** What differs between the two databases, for rows written straight into the tables. */
interface Dialect {
  rows<Result>(target: string, work: (rows: Rows) => Promise<Result>): Promise<Result>
  /** A time from a parameter in milliseconds. */
  time(parameter: string): string
  /** As many seconds before the session's own time as the copy's number. */
  readonly earlier: string
}

/**
 * ADK's DatabaseSessionService: a runner gets the session once and appends to that object, which is what is kept here for
 * each session. ADK orders events by the time that whoever made them gave them.
 */
async function contender(name: string, caveat: string, options: Options, target: string, dialect: Dialect) {
  const { createEvent, DatabaseSessionService } = await import('@google/adk')
  const service = new DatabaseSessionService(options)
  await service.init()
  const sessions = new Map<string, Promise<Session>>()
  const filled = new Map<string, number>()

  async function load(sessionId: string, numRecentEvents?: number): Promise<Session> {
    const config = numRecentEvents === undefined ? {} : { numRecentEvents }
    const found = await service.getSession({ ...APP, sessionId, config })
    if (found === undefined) throw new Error(`ADK has no session ${sessionId}.`)
    return found
  }

  function held(sessionId: string): Promise<Session> {
    const session = sessions.get(sessionId) ?? load(sessionId, 1)
    sessions.set(sessionId, session)
    return session
  }

  async function append(sessionId: string, event: Partial<Event>): Promise<void> {
    const session = await held(sessionId)
    await service.appendEvent({ session, event: createEvent({ invocationId: randomUUID(), ...event }) })
  }

  /** Rows as an append makes them, for `appendEvent` is too slow to set a long log up. */
  async function fill(sessionId: string, messages: readonly Message[]): Promise<void> {
    const before = filled.get(sessionId) ?? 0
    const start = Date.now() - PAST + before
    filled.set(sessionId, before + messages.length)
    await dialect.rows(target, async ({ run }) => {
      for (let at = 0; at < messages.length; at += 500) {
        const events = messages.slice(at, at + 500).map((message, i) => {
          const timestamp = start + at + i
          const { invocationId, ...event } = createEvent({ ...said(message), invocationId: randomUUID(), timestamp })
          return { ...event, invocation_id: invocationId }
        })
        const values = events.flatMap((event) => [
          event.id,
          event.invocation_id,
          event.timestamp,
          JSON.stringify(event),
        ])
        const places = events.map((_, i) => {
          const n = 4 * i + 2
          return `($${n}, '${APP.appName}', '${APP.userId}', $1, $${n + 1}, ${dialect.time(`$${n + 2}`)}, $${n + 3})`
        })
        const columns = 'id, app_name, user_id, session_id, invocation_id, timestamp, event_data'
        await run(`insert into events (${columns}) values ${places.join(', ')}`, [sessionId, ...values])
      }
    })
  }

  async function create(): Promise<string> {
    const session = await service.createSession(APP)
    sessions.set(session.id, Promise.resolve(session))
    return session.id
  }

  const made: Contender = {
    name,
    caveat,
    create,
    append: (sessionId, message) => append(sessionId, said(message)),
    recent: async (sessionId) => (await load(sessionId, 60)).events,
    contents: async (sessionId) =>
      (await load(sessionId)).events.flatMap(({ content }) => content?.parts?.[0]?.text ?? []),
    fill,
    record: (sessionId) => load(sessionId, 1),
    state: async (sessionId) => (await load(sessionId, 1)).state,
    update: (sessionId, value) =>
      append(sessionId, { author: 'agent', actions: createEvent({ actions: { stateDelta: { value } } }).actions }),
    list: async () => (await service.listSessions({ ...APP, limit: 50, order: 'desc' })).sessions,
    async populate(count) {
      const id = await create()
      await dialect.rows(target, async ({ run, numbers }) => {
        for (let first = 2; first <= count; first += 50_000) {
          await run(
            `insert into sessions (id, app_name, user_id, state, create_time, update_time)
            ${numbers} select $3 || '-' || n.i, app_name, user_id, state, ${dialect.earlier}, ${dialect.earlier}
            from sessions, n where id = $3`,
            [first, Math.min(count, first + 49_999), id],
          )
        }
      })
    },
    async close() {
      // the service has no way to close; without this its pool keeps the process alive
      await (service as unknown as { orm: MikroORM }).orm.close()
    },
  }
  return made
}

/** ADK keeps events as JSON with the names of the Python version. */
function stored(event: Event): string {
  const { invocationId, longRunningToolIds, actions, ...rest } = event
  return JSON.stringify({
    invocation_id: invocationId,
    ...rest,
    actions: {
      state_delta: actions.stateDelta,
      artifact_delta: actions.artifactDelta,
      requested_auth_configs: actions.requestedAuthConfigs,
      requested_tool_confirmations: actions.requestedToolConfirmations,
    },
    long_running_tool_ids: longRunningToolIds,
  })
}

function said({ role, content }: Message): Partial<Event> {
  const [author, as] = role === 'user' ? ['user', 'user'] : ['agent', 'model']
  return { author, content: { role: as, parts: [{ text: content }] } }
}

const SQLITE = 'ADK DatabaseSessionService (SQLite)'
const POSTGRES = 'ADK DatabaseSessionService (Postgres)'

export const adkSqlite: Entrant = {
  name: SQLITE,
  async open(target) {
    const { BetterSqliteDriver } = await import('@mikro-orm/better-sqlite')
    const options = { driver: BetterSqliteDriver, dbName: target }
    const dialect = { rows: inSqlite, time: (ms: string) => ms, earlier: 'create_time - 1000 * n.i' }
    return await contender(SQLITE, 'Rollback journal', options, target, dialect)
  },
}

export const adkPostgres: Entrant = {
  name: POSTGRES,
  async open(target, { connections }) {
    const { PostgreSqlDriver } = await import('@mikro-orm/postgresql')
    const options = { driver: PostgreSqlDriver, clientUrl: target, pool: { max: connections } }
    const time = (ms: string) => `to_timestamp(${ms}::double precision / 1000)`
    const earlier = `create_time - n.i * interval '1 second'`
    return await contender(POSTGRES, '', options, target, { rows: inPostgres, time, earlier })
  },
}
