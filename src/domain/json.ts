import { TooLargeError, ValidationError } from './errors.ts'
import { LIMITS } from './limits.ts'

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** Whether the value is a JSON object: not a list and not `null`. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Refuses text that some store cannot keep: NUL ends strings in Postgres, and a lone surrogate has no UTF-8 form.
 */
export function checkText(text: string, field: string): void {
  const problem = problemOf(text)
  if (problem !== undefined) throw new ValidationError(field, problem)
}

function problemOf(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL (U+0000)'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode (it has a lone surrogate)'
}

/**
 * Encodes a value as JSON text that reads back the same on every store: same key order, same numbers. Throws
 * `ValidationError` with the path of what is not JSON, and `TooLargeError` beyond `limit` characters. An `undefined`
 * property counts as absent. `depth` is the nesting level of the value in the stored document; `members` is the most of
 * them at all levels.
 */
export function encodeJson(
  value: unknown,
  field: string,
  limit: number,
  depth = 1,
  members: number = LIMITS.members,
): string {
  const walk: Walk = { field, steps: [], limit, size: 0, members, negativeZero: false }
  checkValue(value, depth, walk)
  const text = walk.negativeZero ? stringifyWithNegativeZero(value as Json) : JSON.stringify(value)
  if (text.length > limit) throw new TooLargeError({ field, limit, actual: text.length })
  return text
}

/** Encodes data that was validated on input, whatever its size. */
export function encodeTrustedJson(value: unknown): string {
  return stringifyJson(value as Json)
}

/** Validates a value like {@link encodeJson} and returns a plain JSON copy. */
export function parseJsonInput<T extends Json = Json>(value: unknown, field: string, limit: number, depth = 1): T {
  return JSON.parse(encodeJson(value, field, limit, depth)) as T
}

/** Copies data that is plain JSON except for `undefined` properties. Ten times as fast as `structuredClone`. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cloneJson) as T
  const copy: Record<string, unknown> = {}
  for (const key in value) copy[key] = cloneJson(value[key])
  return copy as T
}

interface Walk {
  readonly field: string
  /** Keys and indexes from the field to the current value: a text per member took longer than the checks. */
  readonly steps: (string | number)[]
  readonly limit: number
  /** Lower bound of the text's length. */
  size: number
  /** Members and items that may still come. */
  members: number
  /** JSON.stringify writes -0 as 0; only a value with a -0 needs the slow writer. */
  negativeZero: boolean
}

function checkValue(value: unknown, depth: number, walk: Walk): void {
  addSize(walk, typeof value === 'string' ? value.length : 1)
  switch (typeof value) {
    case 'string':
      checkWalkedText(value, walk)
      return
    case 'boolean':
      return
    case 'number':
      if (!Number.isFinite(value)) throw new ValidationError(pathOf(walk), `must be JSON, not ${value}`)
      if (value === 0 && Object.is(value, -0)) walk.negativeZero = true
      return
    case 'object':
      break
    default:
      throw new ValidationError(pathOf(walk), `must be JSON, not ${typeof value}`)
  }
  if (value === null) return
  if (depth > LIMITS.depth) {
    throw new ValidationError(pathOf(walk), `is circular, or nests deeper than ${LIMITS.depth} levels`)
  }
  if (Array.isArray(value)) {
    addMembers(walk, value.length)
    for (let i = 0; i < value.length; i++) checkMember(i, value[i], depth, walk)
    return
  }
  const prototype = Object.getPrototypeOf(value)
  // a plain object's prototype has no prototype; checking that also accepts objects of another realm
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const kind = prototype.constructor?.name ?? 'a class'
    throw new ValidationError(pathOf(walk), `must be JSON, not an instance of ${kind}`)
  }
  const keys = Object.keys(value)
  addMembers(walk, keys.length)
  for (const key of keys) {
    if (key === '__proto__') throw new ValidationError(pathOf(walk), "must not have a key named '__proto__'")
    checkWalkedText(key, walk)
    const item = (value as Record<string, unknown>)[key]
    if (item === undefined) continue
    addSize(walk, key.length)
    checkMember(key, item, depth, walk)
  }
}

function checkWalkedText(text: string, walk: Walk): void {
  const problem = problemOf(text)
  if (problem !== undefined) throw new ValidationError(pathOf(walk), problem)
}

function checkMember(step: string | number, item: unknown, depth: number, walk: Walk): void {
  walk.steps.push(step)
  checkValue(item, depth + 1, walk)
  walk.steps.pop()
}

/** Stops early: sixty nested lists that hold the next one twice never end, and 512 MB of text cannot be written. */
function addSize(walk: Walk, by: number): void {
  walk.size += by
  const { field, limit, size } = walk
  if (size > 2 * limit) throw new TooLargeError({ field, limit, actual: size })
}

function addMembers(walk: Walk, count: number): void {
  walk.members -= count
  if (walk.members >= 0) return
  throw new ValidationError(walk.field, `must have at most ${LIMITS.members} members and items, at all levels together`)
}

/** The path of the current value, cut at 256 characters so that it fits a message. */
function pathOf({ field, steps }: Walk): string {
  let path = field
  for (const step of steps) {
    const next = typeof step === 'number' ? `[${step}]` : `.${step}`
    if (path.length + next.length > 256) return `${path}…`
    path += next
  }
  return path
}

/** Stringifies a valid JSON value and keeps `-0`. */
export function stringifyJson(value: Json): string {
  return hasNegativeZero(value) ? stringifyWithNegativeZero(value) : JSON.stringify(value)
}

function hasNegativeZero(value: unknown): boolean {
  if (typeof value === 'number') return value === 0 && Object.is(value, -0)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasNegativeZero)
  for (const key in value) if (hasNegativeZero((value as JsonObject)[key])) return true
  return false
}

function stringifyWithNegativeZero(value: Json | undefined): string {
  if (Object.is(value, -0)) return '-0'
  if (Array.isArray(value)) return `[${value.map(stringifyWithNegativeZero).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${stringifyWithNegativeZero(item)}`).join(',')}}`
}
