let second = Number.NaN
let beginning = ''

/**
 * A time in milliseconds as it is written into logs: ISO 8601, in UTC. All but the last digits is kept from one call to the next of a second:
 * to make it anew took 7 µs of an append that waits for a disk, more than its id and its checks together.
 */
export function toIso(ms: number): string {
  const whole = Math.floor(ms / 1000)
  if (whole !== second) {
    // throws what is no time
    beginning = new Date(ms).toISOString().slice(0, -4)
    second = whole
  }
  return `${beginning}${String(Math.floor(ms) - whole * 1000).padStart(3, '0')}Z`
}
