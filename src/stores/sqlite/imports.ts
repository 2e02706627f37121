import type { Database } from 'better-sqlite3'
import { ImportConflictError, SequenceConflictError, SessionActiveError } from '../../domain/errors.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import type { SessionView } from '../../domain/fold.ts'
import { type Json, stringifyJson } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { isWithin } from '../../domain/record.ts'
import type { FoundImport, ImportBlock, UnfinishedQuery } from '../../ports/import-store.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import type { LogWriter } from './append.ts'
import type { HeadCache } from './head-cache.ts'
import type { HiddenSessions, Removal } from './hidden-sessions.ts'
import type { IntakeGate } from './intake.ts'
import { LIMIT } from './limit.ts'
import { type EnvelopeColumns, type ViewRow, viewOf } from './rows.ts'
import type { SessionWriter } from './sessions.ts'
import { prepared } from './statement.ts'
import type { UsageWriter } from './usage.ts'
import { SELECT_VIEW } from './view-sql.ts'
import type { WorkWriter } from './work.ts'

/** No row: the session does not exist. */
const SELECT_STORED = 'select tenant, user_id, head from sessions where id = ?'

/** No row: no import is pending. */
const SELECT_PENDING = 'select tenant, user_id, head, bytes, view from session_imports where session_id = ?'

const PUT_PENDING = `
  insert into session_imports (session_id, tenant, user_id, head, bytes, view)
  values (?, ?, ?, ?, ?, ?)
  on conflict do update
  set head = excluded.head, bytes = excluded.bytes, view = excluded.view`

const SELECT_EVENT_ID = 'select id from session_events where session_id = ? and sequence = ?'

/** The statement for the owner in the query. */
export function pendingSql({ within }: Pick<UnfinishedQuery, 'within'>): string {
  const conditions = [
    ...(within !== undefined ? ['tenant = @tenant'] : []),
    ...(within?.userId !== undefined ? ['user_id = @userId'] : []),
    'session_id > @after',
  ]
  return `
    select session_id
    from session_imports
    where ${conditions.join(' and ')}
    order by session_id
    ${LIMIT}`
}

interface Position {
  tenant: string
  user_id: string
  head: number
}

interface Writers {
  heads: HeadCache
  log: LogWriter
  work: WorkWriter
  sessions: SessionWriter
  hidden: HiddenSessions
  intake: IntakeGate
  usages: UsageWriter
}

/** Writes of imports, each inside an open transaction. Each checks everything before it writes. */
export function importWriter(db: Database, { heads, log, work, sessions, hidden, intake, usages }: Writers) {
  const selectStored = prepared<[string], Position>(db, SELECT_STORED)
  const selectPending = prepared<[string], Position & { bytes: number }>(db, SELECT_PENDING)
  const putPending = prepared(db, PUT_PENDING)
  const deletePending = prepared(db, 'delete from session_imports where session_id = ?')

  /** Throws if another session occupies its scope or its position in the commit chain. */
  function checkConflicts(view: SessionView): void {
    const { record, commit } = view
    const live = record.endedAt === undefined ? sessions.blocking(record) : undefined
    if (live !== undefined && live.id !== record.id) {
      throw new SessionActiveError({ sessionId: live.id, conversationId: live.conversationId })
    }
    const link = work.linkAt(view)
    if (link !== undefined && (link.id !== commit?.id || link.sessionId !== record.id)) {
      throw new ImportConflictError({ sessionId: record.id, reason: 'commit' })
    }
  }

  function savePending({ sessionId, view }: ImportBlock, bytes: number): void {
    const { tenant, userId, head } = view.record
    putPending.run(sessionId, tenant, userId, head, bytes, stringifyJson(view as unknown as Json))
  }

  return {
    write(block: ImportBlock): void {
      const { sessionId, events, edges, usage, view, done } = block
      intake.checkHidden(sessionId)
      heads.writeAndForget(sessionId)
      const stored = selectStored.get(sessionId)
      const pending = stored === undefined ? selectPending.get(sessionId) : undefined
      checkPosition(block, stored ?? pending)
      if (stored !== undefined || done) checkConflicts(view)
      log.insertStored(sessionId, events)
      work.insertEdges(sessionId, edges)
      usages.change(sessionId, view.record, usage)
      const added = bytesOfAll(events)
      if (stored !== undefined) {
        sessions.replaceView(view, added)
      } else if (done) {
        deletePending.run(sessionId)
        sessions.insertView(view, (pending?.bytes ?? 0) + added)
      } else {
        savePending(block, (pending?.bytes ?? 0) + added)
        return
      }
      work.restoreLink(view)
    },

    /** Removes the first piece of an unfinished import, or the next one of a hidden session. */
    discard({ sessionId, within }: SessionKey): Removal {
      const pending = selectPending.get(sessionId)
      const user = pending ? { tenant: pending.tenant, userId: pending.user_id } : hidden.find(sessionId)
      if (user === undefined || !isWithin(user, within)) return { events: 0, keys: 0, isDone: true }
      deletePending.run(sessionId)
      return hidden.remove(sessionId, user)
    },
  }
}

export type ImportWriter = ReturnType<typeof importWriter>

/** Throws unless the block has the owner of the session and follows its last event. */
function checkPosition({ sessionId, after, view }: ImportBlock, before: Position | undefined): void {
  const { tenant, userId } = view.record
  if (before !== undefined && (before.tenant !== tenant || before.user_id !== userId)) {
    throw new ImportConflictError({ sessionId, reason: 'owner' })
  }
  const actual = before?.head ?? 0
  if (actual !== after) throw new SequenceConflictError({ sessionId, expected: after, actual })
}

/** Reads of imports. */
export function importReader(db: Database, hidden: HiddenSessions) {
  const selectView = prepared<[string], ViewRow & EnvelopeColumns>(db, SELECT_VIEW)
  const selectPending = prepared<[string], Position & { view: string }>(db, SELECT_PENDING)
  const selectEventId = prepared<[string, number], string>(db, SELECT_EVENT_ID).pluck()

  /** In a transaction: the import may finish between two reads. */
  const find = db.transaction((sessionId: string): FoundImport | undefined => {
    const stored = selectView.get(sessionId)
    const row = stored ?? selectPending.get(sessionId)
    if (row === undefined) return undefined
    const lastEventId = selectEventId.get(sessionId, row.head) ?? ''
    if (stored !== undefined) return { view: viewOf(stored), lastEventId, isUnfinished: false }
    return { view: JSON.parse((row as { view: string }).view), lastEventId, isUnfinished: true }
  })

  return {
    find: (sessionId: string): FoundImport | undefined => find(sessionId),

    unfinished(query: UnfinishedQuery): string[] {
      const found = hidden.ids(query)
      if (query.abandoned === true) return found
      const { after = '', limit, within } = query
      const { tenant, userId } = within ?? {}
      const select = prepared<[object], string>(db, pendingSql(defined({ within }))).pluck()
      found.push(...select.all({ after, limit, tenant, userId }))
      return found.sort().slice(0, limit)
    },
  }
}
