import { compareText } from '../../domain/compare-text.ts'
import { countTurns } from '../../domain/event.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { addIncrement, addSums, type DailyUsage, NO_USAGE, rowKey, type UsageChange } from '../../domain/usage.ts'
import type { AppendRequest, UsageGroup, UsageQuery, UsageRowsQuery } from '../../ports/session-store.ts'
import type { StoredSession } from './data.ts'

/** Adds the usage of an append, and ends the turn of the record where a user message did. */
export function addUsage({ view: { record }, usage: rows }: StoredSession, request: AppendRequest): void {
  const { events, usage, at } = request
  if (record.usage !== undefined && countTurns(events) > 0) record.usage = { ...record.usage, turn: NO_USAGE }
  if (usage === undefined) return
  record.usage = addIncrement(record.usage, usage)
  for (const sums of usage.models) rows.put(at, sums)
}

/** Changes the rows as an import or a repair says. */
export function changeUsage({ usage }: StoredSession, change: UsageChange | undefined): void {
  if (change?.cleared === true) usage.clear()
  for (const row of change?.rows ?? []) usage.put(row.day, row)
}

/** The rows of a session in order. */
export function selectUsage({ usage }: StoredSession, { after, limit }: UsageRowsQuery): DailyUsage[] {
  const behind = usage.rows.filter((row) => after === undefined || compareText(rowKey(row), rowKey(after)) > 0)
  return behind.sort((a, b) => compareText(rowKey(a), rowKey(b))).slice(0, limit)
}

/** Sums over the rows of all sessions that match. */
export function sumUsage(sessions: Iterable<StoredSession>, query: UsageQuery): UsageGroup[] {
  const { by, tenant, userId, since = '', until = '~', after, limit } = query
  const groups = new Map<string, UsageGroup>()
  for (const { view, usage } of sessions) {
    const { record } = view
    if (tenant !== undefined && record.tenant !== tenant) continue
    if (userId !== undefined && record.userId !== userId) continue
    for (const row of usage.rows) {
      const key = keyOf(by, record, row)
      if (row.day < since || row.day >= until || (after !== undefined && compareText(key, after) <= 0)) continue
      groups.set(key, { key, ...addSums(groups.get(key) ?? NO_USAGE, row) })
    }
  }
  return [...groups.values()].sort((a, b) => compareText(a.key, b.key)).slice(0, limit)
}

function keyOf(by: UsageQuery['by'], { tenant, userId }: SessionRecord, { day, model }: DailyUsage): string {
  return { tenant, user: userId, day, model }[by]
}
