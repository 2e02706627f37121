import { existsSync } from 'node:fs'
import type { Throughline } from '../api.ts'
import { StorageError } from '../domain/errors.ts'
import { open } from '../open/open.ts'
import { targetOf } from '../open/target.ts'

/** The store a command works on. */
export interface Target {
  /** May hold a password: never print it. */
  readonly url: string
  /** Whether `--url` named it, rather than the environment or the default. */
  readonly explicit: boolean
  /** What `--cache-url` names. May hold a password too. What the environment names `open()` finds by itself. */
  readonly cache?: string
}

/** What to open it with: its URL, and the cache if one was typed. */
export function toOpenOptions({ url, cache }: Target): { url: string; cache?: string } {
  return { url, ...(cache !== undefined && { cache }) }
}

/** Whether there is a cache in front of it. */
export function hasCache({ url, cache }: Target): boolean {
  return targetOf(url).store === 'postgres' && (cache ?? process.env['THROUGHLINE_CACHE_URL'] ?? '') !== ''
}

/** A line after commands to copy, where they need what was typed: it may hold a password, so it is not repeated. */
export function sameTargetHint({ explicit, cache }: Target, how: 'with' | 'each with' = 'each with'): string[] {
  const typed = [...(explicit ? ['--url'] : []), ...(cache === undefined ? [] : ['--cache-url'])]
  return typed.length === 0 ? [] : [`(${how} the same ${typed.join(' and ')})`]
}

/** Path of the file that a target means; `undefined` for other stores. */
export function sqlitePath(url: string): string | undefined {
  const target = targetOf(url)
  return target.store === 'sqlite' ? target.path : undefined
}

/**
 * Works on a store that is already there, and closes it whatever happens. Neither makes nor migrates one, unless `absent` says that an embedded
 * one may be made, or that an empty one in memory will do.
 */
export async function withStore<T>(
  target: Target,
  work: (tl: Throughline) => Promise<T>,
  { absent = 'refuse' }: { absent?: 'refuse' | 'make' | 'memory' } = {},
): Promise<T> {
  const file = sqlitePath(target.url)
  const isNew = file !== undefined && !existsSync(file)
  if (isNew && absent === 'refuse') {
    throw new StorageError('sqlite', `there is no database at '${file}'; name another with --url`)
  }
  const opening = toOpenOptions(isNew && absent === 'memory' ? { ...target, url: 'memory:' } : target)
  const tl = await open({ ...opening, migrate: isNew, index: false })
  try {
    return await work(tl)
  } finally {
    await tl.close()
  }
}
