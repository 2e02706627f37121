import type { Database } from 'better-sqlite3'
import { SessionNotFoundError, StorageError } from '../../domain/errors.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import type { SessionView } from '../../domain/fold.ts'
import { endTime, type Scope, type SessionRecord } from '../../domain/record.ts'
import { withStoredLease } from '../../domain/run.ts'
import type { DailyUsage } from '../../domain/usage.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type {
  ActiveQuery,
  CreateRequest,
  CreateResult,
  DeriveRequest,
  ForkRequest,
  SessionKey,
  StoredEdge,
} from '../../ports/session-store.ts'
import { INSERT_TYPE, type LogWriter } from './append.ts'
import type { ChildSessions } from './children.ts'
import type { EnvelopeWriter } from './envelopes.ts'
import type { HeadCache } from './head-cache.ts'
import type { HiddenSessions, Removal } from './hidden-sessions.ts'
import type { IntakeGate } from './intake.ts'
import type { LabelWriter } from './labels.ts'
import { type EventBatches, runPiece } from './pieces.ts'
import type { IndexWriter } from './recall-write.ts'
import { blockOf, recordOf, rowOf, type SessionRow, visibleRow } from './rows.ts'
import type { LeaseWriter } from './runs.ts'
import { prepared } from './statement.ts'
import type { UsageWriter } from './usage.ts'
import { INSERT_SESSION, UPDATE_DUE, UPDATE_VIEW, UPSERT_STATE } from './view-sql.ts'
import { type EdgePosition, FIRST_EDGE, type WorkWriter } from './work.ts'

const SELECT_SESSION = 'select * from sessions where id = ?'

/** Newest session of the user that has neither ended nor expired, and is nobody's child. */
export const SELECT_ACTIVE = `
  select *
  from sessions
  where tenant = @tenant and user_id = @userId and chatmode = @chatmode and ended_at is null and parent_id is null
    and (expires_at is null or expires_at > @at)
  order by started_at desc, id desc
  limit 1`

/** The live session that blocks a new one in its scope, expired or not. */
const SELECT_BLOCKING = `
  select *
  from sessions
  where tenant = ? and user_id = ? and chatmode = ? and conversation_id = ? and ended_at is null`

const COPY_EVENTS = `
  insert into session_events
    (session_id, sequence, id, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  select ?, sequence, new_id(), type, role, content, parts, agent_id, occurred_at, created_at, checksum
  from session_events
  where session_id = ? and sequence > ? and sequence <= ?
  order by sequence`

const COPY_TEXTS = `
  insert into session_texts (session_id, sequence, content, parts)
  select ?, sequence, content, parts
  from session_texts
  where session_id = ? and sequence > ? and sequence <= ?`

/** How far a fork has copied its source. */
export interface CopyPosition {
  sequence: number
  /** Of the copied events. */
  bytes: number
  /** The last copied edge; `undefined` once all are copied. */
  edge: EdgePosition | undefined
  /** When the source started: another session may have its id by now. */
  readonly startedAt: string
}

/** Writers of the data of a session. */
interface Writers {
  heads: HeadCache
  log: LogWriter
  work: WorkWriter
  index: IndexWriter
  envelopes: EnvelopeWriter
  intake: IntakeGate
  hidden: HiddenSessions
  batches: EventBatches
  labels: LabelWriter
  children: ChildSessions
  usages: UsageWriter
  leases: LeaseWriter
}

/**
 * Writes that create, fork, repair or purge sessions, each inside an open transaction, and the search for an active
 * one.
 */
