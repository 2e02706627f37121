import { endTime, isWithin } from '../../domain/record.ts'
import type { AskingQuery, AskingSession, ClaimableSession, ClaimQuery } from '../../ports/runs.ts'
import type { StoredSession } from './data.ts'

/** Sessions that need work, by tenant. */
export function selectClaimable(sessions: readonly StoredSession[], query: ClaimQuery): ClaimableSession[] {
  const { at, within, chatmode, agents, after = '', tenants, limit } = query
  const byTenant = new Map<string, ClaimableSession[]>()
  for (const { view, dueAt: due } of sessions) {
    const { record } = view
    if (due === undefined || due > at || endTime(record, at) !== undefined || !isWithin(record, within)) continue
    if (chatmode !== undefined && record.chatmode !== chatmode) continue
    if (agents !== undefined && !agents.includes(record.activeAgent)) continue
    const group = byTenant.get(record.tenant) ?? []
    group.push({ sessionId: record.id, tenant: record.tenant, dueAt: due })
    byTenant.set(record.tenant, group)
  }
  const names = Array.from(byTenant.keys()).sort()
  const inTurn = [...names.filter((name) => name > after), ...names.filter((name) => name <= after)]
  return inTurn.slice(0, tenants).flatMap((name) => {
    const group = byTenant.get(name) ?? []
    return group.sort((a, b) => compare(a.dueAt, b.dueAt) || compare(a.sessionId, b.sessionId)).slice(0, limit)
  })
}

/** Sessions with requests, the newest first. */
export function selectAsking(sessions: readonly StoredSession[], query: AskingQuery): AskingSession[] {
  const { tenant, userId, status, cursor, limit } = query
  const found = sessions.flatMap(({ view: { record, requests, requestsAt } }) => {
    const isAsked = record.tenant === tenant && (userId === undefined || record.userId === userId)
    if (requestsAt === undefined || !isAsked || (status === 'open' && requests === undefined)) return []
    return [{ sessionId: record.id, requestsAt }]
  })
  const newestFirst = (a: AskingSession, b: AskingSession) =>
    compare(b.requestsAt, a.requestsAt) || compare(b.sessionId, a.sessionId)
  const isAfter = (one: AskingSession) =>
    cursor === undefined || newestFirst({ sessionId: cursor.id, requestsAt: cursor.requestsAt }, one) < 0
  return found.filter(isAfter).sort(newestFirst).slice(0, limit)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
