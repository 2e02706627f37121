/** Says what may be asked of a server that fails. Times are in milliseconds, by any clock that does not go back. */
export interface Breaker {
  /** Whether values may be read and filled. */
  allowsReads(now: number): boolean
  /** Whether writes may be told. */
  allowsWrites(): boolean
  succeeded(): void
  /** True: with this failure it opened. */
  failed(): boolean
  /** Whoever looked after an open one found the server well again. */
  recovered(now: number): void
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  failures: number
  /** How long after recovery nothing is read yet. */
  settleMs: number
}

type State = { is: 'closed'; failures: number } | { is: 'open' } | { is: 'settling'; until: number }

/**
 * closed → open after some failures in a row → settling once somebody found the server well → closed after a while.
 *
 * While it settles writes are told but nothing is read: the other processes need that time to notice the recovery too, and to
 * remove what they could not tell of meanwhile.
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
