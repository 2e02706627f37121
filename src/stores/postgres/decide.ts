import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { IdempotencyMismatchError, SessionNotFoundError, StorageError } from '../../domain/errors.ts'
import { countTurns } from '../../domain/event.ts'
import { onlyStateChanged, type SessionView } from '../../domain/fold.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import type { CommitLink, DecideRequest, Decision, StoredEvent, WriteResult } from '../../ports/session-store.ts'
import { storedEvent } from '../stored-event.ts'
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
import { isoTime, minuteOf } from './times.ts'
import { decidedUsage } from './usage-json.ts'

/**
 * $1 partition, $2 session, $3 tenant, $4 user, $5 key, $6 with the last commit, $7 token to lock with, $8 hold appends
 * back.
 */
export const LOAD: Statement = {
  name: 'load',
  text: `
    select view, fingerprint, first_sequence, last_sequence, last_commit, is_locked
    from context.load_session($1, $2, $3, $4, $5, $6, $7, $8)`,
}

const UNLOCK: Statement = { name: 'unlock', text: 'select context.unlock_session($1, $2, $3)' }

const CHANGE: Statement = {
  name: 'change-state',
  text: `
    select context.change_state($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21) as sequence`,
}

const DECIDE: Statement = {
  name: 'decide',
  text: `
    select outcome, first_sequence
    from context.decide_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, $22::json[], $23, $24, $25, $26, $27, $28, $29, $30)`,
}

/** Milliseconds until a decision that meets conflicts gives up. */
const PATIENCE = 30_000

/** Conflicts after which a decision holds appends back: they make only an end stale, which must see the whole log. */
const MAX_CONFLICTS = 3

interface LoadedRow {
  /** Null: there is no such session. */
  view: string | null
  fingerprint: string | null
  first_sequence: number | null
  last_sequence: number | null
  /** Last commit of the conversation, if requested and present. */
  last_commit: LinkRow | null
  /** Another process has the lock; nothing was read. */
  is_locked: boolean | null
}

/** How one decision is made. */
interface Attempt {
  query: Query
  cache: ScratchpadCache
  partition: number
  /** The token of the lock that it takes first. */
  token: string | null
  holdsAppends: boolean
}

/**
 * Decides on the views that were read or cached, and writes if no other decision came in between. After a conflict it
 * locks the session for a moment, so that no other process can decide first. Each step is one call, so no transaction
 * stays open; a lock whose holder dies ends after two seconds.
 */
export async function decideIn(
  connections: Connections,
  cache: ScratchpadCache,
  request: DecideRequest,
  partition: number,
  replay: (first: number, last: number) => Promise<StoredEvent[]>,
): Promise<WriteResult> {
  // with a key the decision may be sent again: its own earlier write makes it stale and is then found by the key
  const keyed = request.idempotency !== undefined
  const query: Query = (statement, values) =>
    connections.query(statement, values, { retry: keyed || statement === LOAD })
  const free: Attempt = { query, cache, partition, token: null, holdsAppends: false }
  const known = cache.take(request)
  const guessed = known && (await guess(free, request, known))
  if (guessed !== undefined) return guessed
  let done = await attempt(free, request)
  if (done === 'conflict' || done === 'locked') done = await decideLocked(free, request)
  return 'first' in done ? { events: await replay(done.first, done.last), replayed: true } : done
}

/** Decides on cached views. Only a write that their version allowed counts; anything else is decided again. */
async function guess(how: Attempt, request: DecideRequest, known: CachedView): Promise<WriteResult | undefined> {
  let decision: Decision
  try {
    decision = request.decide(known.view)
  } catch {
    return undefined
  }
  return await change(how, request, known, decision)
}

/** A write, or the events that the key wrote before. */
type Decided = WriteResult | { first: number; last: number }

/** Decides under the session's lock until there is no conflict. */
async function decideLocked(free: Attempt, request: DecideRequest): Promise<Decided> {
  const token = randomUUID()
  const deadline = performance.now() + PATIENCE
  let isWritten = false
  try {
    for (let conflicts = 1; performance.now() < deadline; ) {
      const done = await attempt({ ...free, token, holdsAppends: conflicts >= MAX_CONFLICTS }, request)
      if (done === 'conflict') {
        conflicts++
      } else if (done === 'locked') {
        await delay(1 + Math.random() * 4)
      } else {
        isWritten = 'events' in done && done.events.length > 0
        return done
      }
    }
  } finally {
    // a write gives the lock back
    if (!isWritten) await free.query(UNLOCK, [free.partition, request.sessionId, token]).catch(() => {})
  }
  throw new StorageError('postgres', `other decisions on session ${request.sessionId} came first for 30 s; try again`)
}

async function attempt(how: Attempt, request: DecideRequest): Promise<Decided | 'conflict' | 'locked'> {
  const { query, partition, token, holdsAppends } = how
  const { decide, sessionId, at, idempotency, chained = false } = request
  const key = idempotency?.key ?? null
  const given = [partition, sessionId, ...ownerOf(request), key, chained, token, holdsAppends]
  const [row] = await query<LoadedRow>(LOAD, given)
  if (row?.is_locked) return 'locked'
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
  const changed = await change(how, request, seen, decision)
  if (changed !== undefined) return changed
  const stamp = [key, idempotency?.fingerprint ?? null]
  const values = [...decided(how, request, seen, decision), ...stamp, ...written(seen.view, decision, at)]
  const [result] = await query<{ outcome: string; first_sequence: number }>(DECIDE, values).catch((error: unknown) => {
    // meanwhile an append used the same key, or another session took the position in the chain
    const mayRepeat = token === null || chained || idempotency !== undefined
    if (codeOf(error) === '23505' && mayRepeat) return [{ outcome: 'stale', first_sequence: 0 }]
    throw error
  })
  if (result?.outcome === 'missing') throw new SessionNotFoundError(sessionId)
  if (result?.outcome !== 'written') return 'conflict'
  return { events: placed(decision, result.first_sequence, at), replayed: false }
}

/** The first parameters of both statements that write. */
function decided(
  { partition, token }: Attempt,
  request: DecideRequest,
  { version }: CachedView,
  { events }: Decision,
): unknown[] {
  const { sessionId, at } = request
  return [partition, sessionId, ...ownerOf(request), version, countTurns(events), at, minuteOf(at), token]
}

/** Writes a decision of one event that changes only the scratchpad; `undefined` if it is another kind or stale. */
async function change(
  how: Attempt,
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
  const values = [...decided(how, request, seen, decision), view.record.startedAt, pad, version, updatedAt]
  const [row] = await how.query<{ sequence: number | null }>(CHANGE, [...values, ...eventValues(event)])
  if (typeof row?.sequence !== 'number') return undefined
  how.cache.put(request, { version: seen.version + 1, view }, pad.length)
  return { events: placed(decision, row.sequence, request.at), replayed: false }
}

function placed({ events }: Decision, first: number, at: string): StoredEvent[] {
  return events.map((event, i) => storedEvent(event, first + i, at))
}

function written(before: SessionView, { events, view, edges = [], usage }: Decision, at: string): unknown[] {
  const placed = edges.map(({ event, ...edge }) => ({ ...edge, sequence: event + 1 }))
  const { envelope, ...rest } = view
  const isMoved = view.envelopeAt !== before.envelopeAt
  return [
    viewJson(isMoved ? view : rest, view.record.metadata !== before.record.metadata, usage && decidedUsage(usage, at)),
    view.clearedAt !== before.clearedAt,
    before.leaseUntil,
    view.leaseUntil !== before.leaseUntil,
    before.record.turns,
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
