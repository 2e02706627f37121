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
  /** How long a value lives. */
  ttlSeconds: number
  events: CacheEvents
  /** Longest wait for an answer. @default 100 */
  commandTimeoutMs?: number
  /** The same for telling it of a write or a purge, which others must not miss. @default 1000, or `commandTimeoutMs` if that is more */
  writeTimeoutMs?: number
  /** Longest wait for a connection; opening the cache takes no longer. @default 1000 */
  connectTimeoutMs?: number
  /** How long whoever missed may take to read the store and fill. @default 5000 */
  leaseMs?: number
  /** How long nothing can be filled after a purge. @default 30000 */
  tombstoneMs?: number
  /** Failures in a row after which nothing is asked for a while. @default 5 */
  failures?: number
  /** That while, and the time between attempts to mend. Should be the same in every process that shares the cache. @default 1000 */
  pauseMs?: number
  /** Sessions remembered one by one whose writes the cache could not be told of; beyond it the whole cache is emptied. @default 10000 */
  rememberAtMost?: number
}

/**
 * Envelopes in Redis 6 or newer, or Redis Cluster, shared by any number of processes. Rejects only for a URL that cannot be read or a
 * driver that is not installed; a server that is down counts as a failure like any other. See `docs/cache.md` for why it never
 * brings an old value back.
 */
export async function redisCache(options: RedisCacheOptions): Promise<EnvelopeCache> {
  const { url, ttlSeconds, events, connectTimeoutMs = 1000, commandTimeoutMs = 100 } = options
  const { writeTimeoutMs: tellTimeoutMs = Math.max(1000, commandTimeoutMs) } = options
  const { leaseMs = 5000, tombstoneMs = 30_000, failures = 5, pauseMs = 1000, rememberAtMost = 10_000 } = options
  const ttlMs = ttlSeconds * 1000
  const connection = await connect({ url, connectTimeoutMs, silenceMs: Math.max(1000, 5 * commandTimeoutMs) })
  const guarded = guard(connection, {
    events,
    commandTimeoutMs,
    writeTimeoutMs: tellTimeoutMs,
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
    health: () => healthOf(connection, tellTimeoutMs),

    async close() {
      await guarded.close()
      connection.close()
    },
  }
}

/** Whether the text could be an envelope at all. Whoever uses it reads it, and sees the rest. */
function isObject(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}')
}
