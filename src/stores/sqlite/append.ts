import type { Database } from 'better-sqlite3'
import {
  IdempotencyMismatchError,
  RunLostError,
  SequenceConflictError,
  SessionNotFoundError,
} from '../../domain/errors.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import { onlyStateChanged, type SessionView } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import { checkLive } from '../../domain/record.ts'
import { dayOf } from '../../domain/usage.ts'
import type {
  AppendRequest,
  ChecksummedEvent,
  CommitLink,
  DecideRequest,
  Decision,
  IdempotencyStamp,
  NewEvent,
  SessionKey,
  StoredEvent,
  WriteResult,
} from '../../ports/session-store.ts'
import { storedEvent } from '../stored-event.ts'
import { Refusal } from './commit-queue.ts'
import type { EnvelopeWriter } from './envelopes.ts'
import type { Head, HeadCache } from './head-cache.ts'
import type { LabelWriter } from './labels.ts'
import {
  blockOf,
  type EnvelopeColumns,
  type EventRow,
  eventOf,
  rowOf,
  stateRow,
  type ViewRow,
  viewOf,
  visibleRow,
} from './rows.ts'
import { prepared } from './statement.ts'
import type { UsageWriter } from './usage.ts'
import { SELECT_VIEW, UPDATE_DUE, UPDATE_VIEW, UPSERT_STATE } from './view-sql.ts'
import type { WorkWriter } from './work.ts'

const INSERT_EVENT = `
  insert into session_events
    (session_id, sequence, id, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, unhex(?))`

const INSERT_TEXTS = 'insert into session_texts (session_id, sequence, content, parts) values (?, ?, ?, ?)'

/** Characters of content and parts above which an event keeps them in `session_texts`: the others fit on one page. */
export const LONG_EVENT = Math.floor(LIMITS.pageSize / LIMITS.page)

export const INSERT_TYPE = `
  insert into session_types (session_id, type, block)
  values (?, ?, ?)
  on conflict do nothing`

const SELECT_KEY = `
  select fingerprint, first_sequence as first, last_sequence as last
  from session_keys
  where session_id = ? and key = ?`

const INSERT_KEY = `
  insert into session_keys (session_id, key, fingerprint, first_sequence, last_sequence)
  values (?, ?, ?, ?, ?)`

const SELECT_RANGE = `
  select sequence, id, type, role, content, parts, agent_id, occurred_at, created_at
  from session_log
  where session_id = ? and sequence between ? and ?
  order by sequence`

/** Writes to a log. Each runs inside an open transaction and checks everything before it writes. */
export interface LogWriter {
  append(request: AppendRequest): WriteResult
  decide(request: DecideRequest): WriteResult
  /** Appends events after `head`. */
  insert(sessionId: string, head: number, events: readonly NewEvent[], at: string): StoredEvent[]
  /** Inserts events with their own sequences and times. */
  insertStored(sessionId: string, events: readonly ChecksummedEvent[]): void
}

/** Writers of the views that a write may change. */
interface ViewWriters {
  work: WorkWriter
  envelopes: EnvelopeWriter
  labels: LabelWriter
  usages: UsageWriter
}

