import { existsSync, readFileSync, statfsSync } from 'node:fs'

/** Where Linux keeps files in memory. */
const FOLDER = '/dev/shm'

/** Bytes that must be free: for two servers with their logs, and for test data. */
const ENOUGH = 4 * 1024 ** 3

/**
 * A folder in memory for temporary files; `undefined` if there is none, too little space, or programs cannot run from
 * it. Tests crash only processes, so files in memory survive as on a disk.
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
  // its files use memory, and the tests need as much again
  return bavail * bsize > ENOUGH && process.availableMemory() > 2 * ENOUGH ? FOLDER : undefined
}
