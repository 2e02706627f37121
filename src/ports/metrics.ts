import type { QuotaKind } from '../domain/errors.ts'
import type { CacheEvents } from './envelope-cache.ts'

/** Counters and timings. Every call is cheap and never throws. */
export interface Metrics {
  /** Cache operations. */
  readonly cache: CacheEvents
  /** Counts an envelope read from the store after a cache miss. */
  refreshed(result: 'found' | 'missing' | 'error', seconds: number): void
  /** Counts refused or broken input: `reserved_key`, `invalid_metadata` … */
  invalid(reason: string): void
  /** Counts an envelope written to the store. */
  wrote(operation: EnvelopeWrite, status: 'ok' | 'error', seconds: number): void
  /** Counts a write that was refused because of a storage quota. */
  overQuota(quota: QuotaKind): void
}

/** The call that wrote an envelope. */
export type EnvelopeWrite = 'create' | 'fork' | 'update' | 'backfill' | 'rebuild' | 'rollback'

/** A prom-client registry, by the two methods used here. */
export interface MetricsRegistry {
  registerMetric(metric: never): void
  getSingleMetric(name: string): unknown
}
