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

/** Placeholder for the time of a migration in the template, with the same number of bytes. */
export const TIME_PLACEHOLDER = '0000-00-00T00:00:00.000Z'

/** Mode of new files. SQLite gives its log and its shared memory the mode of the database. */
const OWNER_ONLY = 0o600

/** Creates a missing file, from the template if there is one, so that only its owner can read it. */
export function createFile(path: string, template: URL | string | undefined): void {
  // the driver interprets such paths differently
  if (path !== path.trim() || path.startsWith('file:') || existsSync(path)) return
  if (template !== undefined) copyTemplate(path, template)
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch {
    // it exists by now, or SQLite reports the problem
  }
}

/**
 * Creates a missing file as a copy of the template, a database with every migration and no rows: migrating takes 12
 * ms and seven waits for the disk. The file gets its name once it is complete and on disk. On failure nothing
 * happens.
 */
function copyTemplate(path: string, template: URL | string): void {
  // SQLite would apply a leftover log of another file to this one
  if ([path, `${path}-wal`, `${path}-journal`].some((file) => existsSync(file))) return
  const temporary = `${path}-${process.pid}-${Date.now().toString(36)}.new`
  try {
    writeFileSync(temporary, setTimes(readFileSync(template)), { flag: 'wx', mode: OWNER_ONLY, flush: true })
    try {
      // unlike a rename, a link never replaces a file of another process
      linkSync(temporary, path)
    } finally {
      unlinkSync(temporary)
    }
    syncFolder(dirname(path))
  } catch {
    // no template, no space, or no support for links
  }
}

function setTimes(file: Buffer): Buffer {
  const now = new Date().toISOString()
  for (let at = file.indexOf(TIME_PLACEHOLDER); at >= 0; at = file.indexOf(TIME_PLACEHOLDER, at))
    file.write(now, at, 'latin1')
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
