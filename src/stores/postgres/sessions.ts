import {
  IdempotencyMismatchError,
  IntakePausedError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
  ThroughlineError,
} from '../../domain/errors.ts'
import type { SessionScratchpad, SessionView } from '../../domain/fold.ts'
import { partitionOf } from '../../domain/partition.ts'
import { endTime, type SessionRecord } from '../../domain/record.ts'
import type { DailyUsage } from '../../domain/usage.ts'
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
import type { Partitions } from './partitions.ts'
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
import type { SessionLocator } from './session-locator.ts'
import { minuteOf } from './times.ts'
import { usageJson } from './usage-json.ts'

/** $1 partition, $2 session, $3 tenant, $4 user. Returns null if the session does not exist there. */
const READ: Statement = { name: 'read-session', text: 'select context.read_session($1, $2, $3, $4) as view' }
const RECORD: Statement = { name: 'read-record', text: 'select context.read_record($1, $2, $3, $4) as view' }
const STATE: Statement = { name: 'read-state', text: 'select context.read_state($1, $2, $3, $4) as view' }

export const CREATE: Statement = {
  name: 'create',
  text: `
    select outcome, session_id
    from context.create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42,
      $43)`,
}

const FORK: Statement = {
  name: 'fork',
  text: 'select context.fork_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) as outcome',
}

const ACTIVE: Statement = { name: 'active', text: 'select context.find_active($1, $2, $3, $4, $5, $6) as id' }

const REPAIR: Statement = {
  name: 'repair',
  text: 'select context.repair_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as done',
}

/** Returns how much was removed. */
const PURGE: Statement = {
  name: 'purge',
  text: 'select events, keys from context.purge_session($1, $2, $3, $4, $5)',
}

const PAUSED: Statement = { name: 'paused', text: 'select context.paused_since($1) as since' }

const SECRET: Statement = { name: 'secret', text: 'select context.store_secret($1, $2) as secret' }

const PAUSE: Statement = { name: 'pause', text: 'select context.pause_intake($1, $2)' }

/** `importing`: an import uses the id. */
type Outcome = CreateResult['outcome'] | 'importing' | 'no-parent' | 'parent-ended'

/** The parameters of {@link CREATE}. */
export function createValues({ event, at, view, reuse, ignorePause = false }: CreateRequest): unknown[] {
  const options = [reuse, ignorePause, at, minuteOf(at)]
  return [homeOf(view), view.record.id, ...options, ...newSessionValues(view), ...eventValues(event)]
}

/** The partition of a session's owner. */
export function homeOf({ record }: SessionView): number {
  return partitionOf(record.tenant, record.userId)
}

/** The partition whose node keeps the secret of all. */
const SECRET_PARTITION = 0

