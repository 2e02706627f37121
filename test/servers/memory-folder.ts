import { existsSync, readFileSync, statfsSync } from 'node:fs'

/** Where Linux keeps files in memory. */
const FOLDER = '/dev/shm'

/** Bytes that must be free: two servers with their logs, and whatever the tests write. */
const ENOUGH = 4 * 1024 ** 3

/**
 * A folder for temporary files that are never written to a disk, or `undefined` where there is none, too little of it, or none that programs
 * can be started from. The crashes that tests make are those of processes, which it outlives as a disk does.
 */
export function memoryFolder(): string | undefined {
  if (!existsSync('/proc/mounts') || !existsSync(FOLDER)) return undefined
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, path]) => path === FOLDER)
  const [, , kind, options = ''] = mount ?? []
  if (kind !== 'tmpfs' || options.split(',').some((option) => option === 'noexec' || option === 'ro')) return undefined
  const { bavail, bsize } = statfsSync(FOLDER)
  // what is stored there takes memory, of which as much again is left to the tests
  return bavail * bsize > ENOUGH && process.availableMemory() > 2 * ENOUGH ? FOLDER : undefined
}
