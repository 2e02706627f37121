import { SessionNotFoundError } from '../../domain/errors.ts'
import { labelsOf } from '../../domain/label.ts'
import { checkLive, endTime, isWithin, type Principal, type SessionRecord } from '../../domain/record.ts'
import type { ActiveQuery, LabelQuery, PurgeCounts } from '../../ports/session-store.ts'
import { groupKey, type MemoryData, type StoredSession, scopeKey } from './data.ts'
import { dropSession } from './recall.ts'
import { newestRecord } from './select.ts'
import { markPurged } from './work.ts'

/** Adds a new session. Only a live one occupies its scope. */
export function addSession({ sessions, groups, scopes }: MemoryData, session: StoredSession): void {
  const { record } = session.view
  sessions.set(record.id, session)
  if (record.endedAt === undefined) scopes.set(scopeKey(record), session)
  const key = groupKey(record)
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [session])
  else group.push(session)
}

/** Removes all data of a session and returns the counts. */
export function removeSession(data: MemoryData, session: StoredSession, at: string): PurgeCounts {
  const { sessions, groups, scopes, commitChains } = data
  const { record } = session.view
  dropSession(data, record.id)
  sessions.delete(record.id)
  if (scopes.get(scopeKey(record)) === session) scopes.delete(scopeKey(record))
  const group = groups.get(groupKey(record)) ?? []
  group.splice(group.indexOf(session), 1)
  markPurged(commitChains, session.view, at)
  notifyWatchers(data, record.id)
  return { events: session.events.length, keys: session.keys.size }
}

export function notifyWatchers({ watchers }: MemoryData, sessionId: string): void {
  for (const watcher of watchers.get(sessionId) ?? []) watcher()
}

/** The live session that blocks a new one in its scope, expired or not. */
export function findBlocking({ scopes }: MemoryData, record: SessionRecord): SessionRecord | undefined {
  const found = scopes.get(scopeKey(record))?.view.record
  return found?.endedAt === undefined ? found : undefined
}

export function findActive({ groups }: MemoryData, query: ActiveQuery): SessionRecord | undefined {
  const { conversationId, at, ...group } = query
  const recordsWithin = (groups.get(groupKey(group)) ?? []).map(({ view }) => view.record)
  const here = recordsWithin.filter((record) =>
    conversationId === undefined ? record.parent === undefined : record.conversationId === conversationId,
  )
  return newestRecord(here.filter((record) => endTime(record, at) === undefined))
}

/** Throws unless the parent of a new session exists, has the same owner and is live. */
export function checkParent({ sessions }: MemoryData, { parent, ...owner }: SessionRecord, at: string): void {
  if (parent === undefined) return
  const found = sessions.get(parent.sessionId)?.view.record
  if (found === undefined || !isWithin(found, { tenant: owner.tenant, userId: owner.userId })) {
    throw new SessionNotFoundError(parent.sessionId)
  }
  checkLive(found, at)
}

/** Ids of all sessions below this one. A forged import may name parents in a circle. */
export function descendantsOf(data: MemoryData, { id: root, tenant, userId }: SessionRecord): string[] {
  const found = new Set([root])
  const own = records(data, { tenant, userId })
  for (const id of found) for (const { parent, id: child } of own) if (parent?.sessionId === id) found.add(child)
  found.delete(root)
  return [...found]
}

export function labelledIds(data: MemoryData, { tenant, userId, label, limit }: LabelQuery): string[] {
  const visible = records(data, { tenant, ...(userId !== undefined && { userId }) })
  const having = visible.filter(({ metadata }) => labelsOf(metadata).includes(label))
  return having.slice(0, limit).map(({ id }) => id)
}

export function records({ sessions }: MemoryData, within?: Principal): SessionRecord[] {
  const all = Array.from(sessions.values(), ({ view }) => view.record)
  return all.filter((record) => isWithin(record, within))
}
