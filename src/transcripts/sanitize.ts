import type { Json } from '../domain/json.ts'

/** Maximum characters of a sanitized text; the original line is stored beside it. */
const MAX_LENGTH = 1024 * 1024
/** Maximum depth of a sanitized value. */
const MAX_DEPTH = 50

/** Makes text readable and storable: NUL becomes its symbol, lone surrogates are replaced, at most one mebibyte. */
export function sanitizeText(text: string, longest = MAX_LENGTH): string {
  const clipped = text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
  return clipped.replaceAll('\0', '\u{2400}').toWellFormed()
}

/** Sanitizes a JSON value and cuts it at the maximum depth. */
export function sanitizeJson(value: Json, depth = 0): Json {
  if (typeof value === 'string') return sanitizeText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((item) => sanitizeJson(item, depth + 1))
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [sanitizeText(key), sanitizeJson(item, depth + 1)]))
}
