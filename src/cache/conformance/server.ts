import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cached, CacheEntry, EnvelopeCache } from '../../ports/envelope-cache.ts'

/** Limits that a rule needs to be short; absent ones are long enough not to matter. */
export interface CacheLimits {
  ttlSeconds?: number
  leaseMs?: number
  tombstoneMs?: number
  /** Longest wait for a response. */
  commandTimeoutMs?: number
  /** Most sessions with failed writes that the cache remembers one by one. */
  rememberAtMost?: number
}

/** A cache with its counted events so far, as `operation result`. */
export interface CountedCache extends EnvelopeCache {
  readonly counted: readonly string[]
}

/** A server to run the rules of the cache port against. */
export interface CacheServer {
  /** Connects as another process would. The suite closes the connection. */
  connect(limits?: CacheLimits): Promise<CountedCache>
  /** Deletes everything. */
  flush(): Promise<void>
  /** The server stops responding until `resume`. */
  pause(): void
  resume(): void
  /** Overwrites the value of a session without the cache. */
  garble(sessionId: string, text: string): Promise<void>
  destroy(): Promise<void>
}

/** An envelope of a version, with text that a careless encoder breaks. */
export function entry(version: number): CacheEntry {
  return { version, value: JSON.stringify({ version, persona_id: 'Zoë "日本" \u2028 😀 \\ %00' }) }
}

/** The lease of a miss; fails if there is none. */
export function leaseOf(cached: Cached): string {
  assert(cached.value === undefined && cached.lease !== undefined, `a lease, not ${JSON.stringify(cached)}`)
  return cached.lease
}

/** Fills an entry that is missing. */
export async function fill(cache: EnvelopeCache, sessionId: string, of: CacheEntry): Promise<void> {
  const lease = leaseOf(await cache.get(sessionId))
  assert.equal(await cache.fill(sessionId, of, lease), true, 'filled')
}

/** Polls until the result is as wanted, and returns it. */
export async function waitFor<T>(read: () => Promise<T>, isWanted: (result: T) => boolean): Promise<T> {
  for (;;) {
    const result = await read()
    if (isWanted(result)) return result
    await delay(5)
  }
}

/** Writes until the cache skips its server. */
export async function writeUntilSkipped(cache: CountedCache): Promise<void> {
  const before = cache.counted.length
  for (let n = 0; !cache.counted.includes('write skipped', before); n++) {
    assert(n < 100, 'the cache keeps asking')
    await cache.wrote(`x${n}`, entry(1))
  }
}
