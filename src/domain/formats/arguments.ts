import { isObject, type Json } from '../json.ts'

/** The key that wraps arguments which the format cannot express. */
const RAW = 'raw_arguments'

/** Inputs that a format accepts: only objects, or any JSON value. */
export type InputKind = 'object' | 'any'

/**
 * Parses the arguments of a call. Text that is not JSON, or not an object where only objects are accepted, is wrapped;
 * {@link toArguments} unwraps it. White space and number notation are lost.
 */
export function toInput(text: string, kind: InputKind): Json {
  const parsed = parseJson(text)
  return parsed === undefined || mustWrap(parsed, kind) ? { [RAW]: text } : parsed
}

/** Returns the arguments of a call as text; empty for an absent input. */
export function toArguments(input: Json | undefined, kind: InputKind): string {
  if (input === undefined) return ''
  const raw = unwrap(input)
  return raw !== undefined && isNeededWrap(raw, kind) ? raw : JSON.stringify(input)
}

/** Parses JSON; `undefined` if it is invalid. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function mustWrap(value: Json, kind: InputKind): boolean {
  const raw = unwrap(value)
  // an input that only looks wrapped would be unwrapped on the way back
  if (raw !== undefined) return isNeededWrap(raw, kind)
  return kind === 'object' && !isObject(value)
}

function isNeededWrap(raw: string, kind: InputKind): boolean {
  const value = parseJson(raw)
  return value === undefined || mustWrap(value, kind)
}

function unwrap(value: Json): string | undefined {
  if (!isObject(value)) return undefined
  const { [RAW]: raw, ...others } = value
  return typeof raw === 'string' && Object.keys(others).length === 0 ? raw : undefined
}
