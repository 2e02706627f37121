import { call, get } from '../../api/client.ts'
import type { FoundMemory, Memory, MemoryChange, Page, RecallResult } from '../../api/types.ts'

/** The owner of the memories. */
export interface User {
  readonly userId: string
  /** Default: the caller's tenant. */
  readonly tenant?: string | undefined
}

export interface Search extends User {
  readonly query: string
  readonly category: string
  readonly minConfidence: number
}

export const LIST_LIMIT = 100
export const SEARCH_LIMIT = 100
export const RECALL_LIMIT = 50
const MESSAGE_LIMIT = 100

/** One page of a user's memories, oldest first. */
export function listMemories(
  { userId, tenant }: User,
  cursor: string | undefined,
  signal: AbortSignal,
  limit = LIST_LIMIT,
): Promise<Page<Memory>> {
  return get('/memories', { userId, tenant, cursor, limit }, signal)
}

/** Searches memories with `record: false`, so they do not count as used. */
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
  // POST: a pasted text may be too long for a URL
  return (await call<{ items: FoundMemory[] }>('/memories/search', { method: 'POST', body, signal })).items
}

/** Searches messages, summaries and memories. */
export function recall({ userId, tenant }: User, query: string, signal: AbortSignal): Promise<RecallResult> {
  const body = { userId, query, limit: RECALL_LIMIT, ...(tenant !== undefined && { tenant }) }
  return call('/recall', { method: 'POST', body, signal })
}

/** Searches messages and summaries only. */
export function recallMessages({ userId, tenant }: User, query: string, signal: AbortSignal): Promise<RecallResult> {
  const kinds = ['event', 'commit']
  const body = { userId, query, kinds, limit: MESSAGE_LIMIT, ...(tenant !== undefined && { tenant }) }
  return call('/recall', { method: 'POST', body, signal })
}

/** One memory with its changes. */
export async function getMemoryWithHistory(id: string, signal: AbortSignal) {
  const path = `/memories/${encodeURIComponent(id)}`
  const memory = await get<Memory>(path, {}, signal)
  const { items: changes } = await get<{ items: MemoryChange[] }>(`${path}/history`, {}, signal)
  return { memory, changes }
}
