import { resolve } from 'node:path'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../domain/errors.ts'
import type { StoreHealth } from '../../ports/session-store.ts'
import { statfsSync, statSync } from '../files.ts'
import { type ConnectOptions, isBusy, storageError } from './connection.ts'
import { schemaOf } from './migrate.ts'
import { prepared } from './statement.ts'

/** One row of each table that reads and writes depend on. */
const PROBE = `
  select (select 1 from sessions limit 1), (select 1 from session_events limit 1), (select 1 from session_state limit 1),
    (select 1 from session_keys limit 1), (select 1 from session_envelopes limit 1), (select 1 from memories limit 1)`

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra']

/**
 * Checks the file on every call: it may have been changed or replaced. Unless `readonly`, it also checks that a write
 * can begin, or that another process writes.
 */
export function healthReader(
  db: Database,
  path: string,
  { readonly = false }: Pick<ConnectOptions, 'readonly'> = {},
): () => StoreHealth {
  const file = resolve(path)
  const opened = statSync(file).ino

  function requireSameFile(): void {
    const current = statSync(file, { throwIfNoEntry: false })?.ino
    if (current === opened) return
    // writes now go to a file that has no name any more
    const fate = current === undefined ? 'was removed' : 'was replaced by another'
    throw new StorageError('sqlite', `the file '${path}' ${fate} while it was open; restart this process`)
  }

  function requireWritable(): void {
    if (readonly || db.inTransaction) return
    try {
      db.exec('begin immediate; rollback')
    } catch (error) {
      if (!isBusy(error)) throw storageError(error)
    }
  }

  function space(): { bytes: number; freeBytes: number } {
    const sizes = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0)
    const { bavail, bsize } = statfsSync(file)
    return { bytes: sizes.reduce((sum, size) => sum + size), freeBytes: bavail * bsize }
  }

  return () => {
    requireSameFile()
    requireWritable()
    prepared(db, PROBE).get()
    return {
      schema: schemaOf(db),
      details: {
        file: path,
        journal: String(db.pragma('journal_mode', { simple: true })),
        synchronous: SYNCHRONOUS[Number(db.pragma('synchronous', { simple: true }))] ?? 'unknown',
        ...space(),
        sqlite: String(prepared(db, 'select sqlite_version()').pluck().get()),
      },
    }
  }
}
