import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Check, errorMessage, formatBytes } from './check.ts'
import type { OtherClock } from './clock.ts'

const MIB = 2 ** 20
/** Free space below which to look after it, and below which nothing goes on for long. */
const LOW_SPACE = 1024 * MIB
const NO_SPACE = 64 * MIB
/** A write-ahead log of this size has not been copied back for long: some process keeps reading an old state. */
const LARGE_WAL = 256 * MIB

/** What file systems over a network are known by on Linux, and those that may be. See `statfs(2)`. */
const NETWORK_FILE_SYSTEMS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  1397113167: 'AFS',
  198183888: 'Lustre',
  12805120: 'Ceph',
  18225520: 'GFS2',
  1952539503: 'OCFS2',
  16914839: '9P',
  2020557398: 'a folder shared by VirtualBox',
  1702057286: 'FUSE, which may lead to another machine',
}

/** What there is of a database file and of the disk that it is on. */
export interface Disk {
  free: number
  /** Kind of file system, as Linux numbers them. */
  type: number
  /** Sizes in bytes; 0 where there is no such file. */
  database: number
  wal: number
}

/** Tries the place where the database is, or will be. Gives the disk's idea of the time besides. */
export async function checkFolder(file: string, now: () => number): Promise<{ checks: Check[]; clock?: OtherClock }> {
  const folder = existingFolder(dirname(resolve(file)))
  try {
    const clock = await probeWrite(folder, now)
    const checks = [await checkAccess(folder, file), checkDisk(file, await measureDisk(folder, file))]
    return { checks, clock }
  } catch (error) {
    const advice = `make ${folder} writable for this user, or name another place with --url`
    return { checks: [{ name: 'folder', status: 'fail', found: errorMessage(error), advice }] }
  }
}

async function checkAccess(folder: string, file: string): Promise<Check> {
  const found = `${folder} can be written to`
  const closed = [file, `${file}-wal`, `${file}-shm`].filter(existsSync)
  for (const path of closed) {
    try {
      await access(path, constants.R_OK | constants.W_OK)
    } catch {
      const advice = `make it this user's, or let it read and write there: ls -l ${path}`
      return { name: 'folder', status: 'fail', found: `${path} cannot be read and written by this user`, advice }
    }
  }
  return { name: 'folder', status: 'ok', found }
}

/** Writes a small file, removes it, and gives the time the disk gave it. */
async function probeWrite(folder: string, now: () => number): Promise<OtherClock> {
  const file = join(folder, `.throughline-doctor-${randomUUID()}`)
  const before = now()
  await writeFile(file, 'x', { flag: 'wx' })
  try {
    const there = (await stat(file)).mtimeMs
    // some file systems keep even seconds only
    return { name: 'the disk', time: there, before, after: now(), resolution: 2000, isHint: true }
  } finally {
    await rm(file)
  }
}

function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder))
}

async function measureDisk(folder: string, file: string): Promise<Disk> {
  const { bavail, bsize, type } = await statfs(folder)
  const sizeOf = async (path: string) => (await stat(path).catch(() => ({ size: 0 }))).size
  return { free: bavail * bsize, type: type >>> 0, database: await sizeOf(file), wal: await sizeOf(`${file}-wal`) }
}

/** Whether there is room, and whether the disk is one that SQLite can work on. */
export function checkDisk(file: string, { free, type, database, wal }: Disk): Check {
  const network = process.platform === 'linux' ? NETWORK_FILE_SYSTEMS[type] : undefined
  const sizes = database === 0 ? '' : `; database ${formatBytes(database)}, write-ahead log ${formatBytes(wal)}`
  const found = `${formatBytes(free)} free${sizes}${network === undefined ? '' : `; on ${network}`}`
  const check = (status: Check['status'], advice: string): Check => ({ name: 'disk', status, found, advice })
  if (free < NO_SPACE) return check('fail', 'free some space: on a full disk nothing can be appended')
  if (network !== undefined) {
    return check('warn', 'move the database to a disk of this machine: over a network its locks cannot be relied on')
  }
  if (free < LOW_SPACE) return check('warn', 'free some space: on a full disk nothing can be appended')
  if (wal > LARGE_WAL) {
    return check(
      'warn',
      `some process has kept a read open for long: end it, then sqlite3 ${file} 'pragma wal_checkpoint(truncate)'`,
    )
  }
  return { name: 'disk', status: 'ok', found }
}
