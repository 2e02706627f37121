import type { CacheEvents } from '../../ports/envelope-cache.ts'
import { breaker } from './breaker.ts'
import type { Connection } from './connect.ts'
import { DeadlineError, withDeadline } from './deadline.ts'
import { type Keys, keysOf } from './keys.ts'
import { clear } from './keyspace.ts'
import { type Invalidation, pendingInvalidations } from './pending-invalidations.ts'
import { repairer } from './repair.ts'
import { REMOVE } from './scripts.ts'

export type Operation = Parameters<CacheEvents['count']>[0]

/** One request about one session. */
export interface Request {
  operation: Operation
  sessionId: string
  send(keys: Keys): Promise<string[]>
}

/** Sends requests with a time limit, skips a failing server, and repairs after failures. */
export interface Guard {
  /** The reply, or `undefined` if the request was skipped or failed; both are counted. */
  send(request: Request): Promise<string[] | undefined>
  /** Blocks reads of the session until its value is removed in the background. */
  invalidate(sessionId: string, kind: Invalidation): void
  close(): Promise<void>
}

export interface GuardOptions {
  events: CacheEvents
  commandTimeoutMs: number
  /** Timeout of writes and purges, which other processes must not miss. */
  writeTimeoutMs: number
  tombstoneMs: number
  failures: number
  pauseMs: number
  rememberAtMost: number
}

export function guard(connection: Connection, options: GuardOptions): Guard {
  const { events, commandTimeoutMs, writeTimeoutMs, tombstoneMs, failures, pauseMs, rememberAtMost } = options
  const now = () => performance.now()
  // repairs of other processes need one pause, one attempt that is too early, and one that works
  const circuit = breaker({ failures, settleMs: pauseMs + 2 * commandTimeoutMs })
  const pending = pendingInvalidations(rememberAtMost)
  let lastFailed = ''
  /** Whether the last write failed. */
  let lastWriteFailed = false
  let closed = false

  const repairs = repairer({
    breaker: circuit,
    pending,
    // the key that failed, since other nodes of a cluster may be healthy
    probe: () => withDeadline(commandTimeoutMs, connection.get(keysOf(lastFailed)[0])),
    async remove(sessionId, kind) {
      const args = [kind === 'purge' ? tombstoneMs : 0]
      await withDeadline(commandTimeoutMs, connection.run(REMOVE, keysOf(sessionId), args))
    },
    removeAll: async () => void (await clear(connection)),
    pauseMs,
    now,
  })
  connection.onReady(repairs.retryNow)

  function invalidate(sessionId: string, kind: Invalidation): void {
    if (closed) return
    pending.add(sessionId, kind)
    repairs.start()
  }

  /**
   * Allows reads only while everything works. Failed reads do not stop writes: other processes may still read the
   * cache.
   */
  function isAllowed(request: Request): boolean {
    if (closed) return false
    if (isWrite(request)) return circuit.allowsWrites() || !lastWriteFailed
    return circuit.allowsReads(now()) && !pending.has(request.sessionId)
  }

  /** Writes wait for the cache, since a slow server still serves old values to other processes. */
  const isWrite = ({ operation }: Request) => operation === 'write' || operation === 'purge'
  const invalidationOf = (operation: Operation): Invalidation => (operation === 'purge' ? 'purge' : 'forget')

  return {
    async send(request) {
      const { operation, sessionId } = request
      if (!isAllowed(request)) {
        // skipped reads need no invalidation: once reads are allowed again, all writers have repaired
        if (isWrite(request)) invalidate(sessionId, invalidationOf(operation))
        events.count(operation, 'skipped')
        return undefined
      }
      const work = request.send(keysOf(sessionId))
      try {
        const reply = await withDeadline(isWrite(request) ? writeTimeoutMs : commandTimeoutMs, work)
        circuit.succeeded()
        if (isWrite(request)) lastWriteFailed = false
        if (reply[0] !== 'full') return reply
        // it responded and removed the old value: nothing to repair
        events.count(operation, 'error')
      } catch (error) {
        events.count(operation, 'error')
        lastFailed = sessionId
        circuit.failed()
        if (isWrite(request)) lastWriteFailed = true
        // the reader falls back to the store and may see a version that the cache does not know yet
        invalidate(sessionId, invalidationOf(operation))
        if (error instanceof DeadlineError) work.then(repairs.retryNow, () => {})
      }
      return undefined
    },

    invalidate,

    async close() {
      closed = true
      // values that cannot be removed in time expire by their time to live
      await withDeadline(2 * commandTimeoutMs, repairs.stop()).catch(() => {})
    },
  }
}
