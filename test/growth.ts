/** CPU time of this process while `work` runs, in milliseconds: other processes do not count. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Between linear and quadratic growth, with room for caches and the collector. */
export const LINEAR = 80
/** Measurements of a work that seems to grow faster: a quadratic one does each time. */
const ATTEMPTS = 3

/**
 * How much more CPU time the work takes with 16 times the input: about 16 if it is linear, 256 if it is quadratic.
 * Tests ask for less than {@link LINEAR}. `prepare` makes the work for an input of a size.
 */
export function growth(size: number, prepare: (size: number) => () => unknown): number {
  const least = (work: () => unknown) => Math.min(...Array.from({ length: 5 }, () => cpuTime(work)))
  let found = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && found >= LINEAR; attempt++) {
    const large = least(prepare(16 * size))
    found = Math.min(found, large / least(prepare(size)))
  }
  return found
}
