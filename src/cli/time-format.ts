const UNITS = [
  ['y', 365 * 24 * 3600],
  ['d', 24 * 3600],
  ['h', 3600],
  ['m', 60],
] as const

/** Age in its largest unit: `3d`. */
export function formatAge(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  for (const [unit, length] of UNITS) if (seconds >= length) return `${Math.floor(seconds / length)}${unit}`
  return 'now'
}

/** Age in words: `3 min ago`, `just now`. */
export function formatTimeAgo(time: string, now: number): string {
  const age = formatAge(time, now)
  if (age === 'now') return 'just now'
  const unit = age.at(-1)
  return `${age.slice(0, -1)} ${unit === 'm' ? 'min' : unit} ago`
}

/** `2026-03-01 12:00 UTC` */
export function formatUtc(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
