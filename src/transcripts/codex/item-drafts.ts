import type { EventType, Role } from '../../domain/event.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, omitAt, rawDraft, textAt, textDraft } from '../draft.ts'
import { parseJson } from '../translate-line.ts'
import { codexType } from './codex-type.ts'
import type { CodexEntry } from './entry.ts'
import { outputDraft } from './output-draft.ts'
import { isTypedByUser } from './user-text.ts'

/** Converts an item of the conversation to drafts. Unknown items are kept as they are. */
export function itemDrafts(line: JsonObject, { payload, at }: CodexEntry, number: number): Draft[] {
  const type = textAt(payload, 'type')
  const drafts = knownItem(line, payload, at, `${type}_${number}`)
  return drafts ?? [rawDraft(codexType(`response_item.${type}`), line)]
}

function knownItem(line: JsonObject, item: JsonObject, at: readonly string[], fallbackId: string): Draft[] | undefined {
  const id = textAt(item, 'call_id')
  const call = (name: string, given: Json, omitted?: string) =>
    callDraft({ id, name, given }, line, omitted === undefined ? [] : [...at, omitted])
  switch (item['type']) {
    case 'message':
    case 'agent_message':
      return messageDrafts(line, item, at)
    case 'reasoning':
      return reasoningDraft(line, item, at)
    case 'function_call':
      return item['arguments'] === undefined ? undefined : call(textAt(item, 'name'), ...argumentsOf(item['arguments']))
    case 'custom_tool_call':
      return typeof item['input'] === 'string'
        ? call(textAt(item, 'name'), { input: item['input'] }, 'input')
        : undefined
    case 'local_shell_call':
      return isObject(item['action']) ? call('local_shell', item['action'], 'action') : undefined
    case 'tool_search_call':
      return isObject(item['arguments']) ? call('tool_search', item['arguments'], 'arguments') : undefined
    case 'web_search_call':
      return searchDrafts(line, item, textAt(item, 'id') || fallbackId)
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'tool_search_output':
      return id === '' ? undefined : [outputDraft(id, line, item, at)]
    default:
      return undefined
  }
}

/** The arguments come as JSON text, which is kept beside them only if it would come out differently. */
function argumentsOf(text: Json): [given: Json, omitted?: string] {
  if (typeof text !== 'string') return [text]
  const parsed = parseJson(text)
  if (!isObject(parsed)) return [text, 'arguments']
  return JSON.stringify(parsed) === text ? [parsed, 'arguments'] : [parsed]
}

function callDraft(
  { id, name, given }: { id: string; name: string; given: Json },
  line: JsonObject,
  omitted: readonly string[],
): Draft[] | undefined {
  if (id === '' || name === '') return undefined
  const entry = omitted.length > 0 ? omitAt(line, omitted) : line
  return [{ type: 'tool_call', role: 'assistant', content: '', parts: { id, name, arguments: given }, raw: { entry } }]
}

/** A search of the provider: the call and its result, which is not in the transcript. */
function searchDrafts(line: JsonObject, item: JsonObject, id: string): Draft[] {
  const parts = { toolCallId: id, ...(item['status'] === 'failed' && { isError: true }) }
  const given = item['action'] ?? {}
  return [
    ...(callDraft({ id, name: 'web_search', given }, line, []) ?? []),
    { type: 'tool_result', role: 'tool', content: '', parts, raw: {} },
  ]
}

function messageDrafts(line: JsonObject, item: JsonObject, at: readonly string[]): Draft[] | undefined {
  const { content } = item
  if (typeof content === 'string') {
    const draft = textDraft(speakerOf(item, content), line, [...at, 'content'])
    return draft && [draft]
  }
  if (!Array.isArray(content) || content.length === 0) return undefined
  const entry = omitAt(line, [...at, 'content'])
  return (content as readonly Json[]).map((block, i) => {
    const draft = blockDraft(item, block)
    return i === 0 ? { ...draft, raw: { ...draft.raw, entry } } : draft
  })
}

function blockDraft(item: JsonObject, block: Json): Draft {
  const text = textAt(block, 'text')
  const draft = isObject(block) && text !== '' ? textDraft(speakerOf(item, text), block, ['text']) : undefined
  if (draft !== undefined) return { ...draft, raw: { at: ['text'], block: draft.raw.entry as Json } }
  const type = codexType(textAt(block, 'type') || 'block')
  return { type, role: item['role'] === 'user' ? 'user' : 'assistant', content: '', parts: {}, raw: { block } }
}

function speakerOf({ type, role }: JsonObject, text: string): { type: EventType; role: Role } {
  if (type === 'message' && role === 'assistant') return { type: 'model_message', role: 'assistant' }
  const isTyped = type === 'message' && role === 'user' && isTypedByUser(text)
  return isTyped ? { type: 'user_message', role: 'user' } : { type: 'system_event', role: 'system' }
}

/** The summary of the model's thoughts; the thoughts themselves are encrypted. */
function reasoningDraft(line: JsonObject, item: JsonObject, at: readonly string[]): Draft[] | undefined {
  const list = (key: string) => (Array.isArray(item[key]) ? (item[key] as readonly Json[]) : [])
  const key = list('summary').length > 0 ? 'summary' : 'content'
  const texts = list(key).map((part) => textAt(part, 'text'))
  const only = texts.findIndex((text) => text !== '')
  if (only < 0) return undefined
  const thinking = { type: 'x.thinking', role: 'assistant' } as const
  const isOne = texts.filter((text) => text !== '').length === 1
  const draft = isOne ? textDraft(thinking, line, [...at, key, only, 'text']) : undefined
  return [draft ?? { ...thinking, content: texts.join('\n\n'), parts: {}, raw: { entry: line } }]
}
