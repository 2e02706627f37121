let second = Number.NaN
let beginning = ''

/**
 * Formats milliseconds as ISO 8601 in UTC. Caches the text up to the second: formatting it on every append cost 7 µs,
 * more than the append's id and checks together.
 */
export function toIso(ms: number): string {
  const whole = Math.floor(ms / 1000)
  if (whole !== second) {
    // throws RangeError for an invalid time
    beginning = new Date(ms).toISOString().slice(0, -4)
    second = whole
  }
  return `${beginning}${String(Math.floor(ms) - whole * 1000).padStart(3, '0')}Z`
}
