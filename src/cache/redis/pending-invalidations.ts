/** How to invalidate a session: remove its value, and for a purge also leave a tombstone. */
export type Invalidation = 'forget' | 'purge'

/** Sessions whose cached value may be stale, until it is removed. */
export interface PendingInvalidations {
  add(sessionId: string, remedy: Invalidation): void
  /** Whether the session is pending or being removed. */
  has(sessionId: string): boolean
  readonly isEmpty: boolean
  /** Removes all pending sessions. New ones wait for the next run; failed ones stay, and the first error is thrown. */
  run(remove: (sessionId: string, remedy: Invalidation) => Promise<void>, removeAll: () => Promise<void>): Promise<void>
}

/** Most concurrent removals. */
const AT_ONCE = 100

/** @param limit most sessions to remember one by one; beyond it, everything must be removed */
export function pendingInvalidations(limit: number): PendingInvalidations {
  let waiting = new Map<string, Invalidation>()
  let taken = new Map<string, Invalidation>()
  let everything = false
  let takenEverything = false

  function add(sessionId: string, remedy: Invalidation): void {
    if (everything) return
    if (waiting.get(sessionId) !== 'purge') waiting.set(sessionId, remedy)
    if (waiting.size > limit) overflow()
  }

  function overflow(): void {
    everything = true
    waiting.clear()
  }

  return {
    add,
    has: (sessionId) => everything || takenEverything || waiting.has(sessionId) || taken.has(sessionId),
    get isEmpty() {
      return !everything && !takenEverything && waiting.size === 0 && taken.size === 0
    },
    async run(remove, removeAll) {
      // two maps: a write may fail while its session is being removed, too late for this removal
      taken = waiting
      takenEverything = everything
      waiting = new Map()
      everything = false
      const problems: unknown[] = []
      try {
        if (takenEverything) await removeAll()
      } catch (error) {
        problems.push(error)
        overflow()
      }
      takenEverything = false
      const batch = [...taken]
      for (let from = 0; from < batch.length; from += AT_ONCE) {
        const some = batch.slice(from, from + AT_ONCE)
        const results = await Promise.allSettled(some.map(([sessionId, remedy]) => remove(sessionId, remedy)))
        for (const [i, result] of results.entries()) {
          const [sessionId, remedy] = some[i] ?? ['', 'forget']
          if (result.status === 'rejected') {
            problems.push(result.reason)
            add(sessionId, remedy)
          }
          taken.delete(sessionId)
        }
      }
      if (problems.length > 0) throw problems[0]
    },
  }
}