export function sessionWriter(db: Database, writers: Writers, newId: () => string, pieceMs: number) {
  const { heads, log, work, index, envelopes, intake, hidden, batches, labels, children, usages, leases } = writers
  db.function('new_id', { directOnly: true }, () => newId())
  const selectSession = prepared<[string], SessionRow>(db, SELECT_SESSION)
  const selectActive = prepared<[object], SessionRow>(db, SELECT_ACTIVE)
  const selectBlocking = prepared<[string, string, string, string], SessionRow>(db, SELECT_BLOCKING)
  const insertSession = prepared(db, INSERT_SESSION)
  const updateView = prepared(db, UPDATE_VIEW)
  const updateDue = prepared(db, UPDATE_DUE)
  const upsertState = prepared(db, UPSERT_STATE)
  const copyEvents = prepared(db, COPY_EVENTS)
  const copyTexts = prepared(db, COPY_TEXTS)
  const insertType = prepared(db, INSERT_TYPE)
  const deleteHead = [
    prepared(db, 'delete from session_state where session_id = ?'),
    prepared(db, 'delete from sessions where id = ?'),
  ]

  function insertView(view: SessionView, bytes: number): void {
    const row = rowOf(view)
    insertSession.run({ ...row, bytes })
    labels.save(view.record)
    upsertState.run(row)
    envelopes.save(view)
  }

  function replaceView(view: SessionView, addedBytes: number): void {
    const row = rowOf(view)
    updateView.run({ ...row, added_bytes: addedBytes })
    updateDue.run(row.due_at, row.id)
    labels.replace(view.record)
    upsertState.run(row)
    envelopes.save(view)
  }

  function blocking({ tenant, userId, chatmode, conversationId }: Scope): SessionRecord | undefined {
    const row = selectBlocking.get(tenant, userId, chatmode, conversationId)
    return row && recordOf(row)
  }

  function active({ tenant, userId, chatmode, conversationId, at }: ActiveQuery): SessionRecord | undefined {
    if (conversationId === undefined) {
      const row = selectActive.get({ tenant, userId, chatmode, at })
      return row && recordOf(row)
    }
    const record = blocking({ tenant, userId, chatmode, conversationId })
    return record && endTime(record, at) === undefined ? record : undefined
  }

  /** Returns false if everything up to the sequence is copied. */
  function copySome(id: string, { sessionId, sequence }: ForkRequest['source'], position: CopyPosition): boolean {
    const batch = batches.next(sessionId, position.sequence).filter((event) => event.sequence <= sequence)
    const last = batch.at(-1)
    if (last !== undefined) {
      for (const copy of [copyTexts, copyEvents]) copy.run(id, sessionId, position.sequence, last.sequence)
      for (const event of batch) insertType.run(id, event.type, blockOf(event.sequence))
      position.sequence = last.sequence
      for (const { bytes } of batch) position.bytes += bytes
      return true
    }
    if (position.edge !== undefined) position.edge = work.copySomeEdges(id, sessionId, sequence, position.edge)
    return position.edge !== undefined
  }

  /** Removes all that makes a session visible; returns its owner. */
  function hide(key: SessionKey, at: string): UserKey {
    const { sessionId } = key
    const { tenant, userId } = heads.load(key)
    heads.forget(sessionId)
    work.markPurged(sessionId, at)
    envelopes.forget(sessionId)
    labels.remove(sessionId)
    for (const statement of deleteHead) statement.run(sessionId)
    return { tenant, userId }
  }

  return {
    active,
    blocking,
    /** Inserts a session from its views and the bytes of its log, without events. */
    insertView,
    /** Replaces the stored views. */
    replaceView,

    create({ event, at, view, reuse, ignorePause }: CreateRequest): CreateResult {
      const { id, tenant, userId, chatmode, conversationId } = view.record
      const same = selectSession.get(id)
      if (same !== undefined) return { outcome: 'same-id', record: recordOf(same) }
      intake.checkId(id)
      children.checkParent(view.record, at)
      if (reuse !== 'none') {
        const found = active({ tenant, userId, chatmode, at, ...(reuse === 'conversation' && { conversationId }) })
        if (found !== undefined) return { outcome: 'found', record: found }
      }
      const blocker = blocking(view.record)
      if (blocker !== undefined) return { outcome: 'blocked', record: blocker }
      if (ignorePause !== true) intake.check()
      insertView(view, bytesOfAll([event]))
      log.insert(id, 0, [event], at)
      return { outcome: 'created', record: view.record }
    },

    /**
     * Copies the next piece of a fork. Returns how far it came; the copy stays hidden until the last piece returns the
     * result.
     */
    fork({ source, event, at, view }: ForkRequest, copied?: CopyPosition): CreateResult | CopyPosition {
      const { id } = view.record
      if (copied === undefined) {
        const same = selectSession.get(id)
        if (same !== undefined) return { outcome: 'same-id', record: recordOf(same) }
        intake.checkId(id)
      } else if (hidden.find(id)?.forkEvent !== event.id) {
        throw new StorageError(
          'sqlite',
          `the copy of session '${source.sessionId}' was removed meanwhile; fork it again`,
        )
      }
      const found = visibleRow(selectSession.get(source.sessionId), source)
      if (found === undefined || (copied ?? { startedAt: found.started_at }).startedAt !== found.started_at) {
        throw new SessionNotFoundError(source.sessionId)
      }
      if (copied === undefined) intake.check()
      // a copy: if another write of the transaction fails, this one runs again
      const position = { ...(copied ?? { sequence: 0, bytes: 0, edge: FIRST_EDGE, startedAt: found.started_at }) }
      if (!runPiece(() => copySome(id, source, position), pieceMs)) {
        hidden.keepHidden(id, view.record, event.id)
        return position
      }
      hidden.reveal(id)
      insertView(view, position.bytes + bytesOfAll([event]))
      log.insert(id, source.sequence, [event], at)
      return { outcome: 'created', record: view.record }
    },

    /** Hides the session and removes the first piece of it. */
    purge(key: SessionKey, at: string): Removal {
      return hidden.remove(key.sessionId, hide(key, at))
    },

    /** Hides several sessions at once, and removes nothing else of them yet. */
    hideAll(keys: readonly SessionKey[], at: string): void {
      for (const key of keys) hidden.keepHidden(key.sessionId, hide(key, at), null)
    },

    deriveWork(request: DeriveRequest): boolean {
      return work.derive(request, heads.load(request).head)
    },

    repair(
      key: SessionKey,
      expectedHead: number,
      view: SessionView,
      edges: readonly StoredEdge[],
      usage: readonly DailyUsage[] = [],
      bytes?: number,
    ): boolean {
      const { head, tenant, userId, bytes: before } = heads.load(key)
      if (head !== expectedHead) return false
      // its index entries are in the partition of the previous owner
      if (tenant !== view.record.tenant || userId !== view.record.userId) index.drop(key.sessionId)
      heads.writeAndForget(key.sessionId)
      replaceView(withStoredLease(view, leases.stored(key.sessionId)), (bytes ?? before) - before)
      work.replaceEdges(key.sessionId, edges)
      usages.change(key.sessionId, view.record, { cleared: true, rows: usage })
      if (view.commit !== undefined) work.linkIfFree(view)
      return true
    },
  }
}

export type SessionWriter = ReturnType<typeof sessionWriter>
