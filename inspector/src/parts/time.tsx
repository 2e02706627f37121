import { signal } from '@preact/signals'

/** The current time, updated every five seconds. */
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

/** A duration as `12 s`, `5 min`, `3 h` or `2 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [, unit, name] = UNITS.find(([limit]) => seconds < limit) ?? [0, 86_400, 'd']
  return `${Math.floor(seconds / unit)} ${name}`
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** A time in the reader's locale; text that is no time is returned as is. */
export function formatTime(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : moment.format(date)
}

/** How long ago, with the exact time as a tooltip. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatDuration(now.value - Date.parse(at))} ago
    </time>
  )
}

/** The time of day, with the date as a tooltip. */
export function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {clock.format(new Date(at))}
    </time>
  )
}
