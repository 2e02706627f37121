import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Check, errorMessage, fail, formatBytes, ok, warn } from './check.ts'
import type { OtherClock } from './clock.ts'

const MIB = 2 ** 20
/** Free space that warns, and that fails. */
const LOW_SPACE = 1024 * MIB
const NO_SPACE = 64 * MIB
/** A write-ahead log of this size was not checkpointed for long: a process keeps an old read open. */
const LARGE_WAL = 256 * MIB

/** File system types of Linux (`statfs(2)`) that are, or may be, on a network. */
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
  2020557398: 'a VirtualBox shared folder',
  1702057286: 'FUSE (possibly remote)',
}

/** Sizes of a database and its disk, in bytes. */
export interface Disk {
  free: number
  /** File system type (`statfs(2)`). */
  type: number
  /** 0 if there is no such file. */
  database: number
  wal: number
}

/** Checks the folder of the database, and reads the clock of its disk. */
export async function checkFolder(file: string, now: () => number): Promise<{ checks: Check[]; clock?: OtherClock }> {
  const folder = existingFolder(dirname(resolve(file)))
  try {
    const clock = await probeWrite(folder, now)
    const checks = [await checkAccess(folder, file), checkDisk(file, await measureDisk(folder, file))]
    return { checks, clock }
  } catch (error) {
    const advice = `make ${folder} writable for this user, or choose another file with --url`
    return { checks: [fail('folder', errorMessage(error), advice)] }
  }
}

async function checkAccess(folder: string, file: string): Promise<Check> {
  const files = [file, `${file}-wal`, `${file}-shm`].filter(existsSync)
  for (const path of files) {
    try {
      await access(path, constants.R_OK | constants.W_OK)
    } catch {
      const advice = `give this user read and write access: ls -l ${path}`
      return fail('folder', `this user cannot read and write ${path}`, advice)
    }
  }
  return ok('folder', `${folder} is writable`)
}

/** Writes and removes a small file. Returns its timestamp as the clock of the disk. */
async function probeWrite(folder: string, now: () => number): Promise<OtherClock> {
  const file = join(folder, `.throughline-doctor-${randomUUID()}`)
  const before = now()
  await writeFile(file, 'x', { flag: 'wx' })
  try {
    const { mtimeMs: time } = await stat(file)
    // some file systems store times in steps of 2 s
    return { name: 'the disk', time, before, after: now(), resolution: 2000, isHint: true }
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

/** Checks free space, the kind of file system, and the size of the write-ahead log. */
export function checkDisk(file: string, { free, type, database, wal }: Disk): Check {
  const network = process.platform === 'linux' ? NETWORK_FILE_SYSTEMS[type] : undefined
  const sizes = database === 0 ? '' : `; database ${formatBytes(database)}, write-ahead log ${formatBytes(wal)}`
  const found = `${formatBytes(free)} free${sizes}${network === undefined ? '' : `; on ${network}`}`
  if (free < NO_SPACE) return fail('disk', found, 'free some space: a full disk accepts no events')
  if (network !== undefined) {
    return warn('disk', found, 'move the database to a local disk: file locks are unreliable over a network')
  }
  if (free < LOW_SPACE) return warn('disk', found, 'free some space: a full disk accepts no events')
  if (wal > LARGE_WAL) {
    const stop = 'a process has kept a read open for long: stop it'
    return warn('disk', found, `${stop}, then run sqlite3 ${file} 'pragma wal_checkpoint(truncate)'`)
  }
  return ok('disk', found)
}
