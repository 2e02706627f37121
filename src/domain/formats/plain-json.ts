import { ValidationError } from '../errors.ts'
import { isObject, type Json } from '../json.ts'

/** Marks text that was a `URL` object. */
const URL_KEY = 'throughline:url'
/** Deeper than any store accepts; also stops circles. */
const MAX_DEPTH = 200
/** Number of arguments that `String.fromCharCode` accepts everywhere. */
const CHUNK = 8192

/**
 * Copies a value as plain JSON: bytes become base64, dates ISO text, a `URL` an object that {@link revive} restores,
 * and `undefined` counts as absent. Throws `ValidationError` with the path of anything else.
 */
export function toPlainJson(value: unknown, path: string, depth = 0): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw new ValidationError(path, `must be JSON, not ${typeName(value)}`)
  if (depth > MAX_DEPTH)
    throw new ValidationError(path.slice(0, 256), `is circular, or nests deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) return value.map((item, i) => toPlainJson(item ?? null, `${path}[${i}]`, depth + 1))
  if (value instanceof URL) return { [URL_KEY]: value.href }
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof ArrayBuffer) return base64(new Uint8Array(value))
  if (value instanceof Date) return dateToIso(value, path)
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  // fromEntries defines members, so one named __proto__ stays a member
  return Object.fromEntries(members.map(([key, item]) => [key, toPlainJson(item, `${path}.${key}`, depth + 1)]))
}

/** Puts `URL` objects back where {@link toPlainJson} found them. */
export function revive(value: Json): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(revive)
  const url = decodeUrl(value)
  if (url !== undefined && URL.canParse(url)) return new URL(url)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]))
}

/** Returns the text of an encoded `URL`. */
export function decodeUrl(value: Json | undefined): string | undefined {
  if (!isObject(value)) return undefined
  const { [URL_KEY]: url, ...others } = value
  return typeof url === 'string' && Object.keys(others).length === 0 ? url : undefined
}

/** Encodes a `URL` for {@link revive}. */
export function encodeUrl(url: string): Json {
  return { [URL_KEY]: url }
}

function dateToIso(date: Date, path: string): string {
  if (Number.isNaN(date.getTime())) throw new ValidationError(path, 'must be a valid date')
  return date.toISOString()
}

function typeName(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeof value
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (let i = 0; i < bytes.length; i += CHUNK) binary += String.fromCharCode(...bytes.subarray(i, i + CHUNK))
  return btoa(binary)
}
