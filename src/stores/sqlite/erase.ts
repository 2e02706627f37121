import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'

/** Attempts before a reader counts as long-running, and the pause between two in milliseconds: a quarter of a second. */
const ATTEMPTS = 6
const PAUSE = 40

/**
 * Copies the write-ahead log to the database and empties it: it holds older versions of the pages that a purge has
 * overwritten. Returns false while a reader or a writer of another connection prevents it. Takes 150 ms for each 100 MB
 * of log; commits checkpoint it at 16 MB, unless a reader prevents that.
 */
export async function eraseLog(db: Database): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (truncate(db)) return true
    if (attempt === ATTEMPTS) return false
    await delay(PAUSE)
  }
}

function truncate(db: Database): boolean {
  // the commit queue begins a transaction one tick before it writes
  if (db.inTransaction) return false
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return result?.busy === 0
}
