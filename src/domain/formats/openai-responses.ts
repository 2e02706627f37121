import { ValidationError } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { readContent, writeContent } from './openai-responses-content.ts'
import { pairResults, type WriteOptions } from './pairing.ts'
import {
  compose,
  type Part,
  restore,
  textPieces,
  toWritable,
  type WritableMessage,
  withDifference,
  withParts,
} from './parts.ts'
import { type InputObject, optionalBlocks, optionalText, readObjects, requireRole, requireText } from './read-input.ts'

const FORMAT = 'openai-responses'
const ROLES = ['user', 'assistant', 'system', 'developer'] as const
/** Assistant items besides calls. */
const ASSISTANT = ['reasoning', 'mcp_list_tools', 'mcp_approval_request', 'program', 'compaction']

/** A part of a user message or tool result for OpenAI responses. */
export type OpenAIResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_data: string; filename?: string }
  | { type: 'input_file'; file_url: string; filename?: string }

/** An input item for OpenAI responses, as this package writes it. */
export type OpenAIResponsesItem =
  | { role: 'system' | 'assistant'; content: string }
  | { role: 'user'; content: string | OpenAIResponsesPart[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | OpenAIResponsesPart[] }

/**
 * Writes messages as input items for OpenAI responses. Results stay where they are, since they may follow later here.
 *
 * The format cannot carry: timestamps and agent ids; images and files of the assistant; audio; that a tool failed;
 * where one message of the assistant ends, if the next has no text.
 */
export function toOpenAIResponses(messages: readonly Message[], options: WriteOptions = {}): OpenAIResponsesItem[] {
  const written = pairResults(messages, FORMAT, { ...options, adjacent: false }).flatMap((message) => {
    const said = toWritable(message, FORMAT)
    const items = restore(write(message, said), said)
    return Array.isArray(items) ? items : []
  })
  return written as unknown as OpenAIResponsesItem[]
}

/**
 * Reads input or output items of OpenAI responses. Calls after an assistant message become part of it. Throws
 * `ValidationError` with the wrong field.
 */
export function fromOpenAIResponses(input: unknown): Message[] {
  const messages: Message[] = []
  let turn: InputObject[] = []
  /** Whether the turn has a message or a call. */
  let spoken = false
  const close = () => {
    if (turn.length > 0) messages.push(readTurn(turn))
    turn = []
    spoken = false
  }
  for (const place of readObjects(input, 'input')) {
    const kind = kindOf(place)
    if (kind === 'assistant' || kind === 'call') {
      // a message, or the reasoning before it, starts a new one; calls continue the last
      if (kind === 'assistant' && spoken) close()
      turn.push(place)
      spoken ||= kind === 'call' || isMessage(place)
    } else {
      close()
      messages.push(kind === 'result' ? readResult(place) : readOther(place))
    }
  }
  close()
  return messages
}

type Kind = 'message' | 'assistant' | 'call' | 'result' | 'other'

function kindOf(place: InputObject): Kind {
  const type = optionalText(place, 'type')
  if (isMessage(place)) return requireRole(place, ROLES) === 'assistant' ? 'assistant' : 'message'
  if (type === undefined) {
    if (typeof place.value.id === 'string') return 'other'
    throw new ValidationError(`${place.path}.type`, 'must be text if there is no role')
  }
  if (type === 'function_call' || type === 'custom_tool_call' || type.endsWith('_call')) return 'call'
  if (ASSISTANT.includes(type)) return 'assistant'
  return type === 'function_call_output' || type === 'custom_tool_call_output' ? 'result' : 'other'
}

function isMessage({ value }: InputObject): boolean {
  return value.type === 'message' || ((value.type === undefined || value.type === null) && value.role !== undefined)
}

function readTurn(items: readonly InputObject[]): Message {
  const calls: { id: string; name: string; arguments: string }[] = []
  const pieces = items.flatMap((item): Part[] => {
    if (isMessage(item)) return optionalBlocks(item)?.map(readContent) ?? textPieces(requireText(item, 'content'))
    if (item.value.type !== 'function_call' && item.value.type !== 'custom_tool_call') {
      return [{ type: 'native', value: item.value }]
    }
    const given = requireText(item, item.value.type === 'function_call' ? 'arguments' : 'input')
    calls.push({ id: requireText(item, 'call_id'), name: requireText(item, 'name'), arguments: given })
    return [{ type: 'call', call: calls.length - 1 }]
  })
  const usual = pieces.every(({ type }) => type === 'text' || type === 'call') && !items.some(hasBlocks)
  return finish(compose({ role: 'assistant', pieces, calls, usual }, FORMAT), items)
}

function readResult(item: InputObject): Message {
  const id = optionalText(item, 'call_id')
  const blocks = optionalBlocks(item, 'output')
  const pieces = blocks?.map(readContent) ?? textPieces(requireText(item, 'output'))
  const toolCallId = id ?? optionalText(item, 'name') ?? optionalText(item, 'id') ?? 'unknown'
  const message = compose({ role: 'tool', pieces, toolCallId, usual: blocks === undefined }, FORMAT)
  return finish(id === undefined ? withParts(message, FORMAT, { attached: true }) : message, [item])
}

function readOther(item: InputObject): Message {
  if (!isMessage(item)) {
    const pieces: Part[] = [{ type: 'native', value: item.value }]
    return withParts(compose({ role: 'system', pieces, usual: false }, FORMAT), FORMAT, { attached: true })
  }
  const blocks = optionalBlocks(item)
  const pieces = blocks?.map(readContent) ?? textPieces(requireText(item, 'content'))
  const spoken = item.value.role === 'user' ? 'user' : 'system'
  return finish(compose({ role: spoken, pieces, usual: blocks === undefined }, FORMAT), [item])
}

function hasBlocks(item: InputObject): boolean {
  return isMessage(item) && Array.isArray(item.value.content)
}

function finish(message: Message, items: readonly InputObject[]): Message {
  const written = write(message, toWritable(message, FORMAT))
  return withDifference(
    message,
    FORMAT,
    written,
    items.map(({ value }) => value),
  )
}

function write(message: Message, said: WritableMessage): Json {
  if (message.role === 'assistant') return writeTurn(said)
  const parts = said.pieces.flatMap((piece) => writeContent(piece, 'input_text'))
  const rich = said.own ? said.pieced : parts.some(({ type }) => type !== 'input_text')
  if (message.role === 'tool') {
    const output = rich ? parts : said.words
    return [{ type: 'function_call_output', call_id: message.toolCallId ?? '', output }]
  }
  const native = said.pieces.filter(({ type }) => type === 'native')
  if (said.attached && said.own) return native.flatMap((piece) => writeContent(piece, 'input_text'))
  if (rich && (said.own || message.role === 'user')) return [{ role: message.role, content: parts }]
  return said.words === '' ? [] : [{ role: message.role, content: said.words }]
}

/** Writes the items of an assistant; adjacent texts are one message. */
function writeTurn(said: WritableMessage): Json {
  const items: JsonObject[] = []
  let content: JsonObject[] | undefined
  for (const piece of said.pieces) {
    if (piece.type === 'call') {
      const call = said.calls[piece.call]
      if (call) items.push({ type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments })
      content = undefined
    } else if (piece.type === 'native') {
      items.push(piece.value)
      content = undefined
    } else if (said.own && said.pieced) {
      if (content === undefined) {
        content = []
        items.push({ role: 'assistant', content })
      }
      content.push(...writeContent(piece, 'output_text'))
    } else if (piece.type === 'text' && piece.text !== undefined) {
      const last = items.at(-1)
      // other formats allow text between calls; it is still one answer
      if (last?.role === 'assistant') items[items.length - 1] = { ...last, content: `${last.content}${piece.text}` }
      else if (piece.text !== '') items.push({ role: 'assistant', content: piece.text })
    }
  }
  if (items.length === 0 && said.words !== '') return [{ role: 'assistant', content: said.words }]
  return items
}
