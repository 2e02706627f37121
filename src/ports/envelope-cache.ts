/**
 * A cache of session envelopes over the store: may lose everything at any moment, must never bring an old value back.
 *
 * - C1 `get` gives the value, or a lease where there is none. While one lease stands others who miss get none: they read the store and leave the
 *   filling to whoever holds it.
 * - C2 `fill` keeps a value only while the lease it was read under stands, and then drops the lease. Whoever read the store without a lease, or
 *   was too late, says so by `fill` all the same, before anyone is told: it then makes no value, but replaces an older one and lets no
 *   other lease fill with anything older. Else the next read could go back behind this one.
 * - C3 `wrote` comes after the write to the store is acknowledged. It replaces a value that is there and not newer, never makes one, and drops
 *   every lease: whoever read before the write can no longer fill.
 * - C4 `purged` removes the value and the leases, and leaves a tombstone for a while: until it is gone nothing can be filled.
 * - C5 A value lives for the time to live, a lease for a few seconds. After a flush everything is a miss, and no lease from before it stands.
 * - C6 Whatever goes wrong (no connection, slow, full, broken value) is a miss without a lease, within the time limit, and is counted; nothing
 *   throws. After several failures in a row nothing is asked for a while.
 * - C7 A writer that could not reach the cache remembers the sessions, and removes their values before they are read from the cache again. If
 *   they are too many to remember it removes everything, and reads nothing before. Should it die first, the time to live is the bound.
 * - C8 `clear` removes every value and lease, `scan` gives every value there is, each once. They are for people who must know: both throw
 *   `STORAGE` where they cannot go through everything.
 * - C9 `health` asks the server itself, also while nothing else is asked, and gives within a second or so whether it does what is asked of it, what it
 *   is, and otherwise what is wrong. Nothing throws, and no password is in it.
 *
 * Every rule has tests of the same number in `cache/conformance`.
 */
export interface EnvelopeCache {
  get(sessionId: string): Promise<Cached>
  /** @param lease what `get` gave, if it gave one */
  fill(sessionId: string, entry: CacheEntry, lease: string | undefined): Promise<boolean>
  wrote(sessionId: string, entry: CacheEntry): Promise<void>
  purged(sessionId: string): Promise<void>
  clear(): Promise<number>
  scan(): AsyncIterable<{ sessionId: string; value: string }>
  health(): Promise<CacheHealth>
  close(): Promise<void>
}

/** A value, a lease to fill it under, or neither. */
export type Cached = { readonly value: string } | { readonly value?: undefined; readonly lease?: string }

export interface CacheEntry {
  /** The whole envelope as JSON text. */
  readonly value: string
  /** Sequence of the event it was folded to: greater is newer. */
  readonly version: number
}

/** How a cache is. */
export interface CacheHealth {
  /** Short name: `redis`. */
  readonly name: string
  /** Whether it does what is asked of it. If not, everything goes on without it. */
  readonly ok: boolean
  /** What it says of itself, or under `problem` what is wrong. */
  readonly details: Readonly<Record<string, string | number>>
}

/** What the cache tells of itself, for metrics. */
export interface CacheEvents {
  /**
   * `hit`, `miss`, `filled`, `refused` (a fill whose lease was gone), `noted` (a fill without one), `written`, `purged`, `skipped` (not asked),
   * `error`.
   */
  count(operation: 'get' | 'fill' | 'write' | 'purge', result: string): void
}
