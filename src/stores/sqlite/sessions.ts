import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { Scope, SessionRecord } from '../../domain/record.ts'
import type {
  ActiveQuery,
  CreateRequest,
  CreateResult,
  ForkRequest,
  PurgeCounts,
  SessionKey,
  StoredEdge,
} from '../../ports/session-store.ts'
import type { LogWriter } from './append.ts'
import type { EnvelopeWriter } from './envelopes.ts'
import type { HeadCache } from './head-cache.ts'
import type { IntakeGate } from './intake.ts'
import type { IndexWriter } from './recall-write.ts'
import { BLOCK, recordOf, rowOf, type SessionRow, visibleRow } from './rows.ts'
import { prepared } from './statement.ts'
import { INSERT_SESSION, UPDATE_VIEW, UPSERT_STATE } from './view-sql.ts'
import type { WorkWriter } from './work.ts'

const SELECT_SESSION = 'select * from sessions where id = ?'

/** Newest session of the scope that has neither ended nor expired. @conversationId null: any conversation. */
export const SELECT_ACTIVE = `
  select *
  from sessions
  where tenant = @tenant and user_id = @userId and chatmode = @chatmode and ended_at is null
    and (@conversationId is null or conversation_id = @conversationId)
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
  where session_id = ? and sequence <= ?
  order by sequence`

const COPY_TYPES = `
  insert into session_types (session_id, type, block)
  select distinct ?, type, sequence / ${BLOCK}
  from session_events
  where session_id = ? and sequence <= ?`

/** Writers of the data of a session. */
interface Writers {
  heads: HeadCache
  log: LogWriter
  work: WorkWriter
  index: IndexWriter
  envelopes: EnvelopeWriter
  intake: IntakeGate
}

/**
 * Writes that create, fork, repair or purge sessions, each inside an open transaction, and the search for an active
 * one.
 */
export function sessionWriter(db: Database, writers: Writers, newId: () => string) {
  const { heads, log, work, index, envelopes, intake } = writers
  db.function('new_id', { directOnly: true }, () => newId())
  const selectSession = prepared<[string], SessionRow>(db, SELECT_SESSION)
  const selectActive = prepared<[object], SessionRow>(db, SELECT_ACTIVE)
  const selectBlocking = prepared<[string, string, string, string], SessionRow>(db, SELECT_BLOCKING)
  const insertSession = prepared(db, INSERT_SESSION)
  const updateView = prepared(db, UPDATE_VIEW)
  const upsertState = prepared(db, UPSERT_STATE)
  const copyEvents = prepared(db, COPY_EVENTS)
  const copyTypes = prepared(db, COPY_TYPES)
  const deleteKeys = prepared(db, 'delete from session_keys where session_id = ?')
  const deleteRest = [
    prepared(db, 'delete from session_state where session_id = ?'),
    prepared(db, 'delete from sessions where id = ?'),
  ]

  function insertView(view: SessionView): void {
    const row = rowOf(view)
    insertSession.run(row)
    upsertState.run(row)
    envelopes.save(view)
  }

  function replaceView(view: SessionView): void {
    const row = rowOf(view)
    updateView.run(row)
    upsertState.run(row)
    envelopes.save(view)
  }

  function blocking({ tenant, userId, chatmode, conversationId }: Scope): SessionRecord | undefined {
    const row = selectBlocking.get(tenant, userId, chatmode, conversationId)
    return row && recordOf(row)
  }

  function active({ tenant, userId, chatmode, conversationId, at }: ActiveQuery): SessionRecord | undefined {
    const row = selectActive.get({ tenant, userId, chatmode, conversationId: conversationId ?? null, at })
    return row && recordOf(row)
  }

  return {
    active,
    blocking,
    /** Inserts a session from its views, without events. */
    insertView,
    /** Replaces the stored views. */
    replaceView,

    create({ event, at, view, reuse, ignorePause }: CreateRequest): CreateResult {
      const { id, tenant, userId, chatmode, conversationId } = view.record
      const same = selectSession.get(id)
      if (same !== undefined) return { outcome: 'same-id', record: recordOf(same) }
      intake.checkId(id)
      if (reuse !== 'none') {
        const found = active({ tenant, userId, chatmode, at, ...(reuse === 'conversation' && { conversationId }) })
        if (found !== undefined) return { outcome: 'found', record: found }
      }
      const blocker = blocking(view.record)
      if (blocker !== undefined) return { outcome: 'blocked', record: blocker }
      if (ignorePause !== true) intake.check()
      insertView(view)
      log.insert(id, 0, [event], at)
      return { outcome: 'created', record: view.record }
    },

    fork({ source, event, at, view }: ForkRequest): CreateResult {
      const same = selectSession.get(view.record.id)
      if (same !== undefined) return { outcome: 'same-id', record: recordOf(same) }
      intake.checkId(view.record.id)
      if (visibleRow(selectSession.get(source.sessionId), source) === undefined) {
        throw new SessionNotFoundError(source.sessionId)
      }
      intake.check()
      insertView(view)
      copyEvents.run(view.record.id, source.sessionId, source.sequence)
      copyTypes.run(view.record.id, source.sessionId, source.sequence)
      work.copyEdges(view.record.id, source.sessionId, source.sequence)
      log.insert(view.record.id, source.sequence, [event], at)
      return { outcome: 'created', record: view.record }
    },

    purge(key: SessionKey, at: string): PurgeCounts {
      const { sessionId } = key
      heads.load(key)
      heads.forget(sessionId)
      const events = log.removeEvents(sessionId)
      const keys = deleteKeys.run(sessionId).changes
      work.purge(sessionId, at)
      envelopes.forget(sessionId)
      index.forget(sessionId)
      for (const statement of deleteRest) statement.run(sessionId)
      return { events, keys }
    },

    repair(key: SessionKey, expectedHead: number, view: SessionView, edges: readonly StoredEdge[]): boolean {
      const { head, tenant, userId } = heads.load(key)
      if (head !== expectedHead) return false
      // its index entries are in the partition of the previous owner
      if (tenant !== view.record.tenant || userId !== view.record.userId) index.drop(key.sessionId)
      heads.writeAndForget(key.sessionId)
      replaceView(view)
      work.replaceEdges(key.sessionId, edges)
      if (view.commit !== undefined) work.linkIfFree(view)
      return true
    },
  }
}

export type SessionWriter = ReturnType<typeof sessionWriter>
