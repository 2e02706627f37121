import { IdempotencyMismatchError, SessionNotFoundError } from '../../domain/errors.ts'
import { turnsIn } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { CommitLink, DecideRequest, Decision, StoredEvent, Written } from '../../ports/session-store.ts'
import { type Connections, codeOf, type Query, type Statement } from './connection.ts'
import { edgeColumns, eventColumns, linkOf, ownerOf, type ViewRow, viewJson, viewOf } from './rows.ts'

/** $1 session, $2 tenant, $3 user, $4 key, $5 lock, $6 chained. No row: there is no such session. */
export const LOAD: Statement = {
  name: 'load',
  text: `
    select (l.view).*, l.fingerprint, l.first_sequence, l.last_sequence, (l.last_commit).commit_id as last_id,
      (l.last_commit).session_id as last_session, (l.last_commit).user_id as last_user,
      (l.last_commit).position as last_position, (l.last_commit).made_at as last_made_at,
      (l.last_commit).purged_at as last_purged_at
    from context.load_session($1, $2, $3, $4, $5, $6) l`,
}

const DECIDE: Statement = {
  name: 'decide',
  text: `
    select outcome, first_sequence
    from context.decide_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::json[], $17,
      $18, $19, $20, $21, $22, $23)`,
}

interface LoadedRow extends ViewRow {
  fingerprint: string | null
  first_sequence: number | null
  last_sequence: number | null
  last_id: string | null
  last_session: string
  last_user: string
  last_position: number
  last_made_at: string
  last_purged_at: string | null
}

/**
 * Decides on what was read and writes if no other decision came in between; after one conflict it decides again while
 * it holds the session's lock, and that of the conversation where it may make a commit, so it cannot starve.
 */
export async function decideIn(
  connections: Connections,
  request: DecideRequest,
  replay: (first: number, last: number) => Promise<StoredEvent[]>,
): Promise<Written> {
  // with a key the decision may be sent again: what was written meanwhile makes it stale, and is then found by its key
  const keyed = request.idempotency !== undefined
  const free: Query = (statement, values) =>
    connections.query(statement, values, { again: keyed || statement === LOAD })
  const first = await attempt(free, request, false)
  const done = first === 'stale' ? await connections.transaction((query) => attempt(query, request, true)) : first
  if (done === 'stale') throw new Error('a decision under lock cannot be stale')
  return 'first' in done ? { events: await replay(done.first, done.last), replayed: true } : done
}

async function attempt(
  query: Query,
  { decide, sessionId, at, idempotency, within, chained = false }: DecideRequest,
  lock: boolean,
): Promise<Written | { first: number; last: number } | 'stale'> {
  const owner = ownerOf({ ...(within && { within }) })
  const [row] = await query<LoadedRow>(LOAD, [sessionId, ...owner, idempotency?.key ?? null, lock, chained])
  if (row === undefined) throw new SessionNotFoundError(sessionId)
  if (idempotency !== undefined && row.fingerprint !== null) {
    if (row.fingerprint !== idempotency.fingerprint)
      throw new IdempotencyMismatchError({ sessionId, key: idempotency.key })
    return { first: row.first_sequence ?? 0, last: row.last_sequence ?? 0 }
  }
  const before = viewOf(row)
  const decision = decide(before, lastOf(row))
  if (decision.events.length === 0) return { events: [], replayed: false }
  const stamp = [idempotency?.key ?? null, idempotency?.fingerprint ?? null]
  const values = [
    sessionId,
    ...owner,
    row.decision_version,
    turnsIn(decision.events),
    at,
    ...stamp,
    ...written(before, decision),
  ]
  const [result] = await query<{ outcome: string; first_sequence: number }>(DECIDE, values).catch((error: unknown) => {
    // meanwhile an append took the same key, or another session the place in the conversation
    if (!lock && codeOf(error) === '23505') return [{ outcome: 'stale', first_sequence: 0 }]
    throw error
  })
  if (result?.outcome === 'missing') throw new SessionNotFoundError(sessionId)
  if (result?.outcome !== 'written') return 'stale'
  const events = decision.events.map((event, i) => ({ ...event, sequence: result.first_sequence + i, createdAt: at }))
  return { events, replayed: false }
}

function written(before: SessionView, { events, view, edges = [] }: Decision): unknown[] {
  const placed = edges.map(({ event, ...edge }) => ({ ...edge, sequence: event + 1 }))
  const { envelope, ...rest } = view
  const isMoved = view.envelopeAt !== before.envelopeAt
  return [
    viewJson(isMoved ? view : rest),
    view.clearedAt !== before.clearedAt,
    // the place among the events: appends may come in between, and move its sequence
    isMoved ? view.envelopeAt - before.record.head : null,
    ...eventColumns(events),
    ...edgeColumns(placed),
  ]
}

/** Last commit of the conversation, where it was asked for. */
function lastOf(row: LoadedRow): CommitLink | undefined {
  if (row.last_id === null) return undefined
  return linkOf({
    commit_id: row.last_id,
    session_id: row.last_session,
    user_id: row.last_user,
    position: row.last_position,
    made_at: row.last_made_at,
    purged_at: row.last_purged_at,
  })
}
