import { isObject, type Json } from '../json.ts'

/** The one key of an input that stands for arguments which the format has no place for. */
const RAW = 'raw_arguments'

/** Which inputs a format takes: only objects, or any JSON value. */
export type InputKind = 'object' | 'any'

/**
 * The arguments of a call as a value. What is no JSON, or no object where only objects are taken, is wrapped into one
 * that {@link toArguments} opens again. Spaces in the text and the way numbers are written do not survive.
 */
export function toInput(text: string, kind: InputKind): Json {
  const parsed = parseJson(text)
  return parsed === undefined || mustWrap(parsed, kind) ? { [RAW]: text } : parsed
}

/** The text of a call's arguments; an absent input is empty text. */
export function toArguments(input: Json | undefined, kind: InputKind): string {
  if (input === undefined) return ''
  const raw = unwrap(input)
  return raw !== undefined && isNeededWrap(raw, kind) ? raw : JSON.stringify(input)
}

/** The value of a JSON text, `undefined` when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function mustWrap(value: Json, kind: InputKind): boolean {
  const raw = unwrap(value)
  // an input that only looks wrapped would be opened on the way back
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
