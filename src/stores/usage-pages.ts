import { compareText } from '../domain/compare-text.ts'
import { addSums } from '../domain/usage.ts'
import type { UsageGroup, UsageQuery } from '../ports/session-store.ts'

/** The columns that identify a row of usage in the order of an index, beside those that the query sets. */
export type UsagePosition = readonly string[]

/** Sums of a limited number of rows, and the last of them if there are more. */
export interface UsagePiece {
  readonly groups: readonly UsageGroup[]
  readonly end: UsagePosition | undefined
}

const COLUMNS = { tenant: 'tenant', user: 'user_id', day: 'day', model: 'model' } as const

/** How a store reads the rows of a query: in the order of an index, and whether the groups come in their order too. */
export function usageScan({ by, tenant, userId }: Pick<UsageQuery, 'by' | 'tenant' | 'userId'>) {
  const key = COLUMNS[by]
  const row = ['day', 'session_id', 'model']
  const first = tenant === undefined ? ['tenant'] : by === 'user' && userId === undefined ? ['user_id'] : []
  const columns = [...first, ...row]
  return { key, columns, isOrdered: columns[0] === key }
}

/**
 * The first groups of a query, read piece by piece, so that no piece holds the database for long. Where the groups come
 * in order it stops behind the last one; else it reads all rows of the query, and holds only the groups it may return.
 */
export async function collectUsage(
  query: UsageQuery,
  read: (after: UsagePosition | undefined) => Promise<UsagePiece>,
): Promise<UsageGroup[]> {
  const { isOrdered } = usageScan(query)
  let groups: UsageGroup[] = []
  for (let position: UsagePosition | undefined; ; ) {
    const piece = await read(position)
    groups = mergeGroups([groups, piece.groups], query.limit + 1)
    position = piece.end
    // the last group may go on in the next piece
    if (position === undefined || (isOrdered && groups.length > query.limit)) return groups.slice(0, query.limit)
  }
}

/** Merges groups, adding those of the same key, and returns the first ones. */
export function mergeGroups(lists: readonly (readonly UsageGroup[])[], limit: number): UsageGroup[] {
  const merged = new Map<string, UsageGroup>()
  for (const group of lists.flat()) {
    const known = merged.get(group.key)
    merged.set(group.key, known === undefined ? group : { key: group.key, ...addSums(known, group) })
  }
  return [...merged.values()].sort((a, b) => compareText(a.key, b.key)).slice(0, limit)
}
