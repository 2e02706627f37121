import { ValidationError } from './errors.ts'
import { encodeJson, isObject, type Json, type JsonObject } from './json.ts'
import { LIMITS } from './limits.ts'
import { mergeObject } from './merge-patch.ts'

/** What one agent hands to the next. */
export interface HandoffContext {
  from_chatmode?: string
  artifacts_created?: readonly string[]
  key_decisions?: readonly string[]
}

/** Scratchpad keys with a fixed meaning and type. */
export interface WellKnownKeys {
  current_task?: string
  /** Path of the specification being implemented. */
  spec_file?: string
  files_in_progress?: readonly string[]
  validation_gates_passed?: readonly number[]
  blockers?: readonly string[]
  /** Waits until an agent calls `takeHandoff()`. */
  handoff_context?: HandoffContext & JsonObject
}

/** The working memory of a session: a JSON object with any keys, some of them typed. */
export type Scratchpad = WellKnownKeys & JsonObject

/** A change of the scratchpad: the parts of `state_changed`. */
export type StateChange =
  | { op: 'merge'; patch: JsonObject }
  | { op: 'replace'; value: JsonObject }
  | { op: 'add'; key: string; value: Json }
  | { op: 'increment'; key: string; by: number }

/** Applies a change. Total: a change that does not fit leaves the scratchpad unchanged. */
export function applyStateChange(scratchpad: Scratchpad, change: StateChange): Scratchpad {
  switch (change.op) {
    case 'merge':
      return mergeObject(scratchpad, change.patch)
    case 'replace':
      return change.value
    case 'add': {
      const list = getOwn(scratchpad, change.key) ?? []
      return Array.isArray(list) ? { ...scratchpad, [change.key]: [...list, change.value] } : scratchpad
    }
    case 'increment': {
      const number = getOwn(scratchpad, change.key) ?? 0
      return typeof number === 'number' ? { ...scratchpad, [change.key]: number + change.by } : scratchpad
    }
  }
}

/** Removes the taken handoff. */
export function removeHandoff(scratchpad: Scratchpad): Scratchpad {
  const { handoff_context: _taken, ...rest } = scratchpad
  return rest
}

/**
 * Returns false if the change has no effect, as when `add` finds its value in the list. Throws if the change does not
 * fit or leads to an invalid scratchpad; `field` maps a key to its path in the caller's input.
 */
export function isChangeNeeded(scratchpad: Scratchpad, change: StateChange, field: (key: string) => string): boolean {
  if (change.op === 'add' && listContains(scratchpad, change.key, change.value)) return false
  if (change.op === 'increment') checkIncrement(scratchpad, change.key, change.by)
  if (change.op === 'add' || change.op === 'increment') checkKeyType(change.key, change.op === 'add' ? [] : 0)
  const after = applyStateChange(scratchpad, change)
  checkWellKnownKeys(after, field)
  encodeJson(after, 'scratchpad', LIMITS.scratchpad, SCRATCHPAD_DEPTH)
  return true
}

/** Stores and events nest a scratchpad one level deep. */
export const SCRATCHPAD_DEPTH = 2

/** Throws if the key's type never allows such a value. */
function checkKeyType(key: string, value: Json): void {
  const typed = Object.hasOwn(KEY_TYPES, key) ? KEY_TYPES[key as keyof WellKnownKeys] : undefined
  if (typed === undefined || typed.fits(value)) return
  throw new ValidationError(
    'key',
    `'${key}' must be ${typed.kind}, not ${Array.isArray(value) ? 'a list' : 'a number'}`,
  )
}

function listContains(scratchpad: Scratchpad, key: string, value: Json): boolean {
  const list = getOwn(scratchpad, key) ?? []
  if (!Array.isArray(list)) throw new ValidationError('key', `'${key}' is not a list`)
  return list.some((item) => isEqualJson(item, value))
}

function checkIncrement(scratchpad: Scratchpad, key: string, by: number): void {
  const number = getOwn(scratchpad, key) ?? 0
  if (typeof number !== 'number') throw new ValidationError('key', `'${key}' is not a number`)
  if (!Number.isFinite(number + by)) throw new ValidationError('by', 'the result is too large')
}

/** Throws unless the typed keys have their types. */
function checkWellKnownKeys(scratchpad: Scratchpad, field: (key: string) => string): void {
  for (const [key, { fits, kind }] of Object.entries(KEY_TYPES)) {
    const value = getOwn(scratchpad, key)
    if (value !== undefined && !fits(value)) throw new ValidationError(field(key), `must be ${kind}`)
  }
}

const isText = (value: Json) => typeof value === 'string'
const isTexts = (value: Json) => Array.isArray(value) && value.every(isText)
const isNumbers = (value: Json) => Array.isArray(value) && value.every((item) => typeof item === 'number')

const KEY_TYPES: Record<keyof WellKnownKeys, { fits(value: Json): boolean; kind: string }> = {
  current_task: { fits: isText, kind: 'text' },
  spec_file: { fits: isText, kind: 'text' },
  files_in_progress: { fits: isTexts, kind: 'a list of strings' },
  validation_gates_passed: { fits: isNumbers, kind: 'a list of numbers' },
  blockers: { fits: isTexts, kind: 'a list of strings' },
  handoff_context: {
    fits: isHandoff,
    kind: 'an object with from_chatmode (text), artifacts_created and key_decisions (lists of strings)',
  },
}

function isHandoff(value: Json): boolean {
  if (!isObject(value)) return false
  const { from_chatmode = '', artifacts_created = [], key_decisions = [] } = value
  return isText(from_chatmode) && isTexts(artifacts_created) && isTexts(key_decisions)
}

function getOwn(scratchpad: Scratchpad, key: string): Json | undefined {
  return Object.hasOwn(scratchpad, key) ? scratchpad[key] : undefined
}

/** Compares two JSON values, ignoring key order. */
function isEqualJson(a: Json, b: Json): boolean {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqualJson(item, b[i]))
  if (!isObject(a) || !isObject(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key] as Json, b[key] as Json))
}
