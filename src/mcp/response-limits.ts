/** Characters of one text. */
export const MAX_TEXT = 4000
/** Characters of all texts in one response. */
export const MAX_RESPONSE = 60_000
/** Texts are not truncated below this length to fit a response. */
const MIN_TEXT = 100

/** Truncates a text and says how much is missing. */
export function truncate(text: string, max: number = MAX_TEXT): string {
  if (text.length <= max) return text
  const head = sliceText(text, max)
  return `${head} … [${(text.length - head.length).toLocaleString('en')} more characters]`
}

/** The text on one line, truncated to a few words. */
export function oneLine(text: string, max = 100): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length <= max ? flat : `${sliceText(flat, max - 1)}…`
}

/** Does not end with half of a surrogate pair. */
function sliceText(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
}

/** Renders an item with texts of up to `maxText` characters. */
export type Render<T, S> = (item: T, maxText: number) => S

/** Renders an item with shorter and shorter texts until its JSON has at most `max` characters. */
export function fitItem<T, S>(item: T, render: Render<T, S>, max: number): S {
  let maxText = MAX_TEXT
  let rendered = render(item, maxText)
  while (jsonSize(rendered) > max && maxText > MIN_TEXT) {
    maxText = Math.floor(maxText / 2)
    rendered = render(item, maxText)
  }
  return rendered
}

/** Truncates all texts of a value to `maxText` characters, and its lists to a twentieth as many entries. */
export function truncateDeep<T>(value: T, maxText: number): T {
  if (typeof value === 'string') return truncate(value, maxText) as T
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, truncateDeep(field, maxText)])) as T
  }
  const kept = value.slice(0, maxText / 20).map((entry) => truncateDeep(entry, maxText))
  const missing = value.length - kept.length
  return (missing === 0 ? kept : [...kept, `… [${missing.toLocaleString('en')} more]`]) as T
}

/** The items that fit into a response, and how many were omitted. */
interface Fitted<S> {
  kept: S[]
  omitted: number
}

/** The first items that fit into a response; at least one, so that paging always advances. */
export function fitFirst<T, S>(items: readonly T[], render: Render<T, S>, max: number = MAX_RESPONSE): Fitted<S> {
  const kept: S[] = []
  let room = max
  for (const item of items) {
    const rendered = fitItem(item, render, max)
    room -= jsonSize(rendered)
    if (room < 0 && kept.length > 0) break
    kept.push(rendered)
  }
  return { kept, omitted: items.length - kept.length }
}

/** The last items that fit into a response, in their order; at least one. */
export function fitLast<T, S>(items: readonly T[], render: Render<T, S>, max: number = MAX_RESPONSE): Fitted<S> {
  const { kept, omitted } = fitFirst(items.toReversed(), render, max)
  return { kept: kept.reverse(), omitted }
}

/** Characters of a value as JSON. */
export function jsonSize(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
