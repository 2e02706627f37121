import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { StorageError, ThroughlineError } from '../../domain/errors.ts'
import { existsSync, mkdirSync, writeFileSync } from '../files.ts'
import { createFile } from './template.ts'

/** `full` survives power loss, `relaxed` survives the end of the process only. */
export type Durability = 'full' | 'relaxed'

/** How long a call waits for another process that holds the file, in milliseconds. */
const BUSY_DEADLINE = 30_000

/** Pages of the write-ahead log before a checkpoint, and the size of a page: 16 MB. */
const MAX_LOG_PAGES = 4000
const PAGE_SIZE = 4096

/** The file to open, and how. */
export interface ConnectOptions {
  path: string
  durability: Durability
  /** Whether to leave an existing file unchanged, including its journal mode; writes fail. @default false */
  readonly?: boolean
  /** A template that a new file is copied from. @default none: the new file is empty */
  template?: URL | string
}

/** Opens the file and creates it with its folder if it is new. `check` may refuse the file before it is changed. */
export async function connect(
  { path, durability, readonly = false, template }: ConnectOptions,
  check: (db: Database) => void,
): Promise<Database> {
  const { default: open } = await import('better-sqlite3')
  let db: Database | undefined
  try {
    if (!readonly) makeFolder(dirname(path))
    if (!readonly) createFile(path, template)
    // the driver's own wait blocks this process, so it is short; retryWhileBusy waits the rest
    const opened = open(path, { timeout: 5, ...(readonly && readonlyOptions(path)) })
    db = opened
    await retryWhileBusy(() => check(opened))
    if (readonly) db.pragma('query_only = on')
    else await retryWhileBusy(() => opened.pragma('journal_mode = wal'))
    db.pragma(`synchronous = ${durability === 'full' ? 'full' : 'normal'}`)
    // fsync on macOS leaves data in the drive's cache
    db.pragma(`fullfsync = ${durability === 'full' ? 1 : 0}`)
    // overwrites what a purge deletes instead of only unlinking it
    db.pragma('secure_delete = on')
    // a log that grew because of a long-running reader shrinks again
    db.pragma(`journal_size_limit = ${MAX_LOG_PAGES * PAGE_SIZE}`)
    return db
  } catch (cause) {
    db?.close()
    throw storageError(cause, `cannot open '${path}'`)
  }
}

/**
 * Lets the write-ahead log grow to 16 MB instead of 4 MB before a checkpoint: 32 sessions touch 36 pages per commit,
 * and each checkpoint waits for the disk twice. Not from the start: while the log grows each commit waits twice as
 * long, and a lone writer fills 4 MB soon.
 */
export function raiseCheckpointSize(db: Database): void {
  db.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`)
}

/**
 * Options that leave the files unchanged. If a write-ahead log exists, the last writable connection copies it back on
 * close; if none exists, a read-only connection creates an empty one and cannot remove it.
 */
function readonlyOptions(path: string): { readonly: boolean; fileMustExist: true } {
  return { readonly: existsSync(`${path}-wal`), fileMustExist: true }
}

function makeFolder(folder: string): void {
  const isNew = !existsSync(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (isNew && basename(folder) === '.throughline') writeFileSync(join(folder, '.gitignore'), '*\n')
}

/** Runs synchronous work and retries while another process holds the lock. */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_DEADLINE
  for (let attempt = 0; ; attempt++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) {
        throw new StorageError(
          'sqlite',
          `another process has held the database lock for ${BUSY_DEADLINE / 1000} s; try again later`,
          {
            cause: error,
          },
        )
      }
      // random, so waiting processes do not all retry at the same time
      await delay(1 + Math.random() * Math.min(2 ** attempt, 20))
    }
  }
}

/** Wraps an error of the driver for the caller. */
export function storageError(cause: unknown, doing?: string): ThroughlineError {
  if (cause instanceof ThroughlineError) return cause
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

/** Another process or connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
