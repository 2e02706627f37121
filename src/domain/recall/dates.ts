/** Parses dates in a query and scores how well a message's time fits. All in UTC. */

export interface QueryDate {
  readonly year: number | undefined
  /** 0 is January. */
  readonly month: number | undefined
  readonly day: number | undefined
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAY_MS = 86_400_000
/** People report things afterwards: days after a named day that still count. */
const REPORTED_WITHIN_DAYS = 8

/** Returns the month, year or day named in a query. Months need their capital ("may" is a verb). */
export function parseQueryDate(text: string): QueryDate | undefined {
  const found = MONTHS.findIndex((name) => new RegExp(`\\b${name}\\b`).test(text))
  const month = found < 0 ? undefined : found
  const yearText = /\b(?:19|20)\d\d\b/.exec(text)?.[0]
  const year = yearText === undefined ? undefined : Number(yearText)
  if (month === undefined && year === undefined) return undefined
  const name = MONTHS[found] ?? ''
  const near = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${name}|${name} (\\d{1,2})(?:st|nd|rd|th)?\\b`).exec(
    text,
  )
  const day = Number(near?.[1] ?? near?.[2] ?? 0)
  return { year, month, day: month !== undefined && day >= 1 && day <= 31 ? day : undefined }
}

/** Returns 0 for a message outside the date, about 1 inside it, more near the named day. */
export function dateFit(asked: QueryDate, time: number): number {
  const date = new Date(time)
  const month = date.getUTCMonth()
  const year = date.getUTCFullYear()
  if (asked.month === undefined) return year === asked.year ? 0.3 : 0
  // December is reported in January of the next year
  const told = asked.month === 11 && month === 0 ? year - 1 : year
  if (asked.year !== undefined && told !== asked.year) return 0
  const byMonth = month === asked.month ? 1 : month === (asked.month + 1) % 12 ? 0.3 : 0
  if (asked.day === undefined) return byMonth
  const days = (time - Date.UTC(told, asked.month, asked.day)) / DAY_MS
  return byMonth + (days > -1 && days < REPORTED_WITHIN_DAYS ? 0.5 : 0)
}

/** Returns the time span that fits a date: where to look if no word matches. */
export function dateSpan(asked: QueryDate, anyYear: number): readonly [from: number, to: number] {
  const year = asked.year ?? anyYear
  const month = asked.month
  return month === undefined
    ? [Date.UTC(year, 0), Date.UTC(year + 1, 0)]
    : [Date.UTC(year, month), Date.UTC(year, month + 2)]
}
