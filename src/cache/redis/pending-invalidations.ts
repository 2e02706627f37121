/** What is to be done about a session: remove its value, and for a purge leave a tombstone too. */
export type Invalidation = 'forget' | 'purge'

/** Sessions whose value in the cache may be older than what this process knows, until it has been removed. */
export interface PendingInvalidations {
  add(sessionId: string, remedy: Invalidation): void
  /** Whether this one is among them, also while it is being removed. */
  has(sessionId: string): boolean
  readonly isEmpty: boolean
  /** Removes what there is by the two given ways. What is added meanwhile stays for the next time; what fails stays too, and is thrown. */
  run(remove: (sessionId: string, remedy: Invalidation) => Promise<void>, removeAll: () => Promise<void>): Promise<void>
}

/** How many are removed at the same time. */
const AT_ONCE = 100

/** @param limit of sessions remembered one by one; with one more it is all of them, and nothing less than removing everything will do */
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
      // a write may fail while its session is being removed, so that the removal came too early for it: hence two sets
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
