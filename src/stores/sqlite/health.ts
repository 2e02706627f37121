import { resolve } from 'node:path'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../domain/errors.ts'
import type { StoreHealth } from '../../ports/session-store.ts'
import { statSync } from '../files.ts'
import { schemaOf } from './migrate.ts'
import { prepared } from './statement.ts'

/** One row of each table without which nothing can be read or written. */
const PROBE = `
  select (select 1 from sessions limit 1), (select 1 from session_events limit 1), (select 1 from session_state limit 1),
    (select 1 from session_keys limit 1), (select 1 from session_envelopes limit 1), (select 1 from memories limit 1)`

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra']

/** Looks at the file itself, each time anew: others may have changed it, or put another in its place. */
export function healthReader(db: Database, path: string): () => StoreHealth {
  const file = resolve(path)
  const opened = statSync(file).ino

  function requirePlace(): void {
    const there = statSync(file, { throwIfNoEntry: false })?.ino
    if (there === opened) return
    // what is written goes to a file that nobody will find again
    const fate = there === undefined ? 'was removed' : 'was replaced by another'
    throw new StorageError('sqlite', `the file '${path}' ${fate} while it was open; start this process again`)
  }

  return () => {
    requirePlace()
    prepared(db, PROBE).get()
    return {
      schema: schemaOf(db),
      details: {
        file: path,
        journal: String(db.pragma('journal_mode', { simple: true })),
        synchronous: SYNCHRONOUS[Number(db.pragma('synchronous', { simple: true }))] ?? 'unknown',
        sqlite: String(prepared(db, 'select sqlite_version()').pluck().get()),
      },
    }
  }
}
