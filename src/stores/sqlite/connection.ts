import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../domain/errors.ts'

/** `full` survives power loss, `relaxed` survives the end of the process only. */
export type Durability = 'full' | 'relaxed'

/** How long a call waits for another process that holds the file, in milliseconds. */
const BUSY_DEADLINE = 30_000

/** Opens the file, made with its folder if it is new. `check` may refuse it before anything in it is changed. */
export async function connect(path: string, durability: Durability, check: (db: Database) => void): Promise<Database> {
  const { default: open } = await import('better-sqlite3')
  try {
    makeFolder(dirname(path))
    // The driver's own wait blocks this process, so it is short; whenFree waits the rest.
    const db = open(path, { timeout: 5 })
    await whenFree(() => check(db))
    await whenFree(() => db.pragma('journal_mode = wal'))
    db.pragma(`synchronous = ${durability === 'full' ? 'full' : 'normal'}`)
    // macOS: its fsync leaves data in the drive's cache
    db.pragma(`fullfsync = ${durability === 'full' ? 1 : 0}`)
    // what a purge deletes is overwritten, not only unlinked
    db.pragma('secure_delete = on')
    return db
  } catch (cause) {
    throw storageError(cause, `cannot open '${path}'`)
  }
}

function makeFolder(folder: string): void {
  const isNew = !existsSync(folder)
  mkdirSync(folder, { recursive: true })
  if (isNew && basename(folder) === '.throughline') writeFileSync(join(folder, '.gitignore'), '*\n')
}

/** Runs a synchronous piece of work, again and again while another process holds the file. */
export async function whenFree<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_DEADLINE
  for (let attempt = 0; ; attempt++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) {
        throw new StorageError('sqlite', `another process kept the database locked for ${BUSY_DEADLINE / 1000} s`, {
          cause: error,
        })
      }
      // random, so that many waiting processes do not come back at the same moment
      await delay(1 + Math.random() * Math.min(2 ** attempt, 20))
    }
  }
}

/** The error a caller gets for one of the driver's. */
export function storageError(cause: unknown, doing?: string): StorageError {
  if (cause instanceof StorageError) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = codeOf(cause)
  const hint = HINTS[code.split('_', 2).join('_')] ?? ''
  return new StorageError('sqlite', [doing, `${message}${code && ` (${code})`}${hint}`].filter(Boolean).join(': '), {
    cause,
  })
}

const HINTS: Record<string, string> = {
  SQLITE_FULL: '; free some disk space',
  SQLITE_READONLY: '; make the file and its folder writable',
  SQLITE_CANTOPEN: '; check that the folder exists and is writable',
  SQLITE_NOTADB: '; the file is not a SQLite database',
  SQLITE_CORRUPT: '; restore the file from a backup',
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