/** Creates, finds, repairs and purges sessions. */
export function sessionCalls({ query }: Connections, locator: SessionLocator, { everywhere }: Partitions) {
  async function readText(statement: Statement, partition: number, key: SessionKey): Promise<string | undefined> {
    const values = [partition, key.sessionId, ...ownerOf(key)]
    const [row] = await query<{ view: string | null }>(statement, values, { retry: true })
    return row?.view ?? undefined
  }

  async function recordIn(partition: number, key: SessionKey): Promise<SessionRecord | undefined> {
    const text = await readText(RECORD, partition, key)
    return text === undefined ? undefined : recordOf(recordRow(text))
  }

  /** Reads the record of an id that another statement returned. */
  async function knownRecord(partition: number, sessionId: string): Promise<SessionRecord> {
    const known = await recordIn(partition, { sessionId })
    if (known === undefined) throw new StorageError('postgres', 'the session was purged at the same time; try again')
    return known
  }

  /** Creates a session with an id that the caller chose, unless a session in another partition has it. */
  async function withClaim(view: SessionView, create: () => Promise<CreateResult>): Promise<CreateResult> {
    const { id } = view.record
    const { taken, entry } = await locator.claim(id, homeOf(view))
    if (taken?.by === 'session') return { outcome: 'same-id', record: await knownRecord(taken.partition, id) }
    if (taken !== undefined) throw new IdempotencyMismatchError({ sessionId: id })
    let isUsed = true
    try {
      const result = await create()
      isUsed = result.record.id === id
      return result
    } catch (error) {
      // otherwise the outcome is unknown
      if (error instanceof ThroughlineError) isUsed = false
      throw error
    } finally {
      if (!isUsed) await locator.free(entry)
    }
  }

  async function create(request: CreateRequest): Promise<CreateResult> {
    const { view } = request
    const values = createValues(request)
    const send = () => requireIntake(query<{ outcome: Outcome; session_id: string }>(CREATE, values, { retry: false }))
    const [row] = await send().catch((error) => {
      // another call created the id at the same time: the retry finds it
      if (codeOf(error) === '23505') return send()
      throw error
    })
    if (row?.outcome === 'importing') throw new IdempotencyMismatchError({ sessionId: view.record.id })
    if (row === undefined || row.outcome === 'created') return { outcome: 'created', record: view.record }
    if (row.outcome === 'no-parent' || row.outcome === 'parent-ended') throw await withoutParent(view, request.at)
    return { outcome: row.outcome, record: await knownRecord(homeOf(view), row.session_id) }
  }

  /** The refusal of a session whose parent is missing or has ended. */
  async function withoutParent({ record }: SessionView, at: string): Promise<Error> {
    const { tenant, userId, parent = { sessionId: '' } } = record
    const key = { sessionId: parent.sessionId, within: { tenant, userId } }
    const found = await recordIn(partitionOf(tenant, userId), key)
    const endedAt = found && endTime(found, at)
    return endedAt === undefined
      ? new SessionNotFoundError(parent.sessionId)
      : new SessionEndedError({ sessionId: parent.sessionId, endedAt })
  }

  async function fork({ source, event, at, view }: ForkRequest): Promise<CreateResult> {
    const { id } = view.record
    const values = [
      homeOf(view),
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
    if (row?.outcome === 'same-id') return { outcome: 'same-id', record: await knownRecord(homeOf(view), id) }
    return { outcome: 'created', record: view.record }
  }

  return {
    record: (key: SessionKey) => locator.at(key, (partition) => recordIn(partition, key)),

    async load(key: SessionKey): Promise<SessionView | undefined> {
      const text = await locator.at(key, (partition) => readText(READ, partition, key))
      return text === undefined ? undefined : viewOf(viewRow(text))
    },

    async state(key: SessionKey): Promise<SessionScratchpad | undefined> {
      const text = await locator.at(key, (partition) => readText(STATE, partition, key))
      return text === undefined ? undefined : stateOf(stateRow(text))
    },

    create: (request: CreateRequest): Promise<CreateResult> =>
      request.isNewId ? create(request) : withClaim(request.view, () => create(request)),

    fork: (request: ForkRequest): Promise<CreateResult> =>
      request.isNewId ? fork(request) : withClaim(request.view, () => fork(request)),

    async active({ tenant, userId, chatmode, conversationId, at }: ActiveQuery): Promise<SessionRecord | undefined> {
      const partition = partitionOf(tenant, userId)
      const values = [partition, tenant, userId, chatmode, conversationId ?? null, at]
      const [row] = await query<{ id: string | null }>(ACTIVE, values, { retry: true })
      return row?.id ? await recordIn(partition, { sessionId: row.id }) : undefined
    },

    async repair(
      key: SessionKey,
      expectedHead: number,
      view: SessionView,
      edges: readonly StoredEdge[],
      usage: readonly DailyUsage[] = [],
      bytes?: number,
    ): Promise<boolean> {
      const views = [viewJson(view), usageJson(usage), bytes ?? null]
      const values = [key.sessionId, ...ownerOf(key), expectedHead, ...views, ...edgeColumns(edges)]
      const [row] = await locator.at(key, (partition) =>
        requireSession(key, query<{ done: boolean }>(REPAIR, [partition, ...values], { retry: false })),
      )
      return row?.done === true
    },

    async purge(key: SessionKey, at: string): Promise<PurgeCounts> {
      return await locator.at(key, async (partition) => {
        const entry = await locator.entryOf(key.sessionId, partition)
        const values = [partition, key.sessionId, ...ownerOf(key), at]
        const [row] = await requireSession(key, query<PurgeCounts>(PURGE, values, { retry: false }))
        await locator.free(entry)
        return row ?? { events: 0, keys: 0 }
      })
    },

    async pausedSince(): Promise<string | undefined> {
      const [first] = await everywhere((partition) =>
        query<{ since: string | null }>(PAUSED, [partition], { retry: true }),
      )
      return first?.[0]?.since ?? undefined
    },

    async secret(candidate: string): Promise<string> {
      const [row] = await query<{ secret: string }>(SECRET, [SECRET_PARTITION, candidate], { retry: true })
      return row?.secret ?? candidate
    },

    async pause(since: string | undefined): Promise<void> {
      await everywhere((partition) => query(PAUSE, [partition, since ?? null], { retry: true }))
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
