import { memoryBytes } from '../../domain/memory/memory-size.ts'
import { isWithin, type Principal } from '../../domain/record.ts'
import type { StorageGroup, StorageQuery } from '../../ports/session-store.ts'
import { mergeStorage } from '../storage-pages.ts'
import type { MemoryData } from './data.ts'

/** Sums over all sessions and memories that match. */
export function sumStorage({ sessions, memories }: MemoryData, query: StorageQuery): StorageGroup[] {
  const { by, tenant, userId, after, limit } = query
  const groups: StorageGroup[] = []
  const add = (owner: Required<Pick<Principal, 'tenant' | 'userId'>>, sums: Omit<StorageGroup, 'key'>) => {
    const key = by === 'user' ? owner.userId : owner.tenant
    const isWanted = isWithin(owner, { tenant: tenant ?? owner.tenant, userId: userId ?? owner.userId })
    if (isWanted) groups.push({ key, ...sums })
  }
  for (const { view, bytes } of sessions.values()) {
    add(view.record, { sessions: 1, events: view.record.head, memories: 0, bytes })
  }
  for (const { memory } of [...memories.values()].flatMap((group) => [...group.values()])) {
    add(memory, { sessions: 0, events: 0, memories: 1, bytes: memoryBytes(memory) })
  }
  return mergeStorage([groups], limit, after)
}
