import { randomUUID } from 'node:crypto'
import type { CacheEntry, CacheEvents, EnvelopeCache } from '../../ports/envelope-cache.ts'
import { breaker } from './breaker.ts'
import { connect } from './connect.ts'
import { within } from './deadline.ts'
import { keysOf } from './keys.ts'
import { clear, scan } from './keyspace.ts'
import { mender } from './mend.ts'
import { FILL, GET, REMOVE, type Script, WRITE } from './scripts.ts'
import { type Remedy, unsettled } from './unsettled.ts'

export interface RedisCacheOptions {
  /** `redis://…`, `rediss://…`, `redis+cluster://host:port,host:port` or `rediss+cluster://…`. */
  url: string
  /** How long a value lives. */
  ttlSeconds: number
  events: CacheEvents
  /** Longest wait for an answer. @default 100 */
  commandTimeoutMs?: number
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

type Operation = Parameters<CacheEvents['count']>[0]

/**
 * Envelopes in Redis 6 or newer, or Redis Cluster, shared by any number of processes. Rejects only for a URL that cannot be read or a
 * driver that is not installed; a server that is down counts as a failure like any other. See `docs/cache.md` for why it never
 * brings an old value back.
 */
export async function redisCache(options: RedisCacheOptions): Promise<EnvelopeCache> {
  const { url, ttlSeconds, events } = options
  const { commandTimeoutMs = 100, connectTimeoutMs = 1000, leaseMs = 5000, tombstoneMs = 30_000 } = options
  const { failures = 5, pauseMs = 1000, rememberAtMost = 10_000 } = options
  const ttlMs = ttlSeconds * 1000
  const silenceMs = Math.max(1000, 5 * commandTimeoutMs)
  const connection = await connect({ url, connectTimeoutMs, silenceMs })
  const now = () => performance.now()
  // the others' menders need one pause, the attempt that came too early, and the one that works
  const trust = breaker({ failures, settleMs: pauseMs + 2 * commandTimeoutMs })
  const doubtful = unsettled(rememberAtMost)
  let lastFailed = ''
  let closed = false

  async function ask(script: Script, sessionId: string, args: readonly (string | number)[]): Promise<string[]> {
    return await within(commandTimeoutMs, connection.run(script, keysOf(sessionId), args))
  }

  const remove = async (sessionId: string, remedy: Remedy) =>
    void (await ask(REMOVE, sessionId, [remedy === 'purge' ? tombstoneMs : 0]))

  const mending = mender({
    breaker: trust,
    unsettled: doubtful,
    // of the session that failed, since the other nodes of a cluster may be well
    probe: () => within(commandTimeoutMs, connection.get(keysOf(lastFailed)[0])),
    remove,
    removeAll: async () => void (await clear(connection)),
    pauseMs,
    now,
  })

  /** Asks, and looks after what goes wrong: `undefined` then. */
  async function attempt(
    operation: Operation,
    sessionId: string,
    script: Script,
    args: readonly (string | number)[],
  ): Promise<string[] | undefined> {
    try {
      const reply = await ask(script, sessionId, args)
      trust.succeeded()
      if (reply[0] !== 'full') return reply
      // it answered, and left nothing old behind, so there is nothing to mend
      events.count(operation, 'error')
    } catch {
      events.count(operation, 'error')
      lastFailed = sessionId
      doubt(sessionId, operation === 'purge' ? 'purge' : 'forget')
      trust.failed()
    }
    return undefined
  }

  function doubt(sessionId: string, remedy: Remedy): void {
    if (closed) return
    doubtful.add(sessionId, remedy)
    // on the next tick: the breaker is told of the failure first
    queueMicrotask(() => mending.wake())
  }

  const readable = (sessionId: string) => !closed && trust.reads(now()) && !doubtful.has(sessionId)

  /** Tells of a change, or remembers it for later. */
  async function tell(
    operation: 'write' | 'purge',
    sessionId: string,
    script: Script,
    args: readonly (string | number)[],
  ): Promise<void> {
    if (closed || !trust.writes() || doubtful.has(sessionId)) {
      doubt(sessionId, operation === 'purge' ? 'purge' : 'forget')
      return events.count(operation, 'skipped')
    }
    const reply = await attempt(operation, sessionId, script, args)
    if (reply !== undefined) events.count(operation, operation === 'write' ? 'written' : 'purged')
  }

  return {
    async get(sessionId) {
      if (!readable(sessionId)) {
        events.count('get', 'skipped')
        return {}
      }
      const lease = randomUUID()
      const reply = await attempt('get', sessionId, GET, [lease, leaseMs])
      if (reply === undefined) return {}
      const [state, value] = reply
      if (state === 'hit' && value !== undefined) {
        if (isObject(value)) {
          events.count('get', 'hit')
          return { value }
        }
        events.count('get', 'error')
        doubt(sessionId, 'forget')
        return {}
      }
      events.count('get', 'miss')
      return state === 'leased' ? { lease } : {}
    },

    async fill(sessionId, { value, version }: CacheEntry, lease) {
      if (!readable(sessionId)) {
        events.count('fill', 'skipped')
        return false
      }
      const reply = await attempt('fill', sessionId, FILL, [lease ?? '', value, version, ttlMs])
      if (reply === undefined) return false
      const filled = reply[0] === 'filled'
      events.count('fill', filled ? 'filled' : lease === undefined ? 'noted' : 'refused')
      return filled
    },

    wrote: (sessionId, { value, version }) => tell('write', sessionId, WRITE, [value, version, ttlMs]),
    purged: (sessionId) => tell('purge', sessionId, REMOVE, [tombstoneMs]),
    clear: () => clear(connection),
    scan: () => scan(connection),

    async close() {
      if (closed) return
      closed = true
      // what cannot be removed in time is left to its time to live
      await within(2 * commandTimeoutMs, mending.stop()).catch(() => {})
      connection.close()
    },
  }
}

/** Whether the text could be an envelope at all. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
