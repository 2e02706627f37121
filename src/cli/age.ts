const UNITS = [
  ['y', 365 * 24 * 3600],
  ['d', 24 * 3600],
  ['h', 3600],
  ['m', 60],
] as const

/** How long ago that was, in its greatest unit: `3d`. */
export function ageOf(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  for (const [unit, length] of UNITS) if (seconds >= length) return `${Math.floor(seconds / length)}${unit}`
  return 'now'
}
