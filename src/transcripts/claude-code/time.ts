import type { Json } from '../../domain/json.ts'

const TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** A moment as all times of ours are written; `undefined` if the value is none. */
export function momentOf(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || !TIME.test(value) || !isDay(value.slice(0, 10))) return undefined
  const moment = new Date(value).toISOString()
  return /^\d{4}-/.test(moment) ? moment : undefined
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day)
}
