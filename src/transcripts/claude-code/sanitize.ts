import type { Json } from '../../domain/json.ts'

/** Characters of a text that is shown beside the line that is kept whole. */
const MAX_LENGTH = 1024 * 1024
/** Levels of a value that is shown. */
const MAX_DEPTH = 50

/** The text as every store takes it, to look at: NUL as the sign for it, no halves of characters, and no more than a mebibyte. */
export function sanitizeText(text: string, longest = MAX_LENGTH): string {
  const clipped = text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
  return clipped.replaceAll('\0', '\u{2400}').toWellFormed()
}

/** The same for a value: what is too deep is left out. */
export function sanitizeJson(value: Json, depth = 0): Json {
  if (typeof value === 'string') return sanitizeText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((item) => sanitizeJson(item, depth + 1))
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [sanitizeText(key), sanitizeJson(item, depth + 1)]))
}
