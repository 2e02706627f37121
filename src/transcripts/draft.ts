import type { CustomType, EventType, Role } from '../domain/event.ts'
import type { Json, JsonObject } from '../domain/json.ts'

/** An event draft from a line or from one block of its message. */
export interface Draft {
  readonly type: EventType
  readonly role: Role
  readonly content: string
  /** Parts with a meaning here, for example the id of a tool call. */
  readonly parts: JsonObject
  /** Parts that keep the rest of the line. */
  readonly raw: RawParts
}

/** What is needed, beside the event, to write the line again. */
export type RawParts = {
  /** The rest of the line; on its first event. */
  readonly entry?: Json
  /** The rest of a message block. */
  readonly block?: Json
  /** Path of the event's content in the block, else in the entry. */
  readonly at?: readonly (string | number)[]
}

/** Maximum characters of the name; a type has 127 after `x.`. */
const MAX_NAME = 100

/** Returns a custom type for entries that only one program has. */
export function customType(format: string, name: string): CustomType {
  const safe = name.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, MAX_NAME)
  return `x.${format}.${safe === '' ? 'entry' : safe}`
}

/** Returns a draft for an entry that no other event type fits. */
export function rawDraft(type: CustomType, entry: Json): Draft {
  return { type, role: 'system', content: '', parts: {}, raw: { entry } }
}

/** Returns the draft of an event whose content is the text at a path of its entry, which is then kept without it. */
export function textDraft(
  draft: Pick<Draft, 'type' | 'role'>,
  entry: JsonObject,
  at: readonly (string | number)[],
): Draft | undefined {
  const content = valueAt(entry, at)
  if (typeof content !== 'string' || content === '') return undefined
  return { ...draft, content, parts: {}, raw: { at, entry: omitAt(entry, at) as JsonObject } }
}

/** Returns the object without some of its keys. */
export function omitKeys(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** Returns the text at a key; empty if there is none. */
export function textAt(value: Json | undefined, key: string): string {
  const found = typeof value === 'object' && value !== null ? (value as JsonObject)[key] : undefined
  return typeof found === 'string' ? found : ''
}

function valueAt(value: Json | undefined, at: readonly (string | number)[]): Json | undefined {
  return at.reduce<Json | undefined>((inner, key) => {
    return typeof inner === 'object' && inner !== null ? (inner as Record<string, Json>)[key] : undefined
  }, value)
}

/** Returns the value without what is at a path; copies the objects and lists along the path only. */
export function omitAt(value: Json, at: readonly (string | number)[]): Json {
  const [key, ...rest] = at
  if (key === undefined) return value
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    return list.map((item, i) => (i === key ? omitAt(item, rest) : item))
  }
  const object = value as JsonObject
  if (rest.length === 0) return omitKeys(object, String(key))
  return { ...object, [key]: omitAt(object[key] as Json, rest) }
}
