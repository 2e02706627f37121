import { IdempotencyMismatchError, SessionNotFoundError } from '../../domain/errors.ts'
import { countTurns } from '../../domain/event.ts'
import { onlyStateChanged, type SessionView } from '../../domain/fold.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import type { CommitLink, DecideRequest, Decision, StoredEvent, WriteResult } from '../../ports/session-store.ts'
import { type Connections, codeOf, type Query, type Statement } from './connection.ts'
import {
  edgeColumns,
  eventColumns,
  eventValues,
  type LinkRow,
  linkOf,
  ownerOf,
  viewJson,
  viewOf,
  viewRow,
} from './rows.ts'
import type { CachedView, ScratchpadCache } from './scratchpad-cache.ts'
import { isoTime } from './times.ts'

/** $1 session, $2 tenant, $3 user, $4 key, $5 lock, $6 with the last commit. */
export const LOAD: Statement = {
  name: 'load',
  text: `
    select view, fingerprint, first_sequence, last_sequence, last_commit
    from context.load_session($1, $2, $3, $4, $5, $6)`,
}

const CHANGE: Statement = {
  name: 'change-state',
  text: `
    select context.change_state($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) as sequence`,
}

const DECIDE: Statement = {
  name: 'decide',
  text: `
    select outcome, first_sequence
    from context.decide_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::json[], $17,
      $18, $19, $20, $21, $22, $23)`,
}

interface LoadedRow {
  /** Null: there is no such session. */
  view: string | null
  fingerprint: string | null
  first_sequence: number | null
  last_sequence: number | null
  /** Last commit of the conversation, if requested and present. */
  last_commit: LinkRow | null
}

/**
 * Decides on the views that were read or cached, and writes if no other decision came in between. After one conflict it
 * decides again while holding the session's lock, and the conversation's if it may commit, so it cannot starve.
 */
export async function decideIn(
  connections: Connections,
  cache: ScratchpadCache,
  request: DecideRequest,
  replay: (first: number, last: number) => Promise<StoredEvent[]>,
): Promise<WriteResult> {
  // with a key the decision may be sent again: its own earlier write makes it stale and is then found by the key
  const keyed = request.idempotency !== undefined
  const free: Query = (statement, values) =>
    connections.query(statement, values, { retry: keyed || statement === LOAD })
  const known = cache.take(request)
  const guessed = known && (await guess(free, cache, request, known))
  if (guessed !== undefined) return guessed
  const first = await attempt(free, cache, request, false)
  const done =
    first === 'stale' ? await connections.transaction((query) => attempt(query, cache, request, true)) : first
  if (done === 'stale') throw new Error('a decision under lock cannot be stale')
  return 'first' in done ? { events: await replay(done.first, done.last), replayed: true } : done
}

/** Decides on cached views. Only a write that their version allowed counts; anything else is decided again. */
async function guess(
  query: Query,
  cache: ScratchpadCache,
  request: DecideRequest,
  known: CachedView,
): Promise<WriteResult | undefined> {
  let decision: Decision
  try {
    decision = request.decide(known.view)
  } catch {
    return undefined
  }
  return await change(query, cache, request, known, decision)
}

async function attempt(
  query: Query,
  cache: ScratchpadCache,
  request: DecideRequest,
  lock: boolean,
): Promise<WriteResult | { first: number; last: number } | 'stale'> {
  const { decide, sessionId, at, idempotency, chained = false } = request
  const key = idempotency?.key ?? null
  const [row] = await query<LoadedRow>(LOAD, [sessionId, ...ownerOf(request), key, lock, chained])
  if (!row?.view) throw new SessionNotFoundError(sessionId)
  if (idempotency !== undefined && row.fingerprint !== null) {
    if (row.fingerprint !== idempotency.fingerprint)
      throw new IdempotencyMismatchError({ sessionId, key: idempotency.key })
    return { first: row.first_sequence ?? 0, last: row.last_sequence ?? 0 }
  }
  const views = viewRow(row.view)
  const seen = { version: views.decision_version, view: viewOf(views) }
  const decision = decide(seen.view, lastOf(row))
  if (decision.events.length === 0) return { events: [], replayed: false }
  // the full decision says why nothing was written
  const changed = await change(query, cache, request, seen, decision)
  if (changed !== undefined) return changed
  const stamp = [key, idempotency?.fingerprint ?? null]
  const values = [...decided(request, seen, decision), ...stamp, ...written(seen.view, decision)]
  const [result] = await query<{ outcome: string; first_sequence: number }>(DECIDE, values).catch((error: unknown) => {
    // meanwhile an append used the same key, or another session took the position in the conversation
    if (!lock && codeOf(error) === '23505') return [{ outcome: 'stale', first_sequence: 0 }]
    throw error
  })
  if (result?.outcome === 'missing') throw new SessionNotFoundError(sessionId)
  if (result?.outcome !== 'written') return 'stale'
  return { events: placed(decision, result.first_sequence, at), replayed: false }
}

/** The first parameters of both statements that write. */
function decided(request: DecideRequest, { version }: CachedView, { events }: Decision): unknown[] {
  return [request.sessionId, ...ownerOf(request), version, countTurns(events), request.at]
}

/** Writes a decision of one event that changes only the scratchpad; `undefined` if it is another kind or stale. */
async function change(
  query: Query,
  cache: ScratchpadCache,
  request: DecideRequest,
  seen: CachedView,
  decision: Decision,
): Promise<WriteResult | undefined> {
  const { events, view, edges = [] } = decision
  const [event, more] = events
  if (event === undefined || more !== undefined || edges.length > 0 || request.idempotency !== undefined)
    return undefined
  if (!onlyStateChanged(seen.view, view)) return undefined
  const { scratchpad, version, updatedAt } = view.state
  const pad = encodeTrustedJson(scratchpad)
  const values = [...decided(request, seen, decision), view.record.startedAt, pad, version, updatedAt]
  const [row] = await query<{ sequence: number | null }>(CHANGE, [...values, ...eventValues(event)])
  if (typeof row?.sequence !== 'number') return undefined
  cache.put(request, { version: seen.version + 1, view }, pad.length)
  return { events: placed(decision, row.sequence, request.at), replayed: false }
}

function placed({ events }: Decision, first: number, at: string): StoredEvent[] {
  return events.map((event, i) => ({ ...event, sequence: first + i, createdAt: at }))
}

function written(before: SessionView, { events, view, edges = [] }: Decision): unknown[] {
  const placed = edges.map(({ event, ...edge }) => ({ ...edge, sequence: event + 1 }))
  const { envelope, ...rest } = view
  const isMoved = view.envelopeAt !== before.envelopeAt
  return [
    viewJson(isMoved ? view : rest),
    view.clearedAt !== before.clearedAt,
    // the place among the events, because appends in between change the sequence
    isMoved ? view.envelopeAt - before.record.head : null,
    ...eventColumns(events),
    ...edgeColumns(placed),
  ]
}

function lastOf({ last_commit: link }: LoadedRow): CommitLink | undefined {
  if (link === null) return undefined
  return linkOf({ ...link, made_at: isoTime(link.made_at), purged_at: link.purged_at && isoTime(link.purged_at) })
}
