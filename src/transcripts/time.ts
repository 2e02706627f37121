import type { Json } from '../domain/json.ts'

const TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Range that every store can hold; in this form times sort as text. */
const EARLIEST = '1970-01-01T00:00:00.000Z'
const LATEST = '2999-12-31T23:59:59.999Z'

/** Returns a valid time verbatim; `undefined` otherwise. */
export function validTime(value: Json | undefined): string | undefined {
  return typeof value === 'string' && TIME.test(value) && isCalendarDay(value.slice(0, 10)) ? value : undefined
}

/** Converts a time to ISO 8601 in UTC; `undefined` if it is invalid or out of range. */
export function parseTime(value: Json | undefined): string | undefined {
  const time = validTime(value)
  if (time === undefined) return undefined
  const moment = new Date(time).toISOString()
  return /^\d{4}-/.test(moment) && moment >= EARLIEST && moment <= LATEST ? moment : undefined
}

/** Returns the nearest time in range. */
export function clampTime(date: Date): string {
  const ms = Math.min(Math.max(date.getTime(), Date.parse(EARLIEST)), Date.parse(LATEST))
  return Number.isNaN(ms) ? EARLIEST : new Date(ms).toISOString()
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isCalendarDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day)
}
