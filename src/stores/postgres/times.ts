const UTC = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00(?::00)?$/

/**
 * Converts a timestamp of Postgres, plain or from JSON, to our ISO format. A UTC text is rearranged: a `Date` in
 * between took a third of the time to read a window. Other zones go through `date`.
 */
export function isoTime(text: string, date: (text: string) => unknown = (other) => new Date(other)): string {
  const found = UTC.exec(text)
  if (found === null) return (date(text) as Date).toISOString()
  const [, day, time, fraction = ''] = found
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

/** The minute of a time since 1970, as `context.minute_of` computes it. */
export function minuteOf(at: string): number {
  return Math.floor(Date.parse(at) / 60_000)
}
