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

/** A time span in its two largest units: `350 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds} s`
  const hours = Math.floor(minutes / 60)
  const [large, small] = hours === 0 ? [`${minutes} min`, `${seconds % 60} s`] : [`${hours} h`, `${minutes % 60} min`]
  return small.startsWith('0 ') ? large : `${large} ${small}`
}

/** `2026-03-01 12:00 UTC` */
export function formatUtc(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
