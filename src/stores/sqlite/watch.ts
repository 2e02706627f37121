import type { Database } from 'better-sqlite3'

/** Interval in milliseconds at which a watching process checks for writes of other processes. */
const POLL = 20

/** Wakes watchers after writes: immediately for this process, by polling for others. */
export interface Watchers {
  add(sessionId: string, wake: () => void): () => void
  wake(sessionIds: Iterable<string>): void
  close(): void
}

export function createWatchers(db: Database): Watchers {
  const bySession = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  let seen = 0

  // data_version changes when another connection commits; the query does not read the file
  const version = () => db.pragma('data_version', { simple: true }) as number

  function poll(): void {
    try {
      const now = version()
      if (now === seen) return
      seen = now
    } catch {
      // the reads that follow report the problem to their callers
    }
    wake([...bySession.keys()])
  }

  function wake(sessionIds: Iterable<string>): void {
    for (const sessionId of sessionIds) for (const callback of bySession.get(sessionId) ?? []) callback()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    wake,
    add(sessionId, callback) {
      const group = bySession.get(sessionId) ?? new Set()
      bySession.set(sessionId, group.add(callback))
      if (timer === undefined) {
        seen = version()
        timer = setInterval(poll, POLL)
      }
      return () => {
        group.delete(callback)
        if (group.size === 0) bySession.delete(sessionId)
        if (bySession.size === 0) stop()
      }
    },
    close() {
      stop()
      bySession.clear()
    },
  }
}
