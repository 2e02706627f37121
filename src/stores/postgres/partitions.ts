import { partitionOf } from '../../domain/partition.ts'
import type { Connections, Statement } from './connection.ts'

const GROUPS: Statement = { name: 'partition-groups', text: 'select partitions from context.partition_groups()' }

/** A user, a tenant, or everybody. */
interface Whose {
  readonly tenant?: string | undefined
  readonly userId?: string | undefined
}

/** How the tables are split. */
export interface Partitions {
  /** Whether appends of several partitions need several calls. */
  readonly isSplit: boolean
  /** Runs a call for all users: once for each group of partitions, in order, with a partition of the group. */
  everywhere<T>(call: (partition: number) => Promise<T>): Promise<T[]>
  /** Runs a call for one user in the user's partition; without a user, {@link everywhere}. */
  ofUser<T>(whose: Whose | undefined, call: (partition: number) => Promise<T>): Promise<T[]>
}

/** Asks the database how its tables are split. One plain Postgres has a single group of partitions. */
export async function partitionsOf({ query }: Connections): Promise<Partitions> {
  const rows = await query<{ partitions: number[] }>(GROUPS, [], { retry: true })
  const groups = rows.length === 0 ? [0] : rows.map(({ partitions: [first = 0] }) => first)
  async function everywhere<T>(call: (partition: number) => Promise<T>): Promise<T[]> {
    const results = []
    for (const partition of groups) results.push(await call(partition))
    return results
  }
  return {
    isSplit: rows.length > 0,
    everywhere,
    async ofUser(whose, call) {
      const { tenant, userId } = whose ?? {}
      if (tenant === undefined || userId === undefined) return await everywhere(call)
      return [await call(partitionOf(tenant, userId))]
    },
  }
}

/** The first `limit` of several sorted lists, sorted. */
export function mergeSorted<T>(lists: readonly T[][], limit: number, compare: (a: T, b: T) => number): T[] {
  const [only] = lists
  return lists.length === 1 && only !== undefined ? only : lists.flat().sort(compare).slice(0, limit)
}

export const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
