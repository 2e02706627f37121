/** Numbers from here on are milliseconds, not seconds: as seconds this is the year 5138. */
export const MILLISECONDS = 1e11

const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))? ?(?:Z|UTC|([+-]\d\d):?(\d\d)?)?)?$/i
const NUMBER = /^[+-]?\d+(\.\d+)?$/

/**
 * Returns milliseconds since 1970 with fractions, from ISO 8601 text (UTC by default) or from seconds or milliseconds
 * as number or text; `null` for anything else.
 */
export function parseTime(value: unknown): number | null {
  if (typeof value === 'number') return Math.abs(value) < MILLISECONDS ? value * 1000 : value
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (NUMBER.test(text)) return parseTime(Number(text))
  const [found, day, minute = '00:00', second = ':00', fraction = '0', hours = '+00', minutes = '00'] =
    ISO.exec(text) ?? []
  if (found === undefined) return null
  const instant = Date.parse(`${day}T${minute}${second}${hours}:${minutes}`)
  return Number.isNaN(instant) ? null : instant + Number(`0.${fraction}`) * 1000
}

/** Formats as ISO 8601 in UTC with milliseconds; `undefined` outside the years 0 to 9999. */
export function toIsoInRange(instant: number): string | undefined {
  return instant >= EARLIEST && instant <= LATEST ? new Date(Math.floor(instant)).toISOString() : undefined
}
