import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { type Draft, rawDraft, textAt, textDraft } from '../draft.ts'
import type { Facts, LineTranslator, Translation } from '../format.ts'
import { parseJson } from '../translate-line.ts'
import { codexType } from './codex-type.ts'
import { CopiedHistory } from './copied-history.ts'
import { type CodexEntry, entryOf } from './entry.ts'
import { itemDrafts } from './item-drafts.ts'
import { factsOf } from './session-meta.ts'
import { TokenCounts } from './token-count.ts'

/** Events with a text that no item of the conversation repeats. */
const MESSAGES: ReadonlySet<string> = new Set(['error', 'warning', 'stream_error'])

/** Kinds of entries, items and events before which a response is over. */
const ENDS: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'compacted',
  'message',
  'function_call_output',
  'custom_tool_call_output',
  'user_message',
  'task_started',
  'turn_started',
  'task_complete',
  'turn_complete',
  'turn_aborted',
])

/** Translates the lines of a rollout. */
export class CodexTranslator implements LineTranslator {
  readonly #copied = new CopiedHistory()
  readonly #counts = new TokenCounts()
  #facts: Facts | undefined

  translate(value: Json, line: number): Translation {
    if (!isObject(value)) return { drafts: [rawDraft(codexType('value'), value)] }
    const entry = entryOf(value)
    const isCopied = this.#copied.isCopied(value, entry)
    const usage = this.#usageOf(entry)
    // the model of a sub-agent knows them, but they are its parent's work
    if (isCopied && this.#facts?.parentId !== undefined) return { drafts: [rawDraft(codexType('copied'), value)] }
    const drafts = draftsOf(value, entry, line)
    if (isCopied) return { drafts }
    const endsResponse = isEnd(entry) || undefined
    return defined({ drafts, facts: this.#newFacts(entry), usage, endsResponse, started: startedBy(entry) })
  }

  /** Only of the first one: later ones are copied. */
  #newFacts({ kind, payload }: CodexEntry): Facts | undefined {
    if (kind !== 'session_meta' || this.#facts !== undefined) return undefined
    this.#facts = factsOf(payload)
    return this.#facts
  }

  #usageOf({ kind, payload }: CodexEntry) {
    if (kind === 'turn_context') this.#counts.model = textAt(payload, 'model')
    if (kind !== 'event_msg') return undefined
    if (payload['type'] === 'thread_settings_applied') this.#counts.model = textAt(payload['thread_settings'], 'model')
    return payload['type'] === 'token_count' ? this.#counts.next(payload) : undefined
  }
}

function draftsOf(line: JsonObject, entry: CodexEntry, number: number): Draft[] {
  const { kind, payload, at } = entry
  const type = textAt(payload, 'type')
  switch (kind) {
    case 'response_item':
      return itemDrafts(line, entry, number)
    case 'event_msg': {
      const draft = { type: codexType(`event_msg.${type}`), role: 'system' } as const
      const shown = MESSAGES.has(type) ? textDraft(draft, line, [...at, 'message']) : undefined
      return [shown ?? rawDraft(draft.type, line)]
    }
    // what the conversation goes on with
    case 'compacted':
      return [textDraft({ type: 'system_event', role: 'system' }, line, [...at, 'message']) ?? rawEntry(kind, line)]
    case 'inter_agent_communication':
      return [textDraft({ type: 'system_event', role: 'system' }, line, [...at, 'content']) ?? rawEntry(kind, line)]
    default:
      return [rawEntry(kind, line)]
  }
}

function rawEntry(kind: string, line: JsonObject): Draft {
  return rawDraft(codexType(kind), line)
}

/** A message of the model is part of its response. */
function isEnd({ kind, payload }: CodexEntry): boolean {
  if (kind === 'response_item' || kind === 'event_msg') {
    return ENDS.has(textAt(payload, 'type')) && payload['role'] !== 'assistant'
  }
  return ENDS.has(kind)
}

/** The call that started a sub-agent, in its result or in an event of its own. */
function startedBy({ kind, payload }: CodexEntry): Translation['started'] {
  const type = textAt(payload, 'type')
  if (kind === 'response_item' && type === 'function_call_output') {
    const result = parseJson(textAt(payload, 'output'))
    return linkOf(textAt(payload, 'call_id'), textAt(result, 'agent_id'))
  }
  if (kind !== 'event_msg') return undefined
  if (type === 'collab_agent_spawn_end') return linkOf(textAt(payload, 'call_id'), textAt(payload, 'new_thread_id'))
  return type === 'sub_agent_activity' && payload['kind'] === 'started'
    ? linkOf(textAt(payload, 'event_id'), textAt(payload, 'agent_thread_id'))
    : undefined
}

function linkOf(callId: string, agentId: string): Translation['started'] {
  return callId === '' || agentId === '' ? undefined : { callId, agentId: agentId.toLowerCase() }
}
