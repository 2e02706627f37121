/** Characters of one text that are handed over. */
export const MAX_TEXT = 4000
/** Characters of all texts of one answer together. */
export const MAX_RESPONSE = 60_000
/** Characters below which texts are not cut any further. */
const MIN_TEXT = 100

/** The beginning of a text, with a word on how much is missing. */
export function truncate(text: string, most: number = MAX_TEXT): string {
  if (text.length <= most) return text
  // half a character at the end would be no text
  const head = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
  return `${head} … [${(text.length - head.length).toLocaleString('en')} more characters]`
}

/** The text on one line, cut to a few words. */
export function oneLine(text: string, most = 100): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length <= most ? flat : `${flat.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Makes something ready to be handed over, with texts of up to so many characters. */
export type Render<T, S> = (item: T, longest: number) => S

/** An item, with texts that are cut shorter and shorter until it has that size as JSON. */
export function fitItem<T, S>(item: T, show: Render<T, S>, most: number): S {
  let longest = MAX_TEXT
  let shown = show(item, longest)
  while (jsonSize(shown) > most && longest > MIN_TEXT) {
    longest = Math.floor(longest / 2)
    shown = show(item, longest)
  }
  return shown
}

/** Any value with its texts cut, and lists of more than a twentieth as many entries. */
export function truncateDeep<T>(value: T, longest: number): T {
  if (typeof value === 'string') return truncate(value, longest) as T
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, truncateDeep(one, longest)])) as T
  }
  const kept = value.slice(0, longest / 20).map((one) => truncateDeep(one, longest))
  const missing = value.length - kept.length
  return (missing === 0 ? kept : [...kept, `… [${missing.toLocaleString('en')} more]`]) as T
}

/** What an answer has room for. */
interface Fitted<S> {
  kept: S[]
  /** How many were left out. */
  omitted: number
}

/** The first items that an answer has room for: at least one, so that whoever asks for what comes behind them gets on. */
export function fitFirst<T, S>(items: readonly T[], show: Render<T, S>, most: number = MAX_RESPONSE): Fitted<S> {
  const kept: S[] = []
  let room = most
  for (const item of items) {
    const shown = fitItem(item, show, most)
    room -= jsonSize(shown)
    if (room < 0 && kept.length > 0) break
    kept.push(shown)
  }
  return { kept, omitted: items.length - kept.length }
}

/** The last items that an answer has room for, in their order: at least one. */
export function fitLast<T, S>(items: readonly T[], show: Render<T, S>, most: number = MAX_RESPONSE): Fitted<S> {
  const { kept, omitted } = fitFirst(items.toReversed(), show, most)
  return { kept: kept.reverse(), omitted }
}

/** Characters of a value as JSON. */
export function jsonSize(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
