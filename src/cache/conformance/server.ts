import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cached, CacheEntry, EnvelopeCache } from '../../ports/envelope-cache.ts'

/** Bounds of a cache that a rule needs to be short; what is absent is long enough not to matter. */
export interface CacheLimits {
  ttlSeconds?: number
  leaseMs?: number
  tombstoneMs?: number
  /** Longest wait for an answer. */
  commandTimeoutMs?: number
  /** How many sessions it remembers that it could not tell the cache of. */
  rememberAtMost?: number
}

/** A cache, and what it has counted so far, as `operation result`. */
export interface CountedCache extends EnvelopeCache {
  readonly counted: readonly string[]
}

/** What the rules of the cache's port run against. */
export interface CacheServer {
  /** Another process's view of the same values. */
  connect(limits?: CacheLimits): Promise<CountedCache>
  /** Loses everything at once. */
  flush(): Promise<void>
  /** From now on nothing is answered, until `resume`. */
  pause(): void
  resume(): void
  /** Puts a text in the place of a value, behind the cache's back. */
  garble(sessionId: string, text: string): Promise<void>
  destroy(): Promise<void>
}

/** An envelope of some version; the text is what a careless encoder would break. */
export function entry(version: number): CacheEntry {
  return { version, value: JSON.stringify({ version, persona_id: 'Zoë "日本" \u2028 😀 \\ %00' }) }
}

/** The lease of a miss; fails where there is none. */
export function leaseOf(cached: Cached): string {
  assert(cached.value === undefined && cached.lease !== undefined, `a lease, not ${JSON.stringify(cached)}`)
  return cached.lease
}

/** Puts an entry where there is none. */
export async function fill(cache: EnvelopeCache, sessionId: string, of: CacheEntry): Promise<void> {
  const lease = leaseOf(await cache.get(sessionId))
  assert.equal(await cache.fill(sessionId, of, lease), true, 'filled')
}

/** Asks again and again until the answer is as wanted, and gives it. */
export async function waitFor<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (wanted(answer)) return answer
    await delay(5)
  }
}

/** Writes until nothing is asked any more. */
export async function writeUntilSkipped(cache: CountedCache): Promise<void> {
  const before = cache.counted.length
  for (let n = 0; !cache.counted.includes('write skipped', before); n++) {
    assert(n < 100, 'it goes on asking')
    await cache.wrote(`x${n}`, entry(1))
  }
}