export function logWriter(db: Database, heads: HeadCache, { work, envelopes, labels, usages }: ViewWriters): LogWriter {
  const insertEvent = prepared(db, INSERT_EVENT)
  const insertTexts = prepared(db, INSERT_TEXTS)
  const insertType = prepared(db, INSERT_TYPE)
  const selectKey = prepared<[string, string], { fingerprint: string; first: number; last: number }>(db, SELECT_KEY)
  const insertKey = prepared(db, INSERT_KEY)
  const selectRange = prepared<[string, number, number], EventRow>(db, SELECT_RANGE)
  const selectView = prepared<[string], ViewRow & EnvelopeColumns>(db, SELECT_VIEW)
  const updateView = prepared(db, UPDATE_VIEW)
  const updateDue = prepared(db, UPDATE_DUE)
  const upsertState = prepared(db, UPSERT_STATE)

  function replay(sessionId: string, stamp: IdempotencyStamp | undefined): WriteResult | undefined {
    const known = stamp && selectKey.get(sessionId, stamp.key)
    if (stamp === undefined || known === undefined) return undefined
    if (known.fingerprint !== stamp.fingerprint) throw new IdempotencyMismatchError({ sessionId, key: stamp.key })
    return { events: selectRange.all(sessionId, known.first, known.last).map(eventOf), replayed: true }
  }

  function saveKey(sessionId: string, stamp: IdempotencyStamp | undefined, head: number, count: number): void {
    if (stamp) insertKey.run(sessionId, stamp.key, stamp.fingerprint, head + 1, head + count)
  }

  function insert(sessionId: string, head: number, events: readonly NewEvent[], at: string): StoredEvent[] {
    return events.map((event, i) => insertTyped(sessionId, event, head + i + 1, at))
  }

  function insertStored(sessionId: string, events: readonly ChecksummedEvent[]): void {
    for (const event of events) insertTyped(sessionId, event, event.sequence, event.createdAt)
  }

  function insertTyped(sessionId: string, event: NewEvent, sequence: number, at: string): StoredEvent {
    insertType.run(sessionId, event.type, blockOf(sequence))
    return insertRow(sessionId, event, sequence, at)
  }

  function insertRow(sessionId: string, event: NewEvent, sequence: number, at: string): StoredEvent {
    const { id, type, role, content, parts, agentId, occurredAt, checksum } = event
    const isLong = content.length + (parts?.length ?? 0) > LONG_EVENT
    if (isLong) insertTexts.run(sessionId, sequence, content, parts ?? null)
    const [text, rest] = isLong ? [null, null] : [content, parts ?? null]
    const when = occurredAt ?? null
    insertEvent.run(sessionId, sequence, id, type, role, text, rest, agentId ?? null, when, at, checksum)
    return storedEvent(event, sequence, at)
  }

  /** Like `insert`, but inserts a type only if the cached head does not know it. */
  function insertAfterHead(head: Head, events: readonly NewEvent[], at: string): StoredEvent[] {
    return events.map((event, i) => {
      const stored = insertRow(head.id, event, head.head + i + 1, at)
      const block = blockOf(stored.sequence)
      if (head.types === undefined || head.block !== block) Object.assign(head, { block, types: new Set() })
      if (!head.types?.has(event.type)) insertType.run(head.id, event.type, block)
      head.types?.add(event.type)
      return stored
    })
  }

  /** Shortcut for scratchpad changes: writing the whole session row would rewrite its entries in eight indexes. */
  function changeState(key: SessionKey, events: readonly NewEvent[], view: SessionView, at: string): WriteResult {
    const head = heads.load(key)
    const stored = insertAfterHead(head, events, at)
    heads.advance(key.sessionId, head, events, at)
    upsertState.run(stateRow(view))
    return { events: stored, replayed: false }
  }

  return {
    insert,
    insertStored: insertStored,

    append(request) {
      // named one by one: collecting the rest as the key took as long as the checks
      const { sessionId, events, at, idempotency, expectedSequence, usage, run } = request
      const head = heads.load(request)
      const known = replay(sessionId, idempotency)
      if (known !== undefined) return known
      checkLive(head, at)
      if (expectedSequence !== undefined && expectedSequence !== head.head) {
        throw new SequenceConflictError({ sessionId, expected: expectedSequence, actual: head.head })
      }
      if (run !== undefined && run !== head.runGeneration) throw new RunLostError({ sessionId, generation: run })
      saveKey(sessionId, idempotency, head.head, events.length)
      const stored = insertAfterHead(head, events, at)
      heads.advance(sessionId, head, events, at)
      if (usage !== undefined) usages.add(head, usage, at)
      return { events: stored, replayed: false }
    },

    decide({ at, idempotency, chained, decide, ...key }) {
      const { sessionId } = key
      heads.writeAndForget(sessionId)
      const row = visibleRow(selectView.get(sessionId), key)
      if (row === undefined) throw new SessionNotFoundError(sessionId)
      const known = replay(sessionId, idempotency)
      if (known !== undefined) return known
      const before = viewOf(row)
      const last = chained ? work.lastCommit(before) : undefined
      const { events, view, edges = [], usage } = runDecider(decide, before, last)
      if (events.length === 0) return { events: [], replayed: false }
      saveKey(sessionId, idempotency, row.head, events.length)
      if (edges.length === 0 && onlyStateChanged(before, view)) return changeState(key, events, view, at)
      const stored = insert(sessionId, row.head, events, at)
      const after = rowOf(view)
      updateView.run({ ...after, added_bytes: bytesOfAll(events) })
      if (after.due_at !== row.due_at) updateDue.run(after.due_at, sessionId)
      upsertState.run(after)
      if (after.metadata !== row.metadata) labels.replace(view.record)
      if (view.envelopeAt !== row.envelope_at) envelopes.save(view)
      work.insertEdges(
        sessionId,
        edges.map(({ event, ...edge }) => ({ ...edge, sequence: row.head + event + 1 })),
      )
      if (usage !== undefined) {
        const rows = usage.models.map((sums) => ({ ...sums, day: dayOf(at) }))
        usages.change(sessionId, view.record, { cleared: false, rows })
      }
      if (view.commit !== undefined && view.commit.id !== row.commit_id) work.link(view, at)
      return { events: stored, replayed: false }
    },
  }
}

/** A decider may throw anything; nothing is written at that point. */
function runDecider(decide: DecideRequest['decide'], view: SessionView, last: CommitLink | undefined): Decision {
  try {
    return decide(view, last)
  } catch (cause) {
    throw new Refusal('refused by the decider', { cause })
  }
}
