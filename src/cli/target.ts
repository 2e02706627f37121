import { existsSync } from 'node:fs'
import type { Throughline } from '../api.ts'
import { StorageError } from '../domain/errors.ts'
import { open } from '../open.ts'
import { targetOf } from '../target.ts'

/** The store a command works on. */
export interface Target {
  /** May hold a password: never print it. */
  readonly url: string
  /** Whether `--url` named it, rather than the environment or the default. */
  readonly explicit: boolean
}

/** Path of the file that a target means; `undefined` for other stores. */
export function sqliteFile(url: string): string | undefined {
  const target = targetOf(url)
  return target.store === 'sqlite' ? target.path : undefined
}

/**
 * Works on a store that is already there, and closes it whatever happens. Neither makes nor migrates one, unless `absent` says that an embedded
 * one may be made, or that an empty one in memory will do.
 */
export async function withStore<T>(
  { url }: Target,
  work: (tl: Throughline) => Promise<T>,
  { absent = 'refuse' }: { absent?: 'refuse' | 'make' | 'memory' } = {},
): Promise<T> {
  const file = sqliteFile(url)
  const isNew = file !== undefined && !existsSync(file)
  if (isNew && absent === 'refuse') {
    throw new StorageError('sqlite', `there is no database at '${file}'; name another with --url`)
  }
  const tl = await open({ url: isNew && absent === 'memory' ? 'memory:' : url, migrate: isNew, index: false })
  try {
    return await work(tl)
  } finally {
    await tl.close()
  }
}
