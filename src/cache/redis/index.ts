import { randomUUID } from 'node:crypto'
import type { CacheEvents, EnvelopeCache } from '../../ports/envelope-cache.ts'
import { connect } from './connect.ts'
import { guard } from './guard.ts'
import { healthOf } from './health.ts'
import type { Keys } from './keys.ts'
import { clear, scan } from './keyspace.ts'
import { FILL, REMOVE, WRITE } from './scripts.ts'

export interface RedisCacheOptions {
  /** `redis://…`, `rediss://…`, `redis+cluster://host:port,host:port` or `rediss+cluster://…`. */
  url: string
  /** Time to live of a value. */
  ttlSeconds: number
  events: CacheEvents
  /** Longest wait for a response. @default 100 */
  commandTimeoutMs?: number
  /**
   * The same for writes and purges, which other processes must not miss. @default 1000 or a longer `commandTimeoutMs`
   */
  writeTimeoutMs?: number
  /** Longest wait for a connection; opening the cache takes no longer. @default 1000 */
  connectTimeoutMs?: number
  /** Time to read the store and fill after a miss. @default 5000 */
  leaseMs?: number
  /** How long a purged session cannot be filled. @default 30000 */
  tombstoneMs?: number
  /** Failures in a row after which the server is skipped. @default 5 */
  failures?: number
  /** How long it is skipped, and the pause between repairs. Use the same value in all processes. @default 1000 */
  pauseMs?: number
  /** Most sessions with failed writes to remember one by one; beyond that the whole cache is cleared. @default 10000 */
  rememberAtMost?: number
}

/**
 * Caches envelopes in Redis 6 or newer, or Redis Cluster, for any number of processes. Rejects only if the URL is
 * invalid or the driver is not installed; a server that is down counts as a failure. `docs/cache.md` explains why it
 * never restores an old value.
 */
export async function redisCache(options: RedisCacheOptions): Promise<EnvelopeCache> {
  const { url, ttlSeconds, events, connectTimeoutMs = 1000, commandTimeoutMs = 100 } = options
  const { writeTimeoutMs = Math.max(1000, commandTimeoutMs) } = options
  const { leaseMs = 5000, tombstoneMs = 30_000, failures = 5, pauseMs = 1000, rememberAtMost = 10_000 } = options
  const ttlMs = ttlSeconds * 1000
  const connection = await connect({ url, connectTimeoutMs, silenceMs: Math.max(1000, 5 * commandTimeoutMs) })
  const guarded = guard(connection, {
    events,
    commandTimeoutMs,
    writeTimeoutMs,
    tombstoneMs,
    failures,
    pauseMs,
    rememberAtMost,
  })

  return {
    async get(sessionId) {
      const lease = randomUUID()
      const send = (keys: Keys) => connection.getOrLease(keys, [lease, leaseMs])
      const reply = await guarded.send({ operation: 'get', sessionId, send })
      if (reply === undefined) return {}
      const [state, value] = reply
      if (value === undefined) {
        events.count('get', 'miss')
        return state === 'leased' ? { lease } : {}
      }
      if (!isObject(value)) {
        guarded.invalidate(sessionId, 'forget')
        events.count('get', 'error')
        return {}
      }
      events.count('get', 'hit')
      return { value }
    },

    async fill(sessionId, { value, version }, lease) {
      const send = (keys: Keys) => connection.run(FILL, keys, [lease ?? '', value, version, ttlMs])
      const reply = await guarded.send({ operation: 'fill', sessionId, send })
      if (reply === undefined) return false
      const filled = reply[0] === 'filled'
      events.count('fill', filled ? 'filled' : lease === undefined ? 'noted' : 'refused')
      return filled
    },

    async wrote(sessionId, { value, version }) {
      const send = (keys: Keys) => connection.run(WRITE, keys, [value, version, ttlMs])
      const reply = await guarded.send({ operation: 'write', sessionId, send })
      if (reply !== undefined) events.count('write', 'written')
    },

    async purged(sessionId) {
      const send = (keys: Keys) => connection.run(REMOVE, keys, [tombstoneMs])
      const reply = await guarded.send({ operation: 'purge', sessionId, send })
      if (reply !== undefined) events.count('purge', 'purged')
    },

    clear: () => clear(connection),
    scan: () => scan(connection),
    health: () => healthOf(connection, writeTimeoutMs),

    async close() {
      await guarded.close()
      connection.close()
    },
  }
}

/** Whether the text may be an envelope; the caller parses it. */
function isObject(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}')
}
