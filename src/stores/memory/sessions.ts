import { endOf, isWithin, type Principal, type SessionRecord } from '../../domain/record.ts'
import type { ActiveQuery, PurgeCounts } from '../../ports/session-store.ts'
import { groupKey, type Held, type MemoryData, scopeKey } from './data.ts'
import { newest } from './pick.ts'
import { dropSession } from './recall.ts'
import { markPurged } from './work.ts'

/** Puts a session that is new among the others. One that has ended leaves the place in its scope to whom it belongs. */
export function keep({ sessions, groups, scopes }: MemoryData, session: Held): void {
  const { record } = session.view
  sessions.set(record.id, session)
  if (record.endedAt === undefined) scopes.set(scopeKey(record), session)
  const key = groupKey(record)
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [session])
  else group.push(session)
}

/** Removes all that is held of a session, and counts it. */
export function remove(data: MemoryData, session: Held, at: string): PurgeCounts {
  const { sessions, groups, scopes, chains } = data
  const { record } = session.view
  dropSession(data, record.id)
  sessions.delete(record.id)
  if (scopes.get(scopeKey(record)) === session) scopes.delete(scopeKey(record))
  const group = groups.get(groupKey(record)) ?? []
  group.splice(group.indexOf(session), 1)
  markPurged(chains, session.view, at)
  wake(data, record.id)
  return { events: session.events.length, keys: session.keys.size }
}

/** Tells those who watch. */
export function wake({ watchers }: MemoryData, sessionId: string): void {
  for (const watcher of watchers.get(sessionId) ?? []) watcher()
}

/** The session that keeps another out of its scope, expired or not. */
export function blocking({ scopes }: MemoryData, record: SessionRecord): SessionRecord | undefined {
  const found = scopes.get(scopeKey(record))?.view.record
  return found?.endedAt === undefined ? found : undefined
}

export function newestLive({ groups }: MemoryData, query: ActiveQuery): SessionRecord | undefined {
  const { conversationId, at, ...group } = query
  const records = (groups.get(groupKey(group)) ?? []).map(({ view }) => view.record)
  const here = records.filter((record) => conversationId === undefined || record.conversationId === conversationId)
  return newest(here.filter((record) => endOf(record, at) === undefined))
}

export function records({ sessions }: MemoryData, within?: Principal): SessionRecord[] {
  const all = Array.from(sessions.values(), ({ view }) => view.record)
  return all.filter((record) => isWithin(record, within))
}
