import type { EventType, Role } from '../../domain/event.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, omitKeys, textAt } from '../draft.ts'
import { claudeType } from './claude-type.ts'
import { isTypedByUser } from './user-text.ts'

/** Converts a user or assistant message to drafts; `undefined` if the entry has no content. */
export function messageDrafts(entry: JsonObject): Draft[] | undefined {
  const { type, message } = entry
  if ((type !== 'user' && type !== 'assistant') || !isObject(message)) return undefined
  const { content } = message
  const rest = { ...entry, message: omitKeys(message, 'content') }
  if (typeof content === 'string' && content !== '') {
    const raw = { at: ['message', 'content'], entry: rest }
    return [{ ...speaker(entry, content), content, parts: {}, raw }]
  }
  if (!Array.isArray(content)) return undefined
  const [first, ...others] = (content as readonly Json[]).map((block) => blockDraft(entry, block))
  return first && [{ ...first, raw: { ...first.raw, entry: rest } }, ...others]
}

function speaker(entry: JsonObject, text: string): { type: EventType; role: Role } {
  // the program's own text instead of an answer
  if (entry['isApiErrorMessage'] === true) return { type: claudeType('api_error'), role: 'assistant' }
  if (entry['type'] === 'assistant') return { type: 'model_message', role: 'assistant' }
  return isTypedByUser(entry, text) ? { type: 'user_message', role: 'user' } : { type: 'system_event', role: 'system' }
}

function blockDraft(entry: JsonObject, block: Json): Draft {
  const type = textAt(block, 'type')
  const known = isObject(block) ? knownBlock(entry, block, type) : undefined
  const role = entry['type'] as 'user' | 'assistant'
  return known ?? { type: claudeType(type === '' ? 'block' : type), role, content: '', parts: {}, raw: { block } }
}

function knownBlock(entry: JsonObject, block: JsonObject, type: string): Draft | undefined {
  if (type === 'text' && textAt(block, 'text') !== '')
    return shown(speaker(entry, textAt(block, 'text')), block, 'text')
  if (type === 'thinking' && typeof block['thinking'] === 'string') {
    return shown({ type: 'x.thinking', role: 'assistant' }, block, 'thinking')
  }
  // server-side and MCP tools use the same suffixes
  if (type.endsWith('tool_use')) return callDraft(block)
  return type.endsWith('tool_result') ? resultDraft(block) : undefined
}

function shown(speaker: { type: EventType; role: Role }, block: JsonObject, key: string): Draft {
  return { ...speaker, content: textAt(block, key), parts: {}, raw: { at: [key], block: omitKeys(block, key) } }
}

function callDraft(block: JsonObject): Draft | undefined {
  const { id, name, input } = block
  if (typeof id !== 'string' || id === '' || typeof name !== 'string' || input === undefined) return undefined
  return {
    type: 'tool_call',
    role: 'assistant',
    content: '',
    parts: { id, name, arguments: input },
    raw: { block: omitKeys(block, 'id', 'name', 'input') },
  }
}

function resultDraft(block: JsonObject): Draft | undefined {
  const { tool_use_id: toolCallId, content, is_error } = block
  if (typeof toolCallId !== 'string' || toolCallId === '') return undefined
  const rest = omitKeys(block, 'tool_use_id')
  return {
    type: 'tool_result',
    role: 'tool',
    parts: { toolCallId, ...(is_error === true && { isError: true }) },
    ...resultText(content, rest),
  }
}

/** Returns the text of a result. A single text is stored once; several are also kept in the raw block. */
function resultText(content: Json | undefined, block: JsonObject): Pick<Draft, 'content' | 'raw'> {
  if (typeof content === 'string') return { content, raw: { at: ['content'], block: omitKeys(block, 'content') } }
  const list: readonly Json[] = Array.isArray(content) ? content : []
  const texts = list.filter((item) => textAt(item, 'type') === 'text').map((item) => textAt(item, 'text'))
  const place = list.findIndex((item) => textAt(item, 'type') === 'text' && textAt(item, 'text') !== '')
  if (texts.length !== 1 || place < 0) return { content: texts.join('\n'), raw: { block } }
  const others = list.map((item, i) => (i === place ? omitKeys(item as JsonObject, 'text') : item))
  return { content: texts[0] ?? '', raw: { at: ['content', place, 'text'], block: { ...block, content: others } } }
}
