import { isObject, type JsonObject } from '../../domain/json.ts'
import { textAt } from '../draft.ts'

/** An entry of a rollout, whichever version wrote it. */
export interface CodexEntry {
  /** `session_meta`, `turn_context`, `response_item`, `event_msg`, `compacted` … */
  readonly kind: string
  readonly payload: JsonObject
  /** Where the payload is in the line: versions before September 2025 wrote it bare. */
  readonly at: readonly string[]
}

/** Types of the items that old versions wrote bare. */
const BARE_ITEMS: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'local_shell_call',
  'custom_tool_call',
  'custom_tool_call_output',
  'web_search_call',
])

/** Kinds of entries that only rollouts have. */
const KINDS: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
  'inter_agent_communication',
])

/** Reads a line as an entry. */
export function entryOf(line: JsonObject): CodexEntry {
  const { payload } = line
  const type = textAt(line, 'type')
  if (type !== '' && isObject(payload)) return { kind: type, payload, at: ['payload'] }
  return { kind: bareKind(line, type), payload: line, at: [] }
}

function bareKind(line: JsonObject, type: string): string {
  if (BARE_ITEMS.has(type)) return 'response_item'
  if (type === '' && isBareMeta(line)) return 'session_meta'
  return type || textAt(line, 'record_type') || 'entry'
}

/** Whether a line is surely one of a rollout. */
export function isEntry(line: JsonObject): boolean {
  const { kind, payload, at } = entryOf(line)
  if (at.length > 0) return KINDS.has(kind)
  if (kind === 'session_meta') return true
  return (
    kind === 'response_item' && ['content', 'summary', 'call_id', 'action'].some((key) => Object.hasOwn(payload, key))
  )
}

/** The first line of old versions. */
function isBareMeta(line: JsonObject): boolean {
  return textAt(line, 'id') !== '' && textAt(line, 'timestamp') !== '' && Object.hasOwn(line, 'instructions')
}
