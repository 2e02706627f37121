import type { CacheEvents } from './envelope-cache.ts'

/** What is counted for whoever watches. Every call is cheap and never throws. */
export interface Metrics {
  /** What the cache tells of itself. */
  readonly cache: CacheEvents
  /** An envelope was read from the store, because the cache did not have it. */
  refreshed(result: 'found' | 'missing' | 'error', seconds: number): void
  /** Something was refused, or found broken: `reserved_key`, `invalid_metadata` … */
  invalid(reason: string): void
  /** An envelope was written to the store. */
  wrote(operation: EnvelopeWrite, status: 'ok' | 'error', seconds: number): void
}

/** The call that wrote an envelope. */
export type EnvelopeWrite = 'create' | 'fork' | 'update' | 'backfill' | 'rebuild' | 'rollback'

/** A registry of prom-client, by what it is known by. */
export interface MetricsRegistry {
  registerMetric(metric: never): void
  getSingleMetric(name: string): unknown
}
