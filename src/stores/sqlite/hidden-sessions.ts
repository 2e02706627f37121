import type { Database } from 'better-sqlite3'
import type { UnfinishedQuery } from '../../ports/import-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { PurgeCounts } from '../../ports/session-store.ts'
import { LIMIT } from './limit.ts'
import { OWNED, ownerOf } from './owner-filter.ts'
import { type EventBatches, removeSomeSql, runPiece } from './pieces.ts'
import type { IndexWriter } from './recall-write.ts'
import { prepared } from './statement.ts'
import { REMOVE_MARKS } from './work.ts'

/** A process that has not touched its hidden session for so long has ended, in milliseconds. */
const LEASE_MS = 10_000

const HIDE = `
  insert into hidden_sessions (session_id, tenant, user_id, fork_event, touched_at)
  values (?, ?, ?, ?, ?)
  on conflict do update
  set fork_event = excluded.fork_event, touched_at = excluded.touched_at`

/** No row: the session does not exist, or is visible. */
const SELECT_HIDDEN = `
  select tenant, user_id as userId, fork_event as forkEvent, touched_at as touchedAt
  from hidden_sessions
  where session_id = ?`

/** @touchedBefore: time since which no process has worked on them. */
const SELECT_HIDDEN_IDS = `
  select session_id
  from hidden_sessions
  where session_id > @after and touched_at < @touchedBefore and ${OWNED}
  order by session_id
  ${LIMIT}`

const REMOVE_EVENTS = 'delete from session_events where session_id = ? and sequence <= ?'

const REMOVE_TEXTS = 'delete from session_texts where session_id = ? and sequence <= ?'

const OF_SESSION = 'session_id = @sessionId'

export const REMOVE_SOME = {
  types: removeSomeSql('session_types', 'type, block', OF_SESSION),
  edges: removeSomeSql('session_edges', 'from_node, label, to_node, sequence, tools', OF_SESSION),
  keys: removeSomeSql('session_keys', 'key', OF_SESSION),
  usage: removeSomeSql('session_usage', 'day, model', OF_SESSION),
}

/** What a step removed, and whether that was the rest. */
export interface Removal extends PurgeCounts {
  readonly isDone: boolean
}

export interface HiddenSession extends UserKey {
  /** Id of the event that completes the fork; null: its rows are being removed. */
  readonly forkEvent: string | null
  readonly touchedAt: string
}

/**
 * Sessions that no call sees: a purge removes their rows, or a fork copies them, piece by piece. Each call runs inside
 * an open transaction. Times are those of this machine, since every process that has the file open runs on it.
 */
export function hiddenSessions(db: Database, index: IndexWriter, batches: EventBatches, pieceMs: number) {
  const hide = prepared(db, HIDE)
  const select = prepared<[string], HiddenSession>(db, SELECT_HIDDEN)
  const selectIds = prepared<[object], string>(db, SELECT_HIDDEN_IDS).pluck()
  const reveal = prepared(db, 'delete from hidden_sessions where session_id = ?')
  const allowRemoval = prepared(db, 'insert into session_purges (session_id) values (?)')
  const removeEvents = prepared(db, REMOVE_EVENTS)
  const removeTexts = prepared(db, REMOVE_TEXTS)
  const forbidRemoval = prepared(db, 'delete from session_purges where session_id = ?')
  const removeTypes = prepared<[object]>(db, REMOVE_SOME.types)
  const removeEdges = prepared<[object]>(db, REMOVE_SOME.edges)
  const removeKeys = prepared<[object]>(db, REMOVE_SOME.keys)
  const removeUsage = prepared<[object]>(db, REMOVE_SOME.usage)
  const removeMark = prepared(db, 'delete from session_marks where session_id = ?')
  const removeWorkMarks = prepared(db, REMOVE_MARKS)

  function keepHidden(sessionId: string, { tenant, userId }: UserKey, forkEvent: string | null): void {
    hide.run(sessionId, tenant, userId, forkEvent, new Date().toISOString())
  }

  /** Returns false if nothing is left. */
  function removeSome(sessionId: string, user: UserKey, counts: { events: number; keys: number }): boolean {
    if (index.removeSome(sessionId, user)) return true
    const last = batches.next(sessionId, 0).at(-1)
    if (last !== undefined) {
      allowRemoval.run(sessionId)
      removeTexts.run(sessionId, last.sequence)
      counts.events += removeEvents.run(sessionId, last.sequence).changes
      forbidRemoval.run(sessionId)
      return true
    }
    const keys = removeKeys.run({ sessionId }).changes
    counts.keys += keys
    const others = [removeTypes, removeEdges, removeUsage].map((statement) => statement.run({ sessionId }).changes)
    return keys > 0 || others.some((removed) => removed > 0)
  }

  return {
    keepHidden,
    find: (sessionId: string): HiddenSession | undefined => select.get(sessionId),
    reveal: (sessionId: string) => reveal.run(sessionId),

    /** Hides a session without a row in `sessions`, or keeps it hidden, and removes the next piece of it. */
    remove(sessionId: string, user: UserKey): Removal {
      const counts = { events: 0, keys: 0 }
      const isDone = runPiece(() => removeSome(sessionId, user, counts), pieceMs)
      if (isDone) {
        removeMark.run(sessionId)
        removeWorkMarks.run(sessionId)
        reveal.run(sessionId)
      } else {
        keepHidden(sessionId, user, null)
      }
      return { ...counts, isDone }
    },

    /** Ids in ascending order; with `abandoned`, only those whose process has ended. */
    ids({ after = '', limit, within, abandoned = false }: UnfinishedQuery): string[] {
      const touchedBefore = abandoned ? leaseStart() : '9999'
      return selectIds.all({ after, limit, touchedBefore, ...ownerOf(within) })
    },
  }
}

export type HiddenSessions = ReturnType<typeof hiddenSessions>

/** Whether the process that hid the session has ended. */
export function isAbandoned({ touchedAt }: HiddenSession): boolean {
  return touchedAt < leaseStart()
}

function leaseStart(): string {
  return new Date(Date.now() - LEASE_MS).toISOString()
}
