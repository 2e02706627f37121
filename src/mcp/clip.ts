/** Characters of one text that are handed over. */
export const LONGEST_TEXT = 4000
/** Characters of all texts of one answer together. */
export const LONGEST_ANSWER = 60_000
/** Characters below which texts are not cut any further. */
const SHORTEST_TEXT = 100

/** The beginning of a text, with a word on how much is missing. */
export function clip(text: string, most: number = LONGEST_TEXT): string {
  if (text.length <= most) return text
  // half a character at the end would be no text
  const head = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
  return `${head} … [${(text.length - head.length).toLocaleString('en')} more characters]`
}

/** The text on one line, cut to a few words. */
export function line(text: string, most = 100): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length <= most ? flat : `${flat.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Makes something ready to be handed over, with texts of up to so many characters. */
export type Show<T, S> = (item: T, longest: number) => S

/** An item, with texts that are cut shorter and shorter until it has that size as JSON. */
export function shownWithin<T, S>(item: T, show: Show<T, S>, most: number): S {
  let longest = LONGEST_TEXT
  let shown = show(item, longest)
  while (sizeOf(shown) > most && longest > SHORTEST_TEXT) {
    longest = Math.floor(longest / 2)
    shown = show(item, longest)
  }
  return shown
}

/** Any value with its texts cut, and lists of more than a twentieth as many entries. */
export function shortened<T>(value: T, longest: number): T {
  if (typeof value === 'string') return clip(value, longest) as T
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one, longest)])) as T
  }
  const kept = value.slice(0, longest / 20).map((one) => shortened(one, longest))
  const missing = value.length - kept.length
  return (missing === 0 ? kept : [...kept, `… [${missing.toLocaleString('en')} more]`]) as T
}

/** What an answer has room for. */
interface Fitting<S> {
  kept: S[]
  /** How many were left out. */
  omitted: number
}

/** The first items that an answer has room for: at least one, so that whoever asks for what comes behind them gets on. */
export function firstThatFit<T, S>(items: readonly T[], show: Show<T, S>, most: number = LONGEST_ANSWER): Fitting<S> {
  const kept: S[] = []
  let room = most
  for (const item of items) {
    const shown = shownWithin(item, show, most)
    room -= sizeOf(shown)
    if (room < 0 && kept.length > 0) break
    kept.push(shown)
  }
  return { kept, omitted: items.length - kept.length }
}

/** The last items that an answer has room for, in their order: at least one. */
export function newestThatFit<T, S>(items: readonly T[], show: Show<T, S>, most: number = LONGEST_ANSWER): Fitting<S> {
  const { kept, omitted } = firstThatFit(items.toReversed(), show, most)
  return { kept: kept.reverse(), omitted }
}

/** Characters of a value as JSON. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
