import { scaleLinear } from 'd3-scale'

/** A known point of the log. */
export interface Point {
  readonly sequence: number
  /** Milliseconds. */
  readonly at: number
}

/** A pause that is drawn shorter than it was. */
export interface Break {
  /** Position on the axis, 0 to 1. */
  readonly from: number
  readonly to: number
  /** How long it was, in milliseconds. */
  readonly ms: number
}

/** Positions of events from left to right, 0 to 1. */
export interface Axis {
  /** The first sequence on it. */
  readonly first: number
  readonly place: (sequence: number) => number
  readonly breaks: readonly Break[]
  /** Labeled positions: sequences or times. */
  readonly ticks: (count: number) => readonly { readonly place: number; readonly value: number }[]
}

/** An axis that gives every event the same width. */
export function orderAxis(first: number, last: number): Axis {
  const scale = scaleLinear()
    .domain([first, Math.max(last, first + 1)])
    .range([0, 1])
    .clamp(true)
  const ticks = (count: number) => {
    // no label on top of the first
    const whole = scale.ticks(count).filter((value) => Number.isInteger(value) && scale(value) > 0.06)
    return [first, ...whole].map((value) => ({ value, place: scale(value) }))
  }
  return { first, place: (sequence) => scale(sequence), breaks: [], ticks }
}

/** Widest share of the axis that a pause takes, where there are many events. */
const WIDEST = 0.06
/** A pause this many times longer than it is drawn is labeled as a break. */
const BREAK = 2

/**
 * An axis by time. Sessions pause for days, so a pause takes only a share of the axis and is labeled as a break.
 * `points` are in order of sequence; events between two of them are interpolated.
 */
export function timeAxis(points: readonly Point[]): Axis {
  const { known, most } = shortened(points)
  const last = known.at(-1)
  const width = last === undefined || last.x === 0 ? 1 : last.x
  const places = scaleLinear(
    known.map(({ sequence }) => sequence),
    known.map(({ x }) => x / width),
  ).clamp(true)
  const place = (sequence: number) => (known.length < 2 ? 0 : places(sequence))
  const breaks = known.flatMap((point, i) => {
    const before = known[i - 1]
    if (before === undefined || point.at - before.at <= BREAK * most) return []
    return [{ from: before.x / width, to: point.x / width, ms: point.at - before.at }]
  })
  const ticks = (count: number) => {
    if (known.length < 2 || last?.x === 0) return known.slice(0, 1).map(({ at }) => ({ place: 0, value: at }))
    const scale = scaleLinear(
      known.map(({ x }) => x / width),
      known.map(({ at }) => at),
    )
    return Array.from({ length: count + 1 }, (_, i) => ({ place: i / count, value: scale(i / count) }))
  }
  return { first: known[0]?.sequence ?? 1, place, breaks, ticks }
}

/** Points with their positions, and the longest pause that is drawn to scale. */
function shortened(points: readonly Point[]): { known: (Point & { x: number })[]; most: number } {
  // clocks of several machines may differ, but time never runs backwards here
  let latest = Number.NEGATIVE_INFINITY
  const steady = points
    .filter(({ at }) => Number.isFinite(at))
    .map(({ sequence, at }) => {
      latest = Math.max(latest, at)
      return { sequence, at: latest }
    })
  const gaps = steady.map(({ at }, i) => at - (steady[i - 1]?.at ?? at))
  const most = longest(gaps)
  let x = 0
  const known = steady.map((point, i) => {
    x += Math.min(gaps[i] ?? 0, most)
    return { ...point, x }
  })
  return { known, most }
}

/** The largest limit at which no pause, cut to it, takes more than its share of the sum. */
function longest(gaps: readonly number[]): number {
  const sorted = gaps.filter((gap) => gap > 0).toSorted((a, b) => a - b)
  // a few pauses cannot all be narrow
  const share = Math.max(WIDEST, 1.5 / sorted.length)
  let below = 0
  for (const [i, gap] of sorted.entries()) {
    const spare = 1 - share * (sorted.length - i)
    const limit = spare <= 0 ? gap : (share * below) / spare
    if (limit < gap) return limit
    below += gap
  }
  return sorted.at(-1) ?? 1
}
