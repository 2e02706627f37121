import type { UsageSums } from '../domain/usage.ts'

/** What a report of usage has one item for. */
export type UsageBy = 'user' | 'tenant' | 'day' | 'model'

/** What to report. */
export interface UsageQuery<By extends UsageBy = UsageBy> {
  by: By
  /** Only sessions of this user. @default the caller's own, for a caller who is limited to one user */
  userId?: string
  /** Only sessions of this tenant. @default the caller's own; for the operator all with `by: 'tenant'`, else `local` */
  tenant?: string
  /** First day in UTC, such as `2026-01-01`. Usage counts on the day its event was written. */
  since?: string
  /** Day in UTC after the last one. */
  until?: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the previous page. */
  cursor?: string
}

interface UsageNames {
  user: 'userId'
  tenant: 'tenant'
  day: 'day'
  model: 'model'
}

/** The sums of one user, tenant, day or model, with its name: `{ day: '2026-01-31', messages: 12, … }`. */
export type UsageReport<By extends UsageBy = UsageBy> = UsageSums & Record<UsageNames[By], string>

/** What to report of storage. */
export interface StorageQuery<By extends StorageBy = StorageBy> {
  by: By
  /** Only sessions and memories of this user. @default the caller's own, for a caller who is limited to one user */
  userId?: string
  /** Only those of this tenant. @default the caller's own; for the operator all with `by: 'tenant'`, else `local` */
  tenant?: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the previous page. */
  cursor?: string
}

/** What a report of storage has one item for. */
export type StorageBy = 'user' | 'tenant'

/** What sessions and memories store. */
export interface StorageSums {
  sessions: number
  events: number
  memories: number
  /** The text of events and memories in UTF-8, and 256 for each of them. Quotas count these. */
  bytes: number
}

/** What one user or tenant stores, with its name: `{ tenant: 'acme', sessions: 12, … }`. */
export type StorageReport<By extends StorageBy = StorageBy> = StorageSums & Record<UsageNames[By], string>
