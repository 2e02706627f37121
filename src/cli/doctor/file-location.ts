import { type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Check, fail } from './check.ts'

/** Why the path cannot be a database file, whatever the permissions; `undefined` if it can. */
export function checkFileLocation(file: string): Check | undefined {
  const stats = tryStat(file)
  if (stats?.isDirectory()) {
    return fail('store', `sqlite: ${file} is a folder`, `name a file in it: --url sqlite:${join(file, 'sessions.db')}`)
  }
  if (stats !== undefined && !stats.isFile()) {
    return fail('store', `sqlite: ${file} is not a regular file`, 'choose another file with --url')
  }
  const parent = nearestParent(resolve(file))
  if (tryStat(parent)?.isDirectory() !== false) return undefined
  return fail('store', `sqlite: ${parent} is not a folder`, 'choose another file with --url')
}

function nearestParent(path: string): string {
  const folder = dirname(path)
  return folder === path || tryStat(folder) !== undefined ? folder : nearestParent(folder)
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    // missing or not accessible; other checks report that
    return undefined
  }
}
