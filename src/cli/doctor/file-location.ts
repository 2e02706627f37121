import { type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Check } from './check.ts'

/** What is wrong with the place of a database file, whoever may write there; `undefined` where a file is, or can be made. */
export function checkFileLocation(file: string): Check | undefined {
  const check = (found: string, advice: string): Check => ({ name: 'store', status: 'fail', found, advice })
  const there = tryStat(file)
  if (there?.isDirectory()) {
    return check(`sqlite: ${file} is a folder`, `name a file in it: --url sqlite:${join(file, 'sessions.db')}`)
  }
  if (there !== undefined && !there.isFile()) {
    return check(`sqlite: ${file} is no ordinary file, and cannot be a database`, 'name another file with --url')
  }
  const above = nearestParent(resolve(file))
  if (tryStat(above)?.isDirectory() !== false) return undefined
  return check(`sqlite: ${above} is not a folder, so that nothing can be below it`, 'name another place with --url')
}

function nearestParent(path: string): string {
  const folder = dirname(path)
  return folder === path || tryStat(folder) !== undefined ? folder : nearestParent(folder)
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    // not there, or not for us to see, which other checks find
    return undefined
  }
}
