import { ImportConflictError, SequenceConflictError, SessionActiveError } from '../../domain/errors.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import { cloneJson } from '../../domain/json.ts'
import { isWithin } from '../../domain/record.ts'
import type { ImportBlock, ImportStore } from '../../ports/import-store.ts'
import { storedEvent } from '../stored-event.ts'
import { type MemoryData, newSession, type StoredSession, scopeKey } from './data.ts'
import { loadView, replaceView } from './envelopes.ts'
import { addSession, findBlocking, notifyWatchers } from './sessions.ts'
import { changeUsage } from './usage.ts'
import { addEdge, findLink, restoreLink } from './work.ts'

/** Imports into the data. */
export function importStore(data: MemoryData, assertOpen: () => void): ImportStore {
  const { sessions, pendingImports, scopes, commitChains } = data

  /** Makes a complete import visible. */
  function publish(session: StoredSession): void {
    const { record } = session.view
    if (pendingImports.delete(record.id) || !sessions.has(record.id)) addSession(data, session)
    else if (record.endedAt === undefined) scopes.set(scopeKey(record), session)
    restoreLink(commitChains, session)
    notifyWatchers(data, record.id)
  }

  return {
    async find(sessionId) {
      assertOpen()
      const session = sessions.get(sessionId) ?? pendingImports.get(sessionId)
      if (session === undefined) return undefined
      const lastEventId = session.events.at(-1)?.id ?? ''
      return { view: loadView(session), lastEventId, isUnfinished: pendingImports.has(sessionId) }
    },

    async write(block) {
      assertOpen()
      const { sessionId, events, edges, view, done } = block
      const isStored = sessions.has(sessionId)
      const before = sessions.get(sessionId) ?? pendingImports.get(sessionId)
      checkPosition(block, before)
      if (isStored || done) checkConflicts(data, block)
      const session = before ?? newSession(view)
      for (const event of events) {
        session.events.push(storedEvent(event, event.sequence, event.createdAt))
        session.checksums.push(event.checksum)
      }
      session.bytes += bytesOfAll(events)
      for (const edge of cloneJson(edges)) addEdge(session.edges, edge)
      changeUsage(session, block.usage)
      replaceView(session, view, true)
      if (isStored || done) publish(session)
      else pendingImports.set(sessionId, session)
    },

    async unfinished({ after = '', limit, within, abandoned }) {
      assertOpen()
      // a purge or a fork is one step here
      if (abandoned === true) return []
      const ids = [...pendingImports]
        .filter(([id, { view }]) => id > after && isWithin(view.record, within))
        .map(([id]) => id)
      return ids.sort().slice(0, limit)
    },

    async discard({ sessionId, within }) {
      assertOpen()
      const pending = pendingImports.get(sessionId)
      if (pending === undefined || !isWithin(pending.view.record, within)) return 0
      pendingImports.delete(sessionId)
      return pending.events.length
    },
  }
}

/** Throws unless the block has the owner of the session and follows its last event. */
function checkPosition({ sessionId, after, view }: ImportBlock, before: StoredSession | undefined): void {
  const { tenant, userId } = view.record
  if (before !== undefined && !isWithin(before.view.record, { tenant, userId })) {
    throw new ImportConflictError({ sessionId, reason: 'owner' })
  }
  const actual = before?.events.length ?? 0
  if (actual !== after) throw new SequenceConflictError({ sessionId, expected: after, actual })
}

/** Throws if another session occupies its scope or its position in the commit chain. */
function checkConflicts(data: MemoryData, { sessionId, view }: ImportBlock): void {
  const { record, commit } = view
  const live = record.endedAt === undefined ? findBlocking(data, record) : undefined
  if (live !== undefined && live.id !== sessionId) {
    throw new SessionActiveError({ sessionId: live.id, conversationId: live.conversationId })
  }
  const link = findLink(data.commitChains, view)
  if (link !== undefined && (link.id !== commit?.id || link.sessionId !== sessionId)) {
    throw new ImportConflictError({ sessionId, reason: 'commit' })
  }
}
