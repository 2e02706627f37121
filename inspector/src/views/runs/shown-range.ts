import { spanOf, type TimeRange, withRoom } from './time-range.ts'

/** Numbers of last runs that the page offers to zoom to. */
export const LAST = [10, 1] as const

/** Where the reader has zoomed to: a fixed time, or the last runs, which changes as they go on. */
export interface Zoom {
  readonly range: TimeRange
  /** `all`, a number of last runs, or nothing for a fixed time. */
  readonly choice: 'all' | number | undefined
}

/** The range that the query of the address names, with `runs` newest first; that of all of them if it names none. */
export function zoomIn(query: URLSearchParams, runs: readonly TimeRange[]): Zoom {
  const [from, to] = [Number(query.get('from') ?? Number.NaN), Number(query.get('to') ?? Number.NaN)]
  if (Number.isFinite(from) && Number.isFinite(to) && from < to) return { range: { from, to }, choice: undefined }
  const last = Number(query.get('last') ?? Number.NaN)
  if (Number.isInteger(last) && last > 0 && last < runs.length)
    return { range: withRoom(spanOf(runs.slice(0, last))), choice: last }
  return { range: withRoom(spanOf(runs)), choice: 'all' }
}
