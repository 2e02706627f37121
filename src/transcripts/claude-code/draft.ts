import type { CustomType, EventType, Role } from '../../domain/event.ts'
import type { Json, JsonObject } from '../../domain/json.ts'

/** An event in the making: what a line, or one block of its message, says. */
export interface Draft {
  readonly type: EventType
  readonly role: Role
  readonly content: string
  /** Parts that have a meaning here, such as the id of a tool call. */
  readonly parts: JsonObject
  /** Parts that keep what the event does not show. */
  readonly raw: RawParts
}

/** What it takes, beside what an event shows, to write the line again. */
export type RawParts = {
  /** All of the line that no event of it shows; on its first event. */
  readonly entry?: Json
  /** A block of the message, without what the event shows. */
  readonly block?: Json
  /** Where in the block, or else in the entry, the content of the event stands. */
  readonly at?: readonly (string | number)[]
}

/** The name behind `x.` takes 127 characters; a type that is longer says enough by then. */
const MAX_NAME = 100

/** The type of an event for what only Claude Code has. */
export function customType(name: string): CustomType {
  const safe = name.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, MAX_NAME)
  return `x.claude-code.${safe === '' ? 'entry' : safe}`
}

/** The object without some of its keys. */
export function omitKeys(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** Text that stands under a key; empty if there is none. */
export function textAt(value: Json | undefined, key: string): string {
  const found = typeof value === 'object' && value !== null ? (value as JsonObject)[key] : undefined
  return typeof found === 'string' ? found : ''
}
