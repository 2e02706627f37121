import { IdempotencyMismatchError, IntakePausedError, SessionNotFoundError, StorageError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type {
  ActiveQuery,
  CreateRequest,
  CreateResult,
  ForkRequest,
  NewEvent,
  PurgeCounts,
  SessionKey,
  StoredEdge,
} from '../../ports/session-store.ts'
import { type Connections, codeOf, type Statement } from './connection.ts'
import { edgeColumns, ownerOf, rowOfJson, viewJson, viewOf } from './rows.ts'

/** $1 session, $2 tenant, $3 user, $4 with the envelope. Null: there is no such session. */
const READ: Statement = { name: 'read-session', text: 'select context.read_session($1, $2, $3, $4) as view' }

const CREATE: Statement = {
  name: 'create',
  text: 'select outcome, session_id from context.create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
}

const FORK: Statement = {
  name: 'fork',
  text: 'select context.fork_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) as outcome',
}

const ACTIVE: Statement = { name: 'active', text: 'select context.find_active($1, $2, $3, $4, $5) as id' }

const REPAIR: Statement = {
  name: 'repair',
  text: 'select context.repair_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as done',
}

/** Gives what was removed. */
export const PURGE: Statement = {
  name: 'purge',
  text: 'select events, keys from context.purge_session($1, $2, $3, $4)',
}

const PAUSED: Statement = { name: 'paused', text: 'select context.paused_since() as since' }

const PAUSE: Statement = { name: 'pause', text: 'select context.pause_intake($1)' }

/** `coming`: a session is coming in under the id. */
type Outcome = CreateResult['outcome'] | 'coming'

/** What makes, finds, mends and removes sessions. */
export function sessionCalls({ query }: Connections) {
  async function load(key: SessionKey, { envelope } = { envelope: true }): Promise<SessionView | undefined> {
    const values = [key.sessionId, ...ownerOf(key), envelope]
    const [row] = await query<{ view: string | null }>(READ, values, { again: true })
    return row?.view ? viewOf(rowOfJson(row.view)) : undefined
  }

  /** A record whose id another statement gave. */
  async function recordById(sessionId: string): Promise<SessionRecord> {
    const view = await load({ sessionId })
    if (view === undefined) throw new StorageError('postgres', 'the session was purged in this very moment; try again')
    return view.record
  }

  return {
    load,

    async create({ event, at, view, reuse, evenPaused = false }: CreateRequest): Promise<CreateResult> {
      const values = [view.record.id, reuse, evenPaused, at, viewJson(view), ...eventValues(event)]
      // creating again with the same id does no harm
      const [row] = await taken(query<{ outcome: Outcome; session_id: string }>(CREATE, values, { again: false }))
      if (row?.outcome === 'coming') throw new IdempotencyMismatchError({ sessionId: view.record.id })
      if (row === undefined || row.outcome === 'created') return { outcome: 'created', record: view.record }
      return { outcome: row.outcome, record: await recordById(row.session_id) }
    },

    async fork({ source, event, at, view }: ForkRequest): Promise<CreateResult> {
      const { id } = view.record
      const values = [
        source.sessionId,
        ...ownerOf(source),
        source.sequence,
        id,
        at,
        viewJson(view),
        ...eventValues(event),
      ]
      const forked = query<{ outcome: Outcome }>(FORK, values, { again: false })
      const [row] = await found(source, taken(forked))
      if (row?.outcome === 'coming') throw new IdempotencyMismatchError({ sessionId: id })
      if (row?.outcome === 'same-id') return { outcome: 'same-id', record: await recordById(id) }
      return { outcome: 'created', record: view.record }
    },

    async active({ tenant, userId, chatmode, conversationId, at }: ActiveQuery): Promise<SessionRecord | undefined> {
      const values = [tenant, userId, chatmode, conversationId ?? null, at]
      const [row] = await query<{ id: string | null }>(ACTIVE, values, { again: true })
      return row?.id ? (await load({ sessionId: row.id }))?.record : undefined
    },

    async repair(
      key: SessionKey,
      expectedHead: number,
      view: SessionView,
      edges: readonly StoredEdge[],
    ): Promise<boolean> {
      const values = [key.sessionId, ...ownerOf(key), expectedHead, viewJson(view), ...edgeColumns(edges)]
      const [row] = await found(key, query<{ done: boolean }>(REPAIR, values, { again: false }))
      return row?.done === true
    },

    async purge(key: SessionKey, at: string): Promise<PurgeCounts> {
      const [row] = await found(key, query<PurgeCounts>(PURGE, [key.sessionId, ...ownerOf(key), at], { again: false }))
      return row ?? { events: 0, keys: 0 }
    },

    async pausedSince(): Promise<string | undefined> {
      const [row] = await query<{ since: string | null }>(PAUSED, [], { again: true })
      return row?.since ?? undefined
    },

    async pause(since: string | undefined): Promise<void> {
      await query(PAUSE, [since ?? null], { again: true })
    },
  }
}

function eventValues({ id, type, role, content, parts, agentId, occurredAt }: NewEvent): unknown[] {
  return [id, type, role, content, parts ?? null, agentId ?? null, occurredAt ?? null]
}

/** Turns the functions' own "no new sessions are taken" into the error of the port. */
async function taken<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (codeOf(error) === 'TL003') throw new IntakePausedError((error as { detail?: string }).detail ?? '')
    throw error
  }
}

/** Turns the functions' own "no such session" into the error of the port. */
export async function found<T>({ sessionId }: SessionKey, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (codeOf(error) === 'TL001') throw new SessionNotFoundError(sessionId)
    throw error
  }
}
