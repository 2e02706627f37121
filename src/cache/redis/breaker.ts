/** Circuit breaker for a failing server. Times are milliseconds of a monotonic clock. */
export interface Breaker {
  /** Whether values may be read and filled. */
  allowsReads(now: number): boolean
  /** Whether writes may be sent. */
  allowsWrites(): boolean
  succeeded(): void
  /** Returns true if this failure opened it. */
  failed(): boolean
  /** Call when a probe of an open breaker succeeds. */
  recovered(now: number): void
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  failures: number
  /** How long after recovery reads stay blocked. */
  settleMs: number
}

type State = { is: 'closed'; failures: number } | { is: 'open' } | { is: 'settling'; until: number }

/**
 * closed → open after some failures in a row → settling after a successful probe → closed after a while.
 *
 * While it settles, writes are sent but nothing is read: other processes need that time to notice the recovery and to
 * run their pending invalidations.
 */
export function breaker({ failures, settleMs }: BreakerOptions): Breaker {
  let state: State = { is: 'closed', failures: 0 }
  return {
    allowsReads(now) {
      if (state.is === 'settling' && now >= state.until) state = { is: 'closed', failures: 0 }
      return state.is === 'closed'
    },
    allowsWrites: () => state.is !== 'open',
    succeeded() {
      if (state.is === 'closed') state.failures = 0
    },
    failed() {
      if (state.is === 'open') return false
      if (state.is === 'closed' && ++state.failures < failures) return false
      state = { is: 'open' }
      return true
    },
    recovered(now) {
      if (state.is === 'open') state = { is: 'settling', until: now + settleMs }
    },
  }
}
