import type { EventType, Role } from '../../domain/event.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, ownType, textIn, without } from './draft.ts'
import { isSpoken } from './speech.ts'

/** The drafts of a message of the user or of the assistant; `undefined` if the entry holds none that says anything. */
export function messageDrafts(entry: JsonObject): Draft[] | undefined {
  const { type, message } = entry
  if ((type !== 'user' && type !== 'assistant') || !isObject(message)) return undefined
  const { content } = message
  const rest = { ...entry, message: without(message, 'content') }
  if (typeof content === 'string' && content !== '') {
    const keeps = { at: ['message', 'content'], entry: rest }
    return [{ ...speaker(entry, content), content, means: {}, keeps }]
  }
  if (!Array.isArray(content)) return undefined
  const [first, ...others] = (content as readonly Json[]).map((block) => blockDraft(entry, block))
  return first && [{ ...first, keeps: { ...first.keeps, entry: rest } }, ...others]
}

function speaker(entry: JsonObject, text: string): { type: EventType; role: Role } {
  // what the program says in the place of an answer
  if (entry['isApiErrorMessage'] === true) return { type: ownType('api_error'), role: 'assistant' }
  if (entry['type'] === 'assistant') return { type: 'model_message', role: 'assistant' }
  return isSpoken(entry, text) ? { type: 'user_message', role: 'user' } : { type: 'system_event', role: 'system' }
}

function blockDraft(entry: JsonObject, block: Json): Draft {
  const type = textIn(block, 'type')
  const known = isObject(block) ? knownBlock(entry, block, type) : undefined
  const role = entry['type'] as 'user' | 'assistant'
  return known ?? { type: ownType(type === '' ? 'block' : type), role, content: '', means: {}, keeps: { block } }
}

function knownBlock(entry: JsonObject, block: JsonObject, type: string): Draft | undefined {
  if (type === 'text' && textIn(block, 'text') !== '')
    return shown(speaker(entry, textIn(block, 'text')), block, 'text')
  if (type === 'thinking' && typeof block['thinking'] === 'string') {
    return shown({ type: 'x.thinking', role: 'assistant' }, block, 'thinking')
  }
  // those that run on the server, and those of MCP, are named the same way
  if (type.endsWith('tool_use')) return callDraft(block)
  return type.endsWith('tool_result') ? resultDraft(block) : undefined
}

function shown(speaker: { type: EventType; role: Role }, block: JsonObject, key: string): Draft {
  return { ...speaker, content: textIn(block, key), means: {}, keeps: { at: [key], block: without(block, key) } }
}

function callDraft(block: JsonObject): Draft | undefined {
  const { id, name, input } = block
  if (typeof id !== 'string' || id === '' || typeof name !== 'string' || input === undefined) return undefined
  return {
    type: 'tool_call',
    role: 'assistant',
    content: '',
    means: { id, name, arguments: input },
    keeps: { block: without(block, 'id', 'name', 'input') },
  }
}

function resultDraft(block: JsonObject): Draft | undefined {
  const { tool_use_id: toolCallId, content, is_error } = block
  if (typeof toolCallId !== 'string' || toolCallId === '') return undefined
  const rest = without(block, 'tool_use_id')
  return {
    type: 'tool_result',
    role: 'tool',
    means: { toolCallId, ...(is_error === true && { isError: true }) },
    ...resultText(content, rest),
  }
}

/** The words of a result. Where they are one text it is kept once; several are kept beside what they are together. */
function resultText(content: Json | undefined, block: JsonObject): Pick<Draft, 'content' | 'keeps'> {
  if (typeof content === 'string') return { content, keeps: { at: ['content'], block: without(block, 'content') } }
  const list: readonly Json[] = Array.isArray(content) ? content : []
  const texts = list.filter((item) => textIn(item, 'type') === 'text').map((item) => textIn(item, 'text'))
  const place = list.findIndex((item) => textIn(item, 'type') === 'text' && textIn(item, 'text') !== '')
  if (texts.length !== 1 || place < 0) return { content: texts.join('\n'), keeps: { block } }
  const others = list.map((item, i) => (i === place ? without(item as JsonObject, 'text') : item))
  return { content: texts[0] ?? '', keeps: { at: ['content', place, 'text'], block: { ...block, content: others } } }
}
