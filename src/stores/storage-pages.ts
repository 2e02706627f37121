import { compareText } from '../domain/compare-text.ts'
import type { StorageGroup, StorageQuery } from '../ports/session-store.ts'

/** What a report of storage counts. */
export type StorageKind = 'sessions' | 'memories'

/** The columns that identify a row in the order of an index, beside those that the query sets. */
export type StoragePosition = readonly (string | number)[]

/** Sums of a limited number of rows, and the last of them if there are more. */
export interface StoragePiece {
  readonly groups: readonly StorageGroup[]
  readonly end: StoragePosition | undefined
}

/** The first groups of a query, read piece by piece, so that no piece holds the database for long. */
export async function collectStorage(
  { after, limit }: StorageQuery,
  read: (kind: StorageKind, position: StoragePosition | undefined) => Promise<StoragePiece>,
): Promise<StorageGroup[]> {
  let groups: StorageGroup[] = []
  for (const kind of ['sessions', 'memories'] as const) {
    for (let position: StoragePosition | undefined; ; ) {
      const piece = await read(kind, position)
      groups = mergeStorage([groups, piece.groups], limit, after)
      position = piece.end
      if (position === undefined) break
    }
  }
  return groups
}

/** Merges groups, adding those of the same key, and returns the first ones after a key. */
export function mergeStorage(
  lists: readonly (readonly StorageGroup[])[],
  limit: number,
  after?: string,
): StorageGroup[] {
  const merged = new Map<string, StorageGroup>()
  for (const group of lists.flat()) {
    if (after !== undefined && compareText(group.key, after) <= 0) continue
    merged.set(group.key, addStorage(merged.get(group.key), group))
  }
  return [...merged.values()].sort((a, b) => compareText(a.key, b.key)).slice(0, limit)
}

function addStorage(one: StorageGroup | undefined, other: StorageGroup): StorageGroup {
  if (one === undefined) return other
  return {
    key: one.key,
    sessions: one.sessions + other.sessions,
    events: one.events + other.events,
    memories: one.memories + other.memories,
    bytes: one.bytes + other.bytes,
  }
}

/** A group as a store sums it: its number of rows, of events if they are sessions, and their bytes. */
export function storageGroup(
  kind: StorageKind,
  [key, rows, events, bytes]: readonly [key: string, ...sums: (number | string)[]],
): StorageGroup {
  const count = Number(rows)
  const counts = kind === 'sessions' ? { sessions: count, memories: 0 } : { sessions: 0, memories: count }
  return { key, ...counts, events: Number(events), bytes: Number(bytes) }
}
