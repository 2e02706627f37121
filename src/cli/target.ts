import { existsSync } from 'node:fs'
import type { Throughline } from '../api.ts'
import { StorageError } from '../domain/errors.ts'
import { defined } from '../domain/optional.ts'
import { open } from '../open/open.ts'
import { targetOf } from '../open/target.ts'
import { type ShowProgress, withProgress } from './progress.ts'

/** The store a command works on. */
export interface Target {
  /** May hold a password: never print it. */
  readonly url: string
  /** Whether it comes from `--url`, not from the environment or the default. */
  readonly explicit: boolean
  /** Value of `--cache-url`; may hold a password. `open()` reads the environment itself. */
  readonly cache?: string
}

/** Options of `open()` for the target. */
export function toOpenOptions({ url, cache }: Target): { url: string; cache?: string } {
  return defined({ url, cache })
}

/** Whether the target has a cache. */
export function hasCache({ url, cache }: Target): boolean {
  return targetOf(url).store === 'postgres' && (cache ?? process.env['THROUGHLINE_CACHE_URL'] ?? '') !== ''
}

/** A line below printed commands that need the typed URLs, which are not repeated: they may hold a password. */
export function sameTargetHint({ explicit, cache }: Target, how: 'with' | 'each with' = 'each with'): string[] {
  const typed = [...(explicit ? ['--url'] : []), ...(cache === undefined ? [] : ['--cache-url'])]
  return typed.length === 0 ? [] : [`(${how} the same ${typed.join(' and ')})`]
}

/** File of a SQLite target; `undefined` for other stores. */
export function sqlitePath(url: string): string | undefined {
  const target = targetOf(url)
  return target.store === 'sqlite' ? target.path : undefined
}

/**
 * Opens an existing store, runs the work with a progress line and closes the store. Never migrates. If a SQLite file is
 * missing, `absent` decides: refuse, create it, or use an empty store in memory.
 */
export async function withStore<T>(
  target: Target,
  work: (tl: Throughline, showProgress: ShowProgress) => Promise<T>,
  { absent = 'refuse' }: { absent?: 'refuse' | 'create' | 'memory' } = {},
): Promise<T> {
  const file = sqlitePath(target.url)
  const isNew = file !== undefined && !existsSync(file)
  if (isNew && absent === 'refuse') {
    throw new StorageError('sqlite', `no database at '${file}'; check the path, or choose another store with --url`)
  }
  const opening = toOpenOptions(isNew && absent === 'memory' ? { ...target, url: 'memory:' } : target)
  const tl = await open({ ...opening, migrate: isNew, index: false })
  try {
    return await withProgress((showProgress) => work(tl, showProgress))
  } finally {
    await tl.close()
  }
}
