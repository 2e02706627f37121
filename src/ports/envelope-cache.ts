/**
 * A cache of session envelopes in front of the store. It may lose everything at any moment but must never return an
 * outdated value.
 *
 * - C1 `get` returns the value, or a lease on a miss. While a lease is held, other misses get none: they read the store
 *   and leave filling to the holder.
 * - C2 `fill` stores a value only while its lease is valid, then drops the lease. A reader without a valid lease still
 *   calls `fill` before it returns: that creates no value, but replaces an older one and stops every other lease from
 *   filling an older one. Otherwise the next read could return less than this one.
 * - C3 `wrote` follows an acknowledged write to the store. It replaces an existing value that is not newer, never
 *   creates one, and drops every lease, so a reader from before the write can no longer fill.
 * - C4 `purged` removes the value and the leases and leaves a short-lived tombstone, during which nothing can be
 *   filled.
 * - C5 A value expires after the time to live, a lease after a few seconds. After a flush everything is a miss and
 *   earlier leases are invalid.
 * - C6 Every failure (no connection, slow, full, broken value) is a miss without a lease, within the time limit, and is
 *   counted; nothing throws. After several failures in a row the cache is skipped for a while.
 * - C7 A writer that could not reach the cache remembers the sessions and removes their values before it reads them
 *   from the cache again. If they are too many, it clears the cache before the next read. If the process dies first,
 *   the time to live bounds the staleness.
 * - C8 `clear` removes every value and lease; `scan` yields every value once. Both throw `STORAGE` if they cannot visit
 *   everything.
 * - C9 `health` asks the server even while the cache is skipped, and reports within about a second whether it works,
 *   what it is, or what is wrong. It never throws and never contains a password.
 *
 * Every rule has tests of the same number in `cache/conformance`.
 */
export interface EnvelopeCache {
  get(sessionId: string): Promise<Cached>
  /** @param lease the lease from `get`, if any */
  fill(sessionId: string, entry: CacheEntry, lease: string | undefined): Promise<boolean>
  wrote(sessionId: string, entry: CacheEntry): Promise<void>
  purged(sessionId: string): Promise<void>
  clear(): Promise<number>
  scan(): AsyncIterable<{ sessionId: string; value: string }>
  health(): Promise<CacheHealth>
  close(): Promise<void>
}

/** A value, a lease to fill, or neither. */
export type Cached = { readonly value: string } | { readonly value?: undefined; readonly lease?: string }

export interface CacheEntry {
  /** The whole envelope as JSON text. */
  readonly value: string
  /** Sequence of the last folded event: higher is newer. */
  readonly version: number
}

/** Health of the cache. */
export interface CacheHealth {
  /** Short name: `redis`. */
  readonly name: string
  /** Whether it works. If not, everything continues without it. */
  readonly ok: boolean
  /** Facts about the server, or the failure under `problem`. */
  readonly details: Readonly<Record<string, string | number>>
}

/** Counts cache operations for metrics. */
export interface CacheEvents {
  /**
   * `hit`, `miss`, `filled`, `refused` (a fill with an invalid lease), `noted` (a fill without one), `written`,
   * `purged`, `skipped` (the server was not asked), `error`.
   */
  count(operation: 'get' | 'fill' | 'write' | 'purge', result: string): void
}
