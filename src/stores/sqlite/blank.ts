import { dirname } from 'node:path'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from '../files.ts'

/** Stands in a blank for the moment that a migration is made, and takes as many bytes. */
export const UNDATED = '0000-00-00T00:00:00.000Z'

/**
 * Puts a copy of the blank where no file is: a database with every migration and no rows, which would take 12 ms to make and seven waits
 * for the disk. It has its name only when it is whole and on disk. Where this cannot be done nothing happens: SQLite makes the file then, and
 * knows what is wrong.
 */
export function putBlank(path: string, blank: URL | string): void {
  // of these the driver takes another path than the one that is written here
  if (path !== path.trim() || path.startsWith('file:')) return
  // a log that is left of another file would be read as if it were this one's
  if ([path, `${path}-wal`, `${path}-journal`].some((file) => existsSync(file))) return
  const unnamed = `${path}-${process.pid}-${Date.now().toString(36)}.new`
  try {
    writeFileSync(unnamed, dated(readFileSync(blank)), { flag: 'wx', mode: 0o644, flush: true })
    try {
      // unlike a rename it takes the place of no file that another process has made
      linkSync(unnamed, path)
    } finally {
      unlinkSync(unnamed)
    }
    syncFolder(dirname(path))
  } catch {
    // there is no blank, no room, or no such thing as a link here
  }
}

function dated(file: Buffer): Buffer {
  const now = new Date().toISOString()
  for (let at = file.indexOf(UNDATED); at >= 0; at = file.indexOf(UNDATED, at)) file.write(now, at, 'latin1')
  return file
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
