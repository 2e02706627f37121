import { signal } from '@preact/signals'

/** The present, as it is shown: moves every few seconds. */
export const now = signal(Date.now())
setInterval(() => {
  if (globalThis.document?.visibilityState === 'visible') now.value = Date.now()
}, 5000)

const UNITS: readonly [limit: number, seconds: number, name: string][] = [
  [60, 1, 's'],
  [3600, 60, 'min'],
  [86_400, 3600, 'h'],
  [Number.POSITIVE_INFINITY, 86_400, 'd'],
]

/** How long: `12 s`, `5 min`, `3 h`, `2 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [, unit, name] = UNITS.find(([limit]) => seconds < limit) ?? [0, 86_400, 'd']
  return `${Math.floor(seconds / unit)} ${name}`
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** A moment in words of the reader's own place. What is no moment is given back. */
export function formatTime(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : moment.format(date)
}

/** How long ago; the moment itself stands behind it. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatDuration(now.value - Date.parse(at))} ago
    </time>
  )
}

/** The time of day; the date stands behind it. */
export function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {clock.format(new Date(at))}
    </time>
  )
}
