import { IdempotencyMismatchError, IntakePausedError, SessionNotFoundError, StorageError } from '../../domain/errors.ts'
import type { SessionScratchpad, SessionView } from '../../domain/fold.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type {
  ActiveQuery,
  CreateRequest,
  CreateResult,
  ForkRequest,
  PurgeCounts,
  SessionKey,
  StoredEdge,
} from '../../ports/session-store.ts'
import { type Connections, codeOf, type Statement } from './connection.ts'
import {
  edgeColumns,
  eventValues,
  newSessionValues,
  ownerOf,
  recordOf,
  recordRow,
  stateOf,
  stateRow,
  viewJson,
  viewOf,
  viewRow,
} from './rows.ts'

/** $1 session, $2 tenant, $3 user. Returns null if the session does not exist. */
const READ: Statement = { name: 'read-session', text: 'select context.read_session($1, $2, $3) as view' }
const RECORD: Statement = { name: 'read-record', text: 'select context.read_record($1, $2, $3) as view' }
const STATE: Statement = { name: 'read-state', text: 'select context.read_state($1, $2, $3) as view' }

export const CREATE: Statement = {
  name: 'create',
  text: `
    select outcome, session_id
    from context.create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36)`,
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

/** Returns how much was removed. */
export const PURGE: Statement = {
  name: 'purge',
  text: 'select events, keys from context.purge_session($1, $2, $3, $4)',
}

const PAUSED: Statement = { name: 'paused', text: 'select context.paused_since() as since' }

const PAUSE: Statement = { name: 'pause', text: 'select context.pause_intake($1)' }

/** `importing`: an import uses the id. */
type Outcome = CreateResult['outcome'] | 'importing'

/** The parameters of {@link CREATE}. */
export function createValues({ event, at, view, reuse, ignorePause = false }: CreateRequest): unknown[] {
  return [view.record.id, reuse, ignorePause, at, ...newSessionValues(view), ...eventValues(event)]
}

/** Creates, finds, repairs and purges sessions. */
export function sessionCalls({ query }: Connections) {
  async function readText(statement: Statement, key: SessionKey): Promise<string | undefined> {
    const [row] = await query<{ view: string | null }>(statement, [key.sessionId, ...ownerOf(key)], { retry: true })
    return row?.view ?? undefined
  }

  async function record(key: SessionKey): Promise<SessionRecord | undefined> {
    const text = await readText(RECORD, key)
    return text === undefined ? undefined : recordOf(recordRow(text))
  }

  /** Reads the record of an id that another statement returned. */
  async function recordById(sessionId: string): Promise<SessionRecord> {
    const known = await record({ sessionId })
    if (known === undefined) throw new StorageError('postgres', 'the session was purged at the same time; try again')
    return known
  }

  return {
    record,

    async load(key: SessionKey): Promise<SessionView | undefined> {
      const text = await readText(READ, key)
      return text === undefined ? undefined : viewOf(viewRow(text))
    },

    async state(key: SessionKey): Promise<SessionScratchpad | undefined> {
      const text = await readText(STATE, key)
      return text === undefined ? undefined : stateOf(stateRow(text))
    },

    async create(request: CreateRequest): Promise<CreateResult> {
      const { view } = request
      const values = createValues(request)
      const create = () =>
        requireIntake(query<{ outcome: Outcome; session_id: string }>(CREATE, values, { retry: false }))
      const [row] = await create().catch((error) => {
        // another call created the id at the same time: the retry finds it
        if (codeOf(error) === '23505') return create()
        throw error
      })
      if (row?.outcome === 'importing') throw new IdempotencyMismatchError({ sessionId: view.record.id })
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
      const forked = query<{ outcome: Outcome }>(FORK, values, { retry: false })
      const [row] = await requireSession(source, requireIntake(forked))
      if (row?.outcome === 'importing') throw new IdempotencyMismatchError({ sessionId: id })
      if (row?.outcome === 'same-id') return { outcome: 'same-id', record: await recordById(id) }
      return { outcome: 'created', record: view.record }
    },

    async active({ tenant, userId, chatmode, conversationId, at }: ActiveQuery): Promise<SessionRecord | undefined> {
      const values = [tenant, userId, chatmode, conversationId ?? null, at]
      const [row] = await query<{ id: string | null }>(ACTIVE, values, { retry: true })
      return row?.id ? await record({ sessionId: row.id }) : undefined
    },

    async repair(
      key: SessionKey,
      expectedHead: number,
      view: SessionView,
      edges: readonly StoredEdge[],
    ): Promise<boolean> {
      const values = [key.sessionId, ...ownerOf(key), expectedHead, viewJson(view), ...edgeColumns(edges)]
      const [row] = await requireSession(key, query<{ done: boolean }>(REPAIR, values, { retry: false }))
      return row?.done === true
    },

    async purge(key: SessionKey, at: string): Promise<PurgeCounts> {
      const [row] = await requireSession(
        key,
        query<PurgeCounts>(PURGE, [key.sessionId, ...ownerOf(key), at], { retry: false }),
      )
      return row ?? { events: 0, keys: 0 }
    },

    async pausedSince(): Promise<string | undefined> {
      const [row] = await query<{ since: string | null }>(PAUSED, [], { retry: true })
      return row?.since ?? undefined
    },

    async pause(since: string | undefined): Promise<void> {
      await query(PAUSE, [since ?? null], { retry: true })
    },
  }
}

/** Converts SQLSTATE TL003 to `IntakePausedError`. */
async function requireIntake<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (codeOf(error) === 'TL003') throw new IntakePausedError((error as { detail?: string }).detail ?? '')
    throw error
  }
}

/** Converts SQLSTATE TL001 to `SessionNotFoundError`. */
export async function requireSession<T>({ sessionId }: SessionKey, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (codeOf(error) === 'TL001') throw new SessionNotFoundError(sessionId)
    throw error
  }
}
