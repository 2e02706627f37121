import { ImportConflictError, SequenceConflictError, SessionActiveError } from '../../domain/errors.ts'
import { cloneJson } from '../../domain/json.ts'
import { isWithin } from '../../domain/record.ts'
import type { ImportBlock, ImportStore } from '../../ports/import-store.ts'
import { type MemoryData, newSession, type StoredSession, scopeKey } from './data.ts'
import { loadView, replaceView } from './envelopes.ts'
import { addSession, findBlocking, notifyWatchers } from './sessions.ts'
import { addEdge, findLink, restoreLink } from './work.ts'

/** Sessions that come in, beside those that are there. */
export function importStore(data: MemoryData, ready: () => void): ImportStore {
  const { sessions, pendingImports: coming, scopes, commitChains: chains } = data

  /** Makes a session with all its events one of those that are there. */
  function enter(session: StoredSession): void {
    const { record } = session.view
    if (coming.delete(record.id) || !sessions.has(record.id)) addSession(data, session)
    else if (record.endedAt === undefined) scopes.set(scopeKey(record), session)
    restoreLink(chains, session)
    notifyWatchers(data, record.id)
  }

  return {
    async find(sessionId) {
      ready()
      const session = sessions.get(sessionId) ?? coming.get(sessionId)
      if (session === undefined) return undefined
      const lastEventId = session.events.at(-1)?.id ?? ''
      return { view: loadView(session), lastEventId, isUnfinished: coming.has(sessionId) }
    },

    async write(block) {
      ready()
      const { sessionId, events, edges, view, done } = block
      const isThere = sessions.has(sessionId)
      const before = sessions.get(sessionId) ?? coming.get(sessionId)
      checkPosition(block, before)
      if (isThere || done) checkRoom(data, block)
      const session = before ?? newSession(view)
      session.events.push(...cloneJson(events))
      for (const edge of cloneJson(edges)) addEdge(session.edges, edge)
      replaceView(session, view, true)
      if (isThere || done) enter(session)
      else coming.set(sessionId, session)
    },

    async unfinished({ after = '', limit, within }) {
      ready()
      const ids = [...coming].filter(([id, { view }]) => id > after && isWithin(view.record, within)).map(([id]) => id)
      return ids.sort().slice(0, limit)
    },

    async discard(sessionId) {
      ready()
      const events = coming.get(sessionId)?.events.length ?? 0
      coming.delete(sessionId)
      return events
    },
  }
}

/** Throws unless the block belongs to whom the session does, and right behind what is there of it. */
function checkPosition({ sessionId, after, view }: ImportBlock, before: StoredSession | undefined): void {
  const { tenant, userId } = view.record
  if (before !== undefined && !isWithin(before.view.record, { tenant, userId })) {
    throw new ImportConflictError({ sessionId, reason: 'owner' })
  }
  const actual = before?.events.length ?? 0
  if (actual !== after) throw new SequenceConflictError({ sessionId, expected: after, actual })
}

/** Throws unless there is room for what the session becomes: in its scope, and in the chain of its conversation. */
function checkRoom(data: MemoryData, { sessionId, view }: ImportBlock): void {
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
