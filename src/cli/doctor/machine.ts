import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Check } from './check.ts'

const GIB = 2 ** 30
/** Seconds that the clock and the disk's idea of the time may be apart; some file systems keep even seconds only. */
const SKEW = 5

export function nodeCheck(): Check {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const found = `${node} on ${process.platform} ${process.arch}`
  if (major > 22 || (major === 22 && minor >= 12)) return { name: 'node', status: 'ok', found }
  return { name: 'node', status: 'fail', found, advice: 'install Node.js 22.12 or newer' }
}

/** Tries the place where the database is, or will be. */
export async function folderChecks(databaseFile: string): Promise<Check[]> {
  const folder = existingFolder(dirname(resolve(databaseFile)))
  try {
    const writtenAt = await writeSomething(folder)
    const found = `${folder} can be written to`
    return [{ name: 'folder', status: 'ok', found }, await diskCheck(folder), clockCheck(writtenAt)]
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    const advice = `make ${folder} writable for this user, or name another place with --url`
    return [{ name: 'folder', status: 'fail', found, advice }, clockCheck()]
  }
}

/** Writes a small file, removes it, and gives the time the disk gave it. */
async function writeSomething(folder: string): Promise<number> {
  const file = join(folder, `.throughline-doctor-${randomUUID()}`)
  await writeFile(file, 'x', { flag: 'wx' })
  try {
    return (await stat(file)).mtimeMs
  } finally {
    await rm(file)
  }
}

function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder))
}

async function diskCheck(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const found = `${(free / GIB).toFixed(1)} GiB free`
  if (free >= GIB) return { name: 'disk', status: 'ok', found }
  return { name: 'disk', status: 'warn', found, advice: 'free some space: on a full disk nothing can be appended' }
}

/** Whether the clock can be right, by the year and by the time the disk gave a file just now. */
export function clockCheck(writtenAt?: number): Check {
  const now = Date.now()
  const found = new Date(now).toISOString()
  const year = new Date(now).getUTCFullYear()
  const advice = 'set the clock, for example by NTP: times in the log come from it'
  if (year < 2025 || year > 2100) return { name: 'clock', status: 'fail', found, advice }
  if (writtenAt === undefined) return { name: 'clock', status: 'ok', found }
  const skew = (now - writtenAt) / 1000
  if (Math.abs(skew) <= SKEW) return { name: 'clock', status: 'ok', found: `${found}, as the disk has it` }
  return { name: 'clock', status: 'warn', found: `${found}, ${skew.toFixed(0)} s from the time of the disk`, advice }
}
