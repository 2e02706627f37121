import { call, get } from '../../api/client.ts'
import type { FoundMemory, Memory, MemoryChange, Page, RecallResult, SessionEvent } from '../../api/types.ts'

/** Whose memories are meant. */
export interface User {
  readonly userId: string
  /** Absent: the caller's own. */
  readonly tenant?: string | undefined
}

/** What to look for. */
export interface Search extends User {
  readonly query: string
  readonly category: string
  readonly minConfidence: number
}

/** Memories on one page of the list. */
export const LIST_LIMIT = 100
/** Memories that a search gives at most. */
export const SEARCH_LIMIT = 100
/** What a recall gives at most. */
export const RECALL_LIMIT = 50

/** One page of a user's memories, in order of id: the oldest first. */
export function listMemories(
  { userId, tenant }: User,
  cursor: string | undefined,
  signal: AbortSignal,
  limit = LIST_LIMIT,
): Promise<Page<Memory>> {
  return get('/memories', { userId, tenant, cursor, limit }, signal)
}

/** Memories that fit the words. Only looks: nothing counts as used. */
export async function searchMemories(search: Search, signal: AbortSignal): Promise<FoundMemory[]> {
  const { userId, tenant, query, category, minConfidence } = search
  const body = {
    userId,
    query,
    record: false,
    limit: SEARCH_LIMIT,
    ...(tenant !== undefined && { tenant }),
    ...(category !== '' && { category }),
    ...(minConfidence > 0 && { minConfidence }),
  }
  // as a body: what somebody pastes may be too long for an address
  return (await call<{ items: FoundMemory[] }>('/memories/search', { method: 'POST', body, signal })).items
}

/** Everything that was said on it: messages, summaries, memories. */
export function recall({ userId, tenant }: User, query: string, signal: AbortSignal): Promise<RecallResult> {
  const body = { userId, query, limit: RECALL_LIMIT, ...(tenant !== undefined && { tenant }) }
  return call('/recall', { method: 'POST', body, signal })
}

/** One memory, and what happened to it. */
export async function getMemoryWithHistory(id: string, signal: AbortSignal) {
  const path = `/memories/${encodeURIComponent(id)}`
  const memory = await get<Memory>(path, {}, signal)
  const { items: changes } = await get<{ items: MemoryChange[] }>(`${path}/history`, {}, signal)
  return { memory, changes }
}

/** The first events of a range. */
export async function listEvents(sessionId: string, from: number, limit: number, signal: AbortSignal) {
  const path = `/sessions/${encodeURIComponent(sessionId)}/events`
  return (await get<{ items: SessionEvent[] }>(path, { after: from - 1, limit }, signal)).items
}
