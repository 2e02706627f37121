import { randomUUID } from 'node:crypto'
import type { Event, Session } from '@google/adk'
import type { MikroORM, Options } from '@mikro-orm/core'
import type { Contender, Entrant } from '../contender.ts'
import type { Message } from '../load.ts'
import { type InDatabase, inPostgres, inSqlite, OWNER, parts, type Rows, steps } from './rows.ts'

const APP = { appName: 'bench', userId: 'bench' }

/** How far back the events that `fill` writes begin, in milliseconds; it gives each one of its own. */
const PAST = 10 ** 9

/** What differs between the two databases, for rows written straight into the tables. */
interface Dialect {
  readonly rows: InDatabase
  /** The time and the data of the event that `value` has, as its columns take them. */
  readonly event: string
  /** The time of a copy, later the larger its number `n.i` is. */
  readonly later: string
}

/**
 * ADK's DatabaseSessionService: a runner gets the session once and appends to that object, which is what is kept here
 * for each session. ADK orders events by the time that their author gave them.
 */
async function contender(
  name: string,
  caveat: string | undefined,
  options: Options,
  target: string,
  dialect: Dialect,
): Promise<Contender> {
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
    const events = messages.map((message, i) => {
      const { id, invocationId, timestamp, ...rest } = createEvent({
        ...said(message),
        invocationId: randomUUID(),
        timestamp: start + i,
      })
      return { id, invocationId, timestamp, data: stored({ id, invocationId, timestamp, ...rest }) }
    })
    await dialect.rows(target, async ({ run, items }) => {
      for (const part of parts(events)) {
        await run(
          `insert into events (id, app_name, user_id, session_id, invocation_id, timestamp, event_data)
          select value ->> 'id', $2, $3, $4, value ->> 'invocationId', ${dialect.event} from ${items}`,
          [JSON.stringify(part), APP.appName, APP.userId, sessionId],
        )
      }
    })
  }

  async function create(): Promise<string> {
    const session = await service.createSession(APP)
    sessions.set(session.id, Promise.resolve(session))
    return session.id
  }

  const made: Contender & { everyone(): Promise<readonly unknown[]> } = {
    name,
    ...(caveat !== undefined && { caveat }),
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
    everyone: async () => (await service.listSessions({ appName: APP.appName, limit: 50, order: 'desc' })).sessions,
    list: async () => (await service.listSessions({ ...APP, limit: 50, order: 'desc' })).sessions,
    async populate(count) {
      const id = await create()
      const work = async ({ run, numbers }: Rows) => {
        for (const step of steps(count)) {
          await run(
            `insert into sessions (id, app_name, user_id, state, create_time, update_time)
            ${numbers} select id || '-' || n.i, app_name, ${OWNER}, state, ${dialect.later}, ${dialect.later}
            from sessions, n where id = $3`,
            [...step, id],
          )
        }
      }
      await dialect.rows(target, work, true)
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
    return await contender(
      SQLITE,
      'Rollback journal, synchronous=FULL; two transactions for each append',
      options,
      target,
      {
        rows: inSqlite,
        event: `value ->> 'timestamp', value ->> 'data'`,
        later: '1700000000000 + 1000 * n.i',
      },
    )
  },
}

export const adkPostgres: Entrant = {
  name: POSTGRES,
  async open(target, { connections }) {
    const { PostgreSqlDriver } = await import('@mikro-orm/postgresql')
    const options = { driver: PostgreSqlDriver, clientUrl: target, pool: { min: 0, max: connections } }
    return await contender(POSTGRES, undefined, options, target, {
      rows: inPostgres,
      event: `to_timestamp((value ->> 'timestamp')::double precision / 1000), (value ->> 'data')::jsonb`,
      later: 'to_timestamp(1700000000 + n.i)',
    })
  },
}
