import { startsTurn } from '../../domain/event.ts'
import { sizeOf } from '../../domain/event-size.ts'
import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { visibleSpans } from '../../domain/rewind.ts'
import type { ListQuery, ReadQuery, StoredEvent } from '../../ports/session-store.ts'
import { leftOut } from '../line.ts'
import { fillList } from '../page.ts'

/** Walks the range in the given order and stops at the limit, so the length of the log does not matter. */
export function selectEvents(
  events: readonly StoredEvent[],
  query: ReadQuery,
  { clearedAt, hidden }: Pick<SessionView, 'clearedAt' | 'hidden'>,
): StoredEvent[] {
  const { after = 0, before = Number.POSITIVE_INFINITY, types, order, limit } = query
  let turns = query.turns ?? Number.POSITIVE_INFINITY
  const floor = query.turns === undefined ? 0 : clearedAt
  const range = { after: Math.max(after, floor), before: Math.min(before, events.length + 1) }
  const picked: StoredEvent[] = []
  let size = 0
  for (const span of visibleSpans(leftOut(query, hidden), range, order)) {
    const [first, last] = [span.after + 1, span.before - 1]
    for (let i = 0; i <= last - first; i++) {
      if (picked.length === limit || turns === 0 || size >= LIMITS.pageSize) return picked
      const event = events[(order === 'asc' ? first + i : last - i) - 1] as StoredEvent
      if (types === undefined || types.includes(event.type)) {
        picked.push(event)
        size += sizeOf(event)
      }
      if (startsTurn(event)) turns--
    }
  }
  return picked
}

/** One page of matching records. */
export function selectRecords(records: readonly SessionRecord[], query: ListQuery): SessionRecord[] {
  const { tenant, userId, state, chatmode, agent, conversationId, parent, ids, since, until, cursor, limit } = query
  const wanted = ids && new Set(ids)
  const matching = records.filter(
    (record) =>
      record.tenant === tenant &&
      (userId === undefined || record.userId === userId) &&
      (state === undefined || record.status.state === state) &&
      (chatmode === undefined || record.chatmode === chatmode) &&
      (agent === undefined || record.activeAgent === agent) &&
      (conversationId === undefined || record.conversationId === conversationId) &&
      (parent === undefined || record.parent?.sessionId === parent) &&
      (wanted === undefined || wanted.has(record.id)) &&
      (since === undefined || record.lastActivityAt >= since) &&
      (until === undefined || record.lastActivityAt < until) &&
      (cursor === undefined || compareActivity(record, cursor) > 0),
  )
  return fillList(matching.sort(compareActivity).slice(0, limit), cloneJson)
}

export function newestRecord(records: readonly SessionRecord[]): SessionRecord | undefined {
  const key = ({ startedAt, id }: SessionRecord) => `${startedAt} ${id}`
  return records.reduce<SessionRecord | undefined>(
    (best, next) => (best && key(best) > key(next) ? best : next),
    undefined,
  )
}

export function compareActivity(
  a: { lastActivityAt: string; id: string },
  b: { lastActivityAt: string; id: string },
): number {
  if (a.lastActivityAt !== b.lastActivityAt) return a.lastActivityAt < b.lastActivityAt ? 1 : -1
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}
