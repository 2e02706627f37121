/** A stretch of time, in milliseconds. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** The shortest range, in milliseconds. */
const SHORTEST = 1000

/** From the start of the first to the end of the last. */
export function spanOf(parts: readonly TimeRange[]): TimeRange {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const part of parts) {
    from = Math.min(from, part.from)
    to = Math.max(to, part.to)
  }
  return from > to ? { from: 0, to: SHORTEST } : atLeast({ from, to })
}

/** The range with some room on both sides. */
export function withRoom({ from, to }: TimeRange, share = 0.05): TimeRange {
  const room = (to - from) * share
  return { from: from - room, to: to + room }
}

/** The range scaled around its middle, within `whole`: a factor below 1 zooms in. */
export function zoomed({ from, to }: TimeRange, factor: number, whole: TimeRange): TimeRange {
  const middle = (from + to) / 2
  const half = Math.max(SHORTEST, (to - from) * factor) / 2
  return within({ from: middle - half, to: middle + half }, whole)
}

/** The range moved by a share of its length, within `whole`. */
export function moved({ from, to }: TimeRange, share: number, whole: TimeRange): TimeRange {
  const by = (to - from) * share
  return within({ from: from + by, to: to + by }, whole)
}

/** Moves a range into another one; one that is longer becomes the other one. */
function within({ from, to }: TimeRange, whole: TimeRange): TimeRange {
  const length = to - from
  if (length >= whole.to - whole.from) return whole
  const start = Math.min(Math.max(from, whole.from), whole.to - length)
  return { from: start, to: start + length }
}

function atLeast({ from, to }: TimeRange): TimeRange {
  return { from, to: Math.max(to, from + SHORTEST) }
}

/** Whether the two have a moment in common. */
export const overlaps = (a: TimeRange, b: TimeRange) => a.from <= b.to && a.to >= b.from

/** The position of a moment in a range: 0 to 1, cut at both ends. */
export function placeIn({ from, to }: TimeRange, at: number): number {
  return Math.min(1, Math.max(0, (at - from) / (to - from)))
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Distances between two ticks. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY),
]

/** Labeled moments of an axis. */
export interface Ticks {
  readonly moments: readonly number[]
  /** What changes from one to the next. */
  readonly unit: 'second' | 'minute' | 'day'
}

/** At most `most` round moments in a range. `offset` is that of local time: UTC minus local, in milliseconds. */
export function ticksOf({ from, to }: TimeRange, most: number, offset: number): Ticks {
  const least = (to - from) / Math.max(1, most)
  const years = 365 * DAY
  const step = STEPS.find((one) => one >= least) ?? Math.ceil(least / years) * years
  const moments: number[] = []
  const first = Math.ceil((from - offset) / step) * step + offset
  for (let at = first; at <= to; at += step) moments.push(at)
  return { moments, unit: step < MINUTE ? 'second' : step < DAY ? 'minute' : 'day' }
}
