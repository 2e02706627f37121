import type { DailyUsage, UsageSums } from '../domain/usage.ts'

/** What a report of usage has one line for. */
export type UsageKey = 'tenant' | 'user' | 'day' | 'model'

export interface UsageQuery {
  readonly by: UsageKey
  /** Only `by: 'tenant'` may leave it out. */
  readonly tenant?: string
  readonly userId?: string
  /** Days such as `2026-01-31`, in UTC. */
  readonly since?: string
  readonly until?: string
  readonly after?: string
  readonly limit: number
}

export interface UsageGroup extends UsageSums {
  readonly key: string
}

export interface UsageRowsQuery {
  readonly after?: Pick<DailyUsage, 'day' | 'model'>
  readonly limit: number
}

/** What a report of storage has one line for. */
export type StorageKey = 'tenant' | 'user'

export interface StorageQuery {
  readonly by: StorageKey
  /** Only `by: 'tenant'` may leave it out. */
  readonly tenant?: string
  readonly userId?: string
  readonly after?: string
  readonly limit: number
}

export interface StorageGroup {
  readonly key: string
  readonly sessions: number
  readonly events: number
  readonly memories: number
  readonly bytes: number
}
