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

/** One thing to ask about one session. */
export interface Request {
  operation: Operation
  sessionId: string
  /** Asks it. */
  send(keys: Keys): Promise<string[]>
}

/** Stands before the server: whatever is asked of it is asked here, within the time limit, and what goes wrong is looked after. */
export interface Guard {
  /** The reply, or `undefined` where it was not asked or failed, which has been counted. */
  send(question: Request): Promise<string[] | undefined>
  /** What is in the cache for this session is not to be read until it has been removed, which is seen to. */
  invalidate(sessionId: string, remedy: Invalidation): void
  close(): Promise<void>
}

export interface GuardOptions {
  events: CacheEvents
  commandTimeoutMs: number
  /** The same for what others must not miss: a write, a purge. */
  writeTimeoutMs: number
  tombstoneMs: number
  failures: number
  pauseMs: number
  rememberAtMost: number
}

export function guard(connection: Connection, options: GuardOptions): Guard {
  const {
    events,
    commandTimeoutMs,
    writeTimeoutMs: tellTimeoutMs,
    tombstoneMs,
    failures,
    pauseMs,
    rememberAtMost,
  } = options
  const now = () => performance.now()
  // the others' menders need one pause, the attempt that came too early, and the one that works
  const trust = breaker({ failures, settleMs: pauseMs + 2 * commandTimeoutMs })
  const doubtful = pendingInvalidations(rememberAtMost)
  let lastFailed = ''
  /** The last that was to be told could not be. */
  let untold = false
  let closed = false

  const mending = repairer({
    breaker: trust,
    pending: doubtful,
    // of the session that failed, since the other nodes of a cluster may be well
    probe: () => withDeadline(commandTimeoutMs, connection.get(keysOf(lastFailed)[0])),
    async remove(sessionId, remedy) {
      const args = [remedy === 'purge' ? tombstoneMs : 0]
      await withDeadline(commandTimeoutMs, connection.run(REMOVE, keysOf(sessionId), args))
    },
    removeAll: async () => void (await clear(connection)),
    pauseMs,
    now,
  })
  connection.onReady(mending.retryNow)

  function doubt(sessionId: string, remedy: Invalidation): void {
    if (closed) return
    doubtful.add(sessionId, remedy)
    mending.start()
  }

  /** Reads are let through only when all is well. Those that fail are no reason to leave the cache untold: others may still read it. */
  function lets(question: Request): boolean {
    if (closed) return false
    if (tells(question)) return trust.allowsWrites() || !untold
    return trust.allowsReads(now()) && !doubtful.has(question.sessionId)
  }

  /** Whether it is about what others must learn of. Whoever wrote is kept waiting for it: a slow server serves the others too, and old values. */
  const tells = ({ operation }: Request) => operation === 'write' || operation === 'purge'
  const remedyOf = (operation: Operation): Invalidation => (operation === 'purge' ? 'purge' : 'forget')

  return {
    async send(question) {
      const { operation, sessionId } = question
      if (!lets(question)) {
        // reads that were not tried leave no doubt: when they are let through again, all writers have had their time
        if (tells(question)) doubt(sessionId, remedyOf(operation))
        events.count(operation, 'skipped')
        return undefined
      }
      const work = question.send(keysOf(sessionId))
      try {
        const reply = await withDeadline(tells(question) ? tellTimeoutMs : commandTimeoutMs, work)
        trust.succeeded()
        if (tells(question)) untold = false
        if (reply[0] !== 'full') return reply
        // it answered, and left nothing old behind: there is nothing to mend
        events.count(operation, 'error')
      } catch (error) {
        events.count(operation, 'error')
        lastFailed = sessionId
        trust.failed()
        if (tells(question)) untold = true
        // whoever failed to read goes to the store, and may find there what the cache has yet to be told
        doubt(sessionId, remedyOf(operation))
        if (error instanceof DeadlineError) work.then(mending.retryNow, () => {})
      }
      return undefined
    },

    invalidate: doubt,

    async close() {
      closed = true
      // what cannot be removed in time is left to its time to live
      await withDeadline(2 * commandTimeoutMs, mending.stop()).catch(() => {})
    },
  }
}
