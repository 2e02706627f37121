/** Characters of one text that are handed over. */
export const LONGEST_TEXT = 4000
/** Characters of all texts of one answer together. */
export const LONGEST_ANSWER = 60_000

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

/** The last items that an answer has room for, in their order, and how many were left out before them. */
export function newestThatFit<T>(items: readonly T[], most: number = LONGEST_ANSWER): { kept: T[]; omitted: number } {
  let room = most
  let first = items.length
  while (first > 0) {
    room -= sizeOf(items[first - 1])
    if (room < 0) break
    first--
  }
  return { kept: items.slice(first), omitted: first }
}

/** The first items that an answer has room for, and how many were left out behind them. */
export function firstThatFit<T>(items: readonly T[], most: number = LONGEST_ANSWER): { kept: T[]; omitted: number } {
  const { kept, omitted } = newestThatFit(items.toReversed(), most)
  return { kept: kept.reverse(), omitted }
}

/** Characters of a value as JSON. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
