import type { CustomType, EventType, Role } from '../../domain/event.ts'
import type { Json, JsonObject } from '../../domain/json.ts'

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

/** Returns a custom type for entries that only Claude Code has. */
export function customType(name: string): CustomType {
  const safe = name.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, MAX_NAME)
  return `x.claude-code.${safe === '' ? 'entry' : safe}`
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
