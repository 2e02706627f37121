import type { Json, JsonObject } from '../json.ts'
import type { Message, ToolCall } from '../message.ts'
import { defined } from '../optional.ts'
import { fromUrl, imageUrl, isImage, mediaTypeOf, sourceOf, toUrl } from './media.ts'
import { pairResults, type WriteOptions } from './pairing.ts'
import {
  compose,
  type Draft,
  type Part,
  restore,
  textPieces,
  toWritable,
  type WritableMessage,
  withDifference,
} from './parts.ts'
import {
  type InputObject,
  optionalBlocks,
  optionalText,
  readObjects,
  requireBlocks,
  requireObject,
  requireRole,
  requireText,
} from './read-input.ts'

const FORMAT = 'openai-chat'
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** A part of a user message for OpenAI chat completions. */
export type OpenAIChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }
  | { type: 'file'; file: { file_data: string; filename?: string } }

/** A tool call of OpenAI chat completions. */
export interface OpenAIChatToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A message for OpenAI chat completions, as this package writes it. */
export type OpenAIChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | OpenAIChatPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: OpenAIChatToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

/**
 * Writes messages for OpenAI chat completions. Results directly follow the message with their calls.
 *
 * The format cannot carry: timestamps and agent ids; images and files in anything but a user's message; files by
 * URL; that a tool failed.
 */
export function toOpenAIChat(messages: readonly Message[], options: WriteOptions = {}): OpenAIChatMessage[] {
  const written = pairResults(messages, FORMAT, { ...options, adjacent: true }).flatMap((message) => {
    const said = toWritable(message, FORMAT)
    return restore(write(message, said), said) ?? []
  })
  return written as unknown as OpenAIChatMessage[]
}

/** Reads messages of OpenAI chat completions. Throws `ValidationError` with the wrong field. */
export function fromOpenAIChat(input: unknown): Message[] {
  return readObjects(input, 'messages').map((place) => {
    const message = compose(read(place), FORMAT)
    return withDifference(message, FORMAT, write(message, toWritable(message, FORMAT)), place.value)
  })
}

function read(place: InputObject): Draft {
  const spoken = requireRole(place, ROLES)
  const blocks = optionalBlocks(place)
  const silent = spoken === 'assistant' || spoken === 'function'
  const pieces = blocks?.map(readPart) ?? textPieces((silent ? optionalText : requireText)(place, 'content'))
  const usual = blocks === undefined
  switch (spoken) {
    case 'assistant':
      return readAssistant(place, pieces, usual)
    case 'tool':
      return { role: 'tool', pieces, usual, toolCallId: requireText(place, 'tool_call_id') }
    case 'function':
      return { role: 'tool', pieces, usual, toolCallId: legacyId(requireText(place, 'name')) }
    default:
      return { role: spoken === 'user' ? 'user' : 'system', pieces, usual }
  }
}

function readAssistant(place: InputObject, pieces: Part[], usual: boolean): Draft {
  const refusal = optionalText(place, 'refusal')
  const calls =
    (place.value.tool_calls ?? undefined) === undefined ? [] : requireBlocks(place, 'tool_calls').map(readCall)
  if (place.value.function_call !== undefined && place.value.function_call !== null) {
    const called = requireObject(place, 'function_call')
    const name = requireText(called, 'name')
    calls.push({ id: legacyId(name), name, arguments: requireText(called, 'arguments') })
  }
  if (pieces.length === 0 && calls.length === 0) {
    // a refusal is the assistant's text, and other models should see it
    if (refusal !== undefined) return { role: 'assistant', pieces: textPieces(refusal), usual }
    if (place.value.audio)
      return { role: 'assistant', pieces: [{ type: 'native', value: { type: 'audio' } }], usual: true }
  }
  return { role: 'assistant', pieces, calls, usual }
}

function readCall(place: InputObject): ToolCall {
  const custom = place.value.type === 'custom'
  const called = requireObject(place, custom ? 'custom' : 'function')
  return {
    id: requireText(place, 'id'),
    name: requireText(called, 'name'),
    arguments: requireText(called, custom ? 'input' : 'arguments'),
  }
}

/** Calls of the legacy function API had no ids. */
function legacyId(name: string): string {
  return `function_call_${name}`
}

function readPart(place: InputObject): Part {
  const { value } = place
  switch (value.type) {
    case 'text':
      return { type: 'text', text: requireText(place, 'text') }
    case 'refusal':
      return { type: 'text', text: requireText(place, 'refusal') }
    case 'image_url':
      return { type: 'image', ...fromUrl(requireText(requireObject(place, 'image_url'), 'url')) }
    case 'input_audio': {
      const audio = requireObject(place, 'input_audio')
      return { type: 'file', data: requireText(audio, 'data'), mediaType: `audio/${requireText(audio, 'format')}` }
    }
    case 'file': {
      const file = requireObject(place, 'file')
      const data = optionalText(file, 'file_data')
      if (data === undefined) return { type: 'native', value }
      const filename = optionalText(file, 'filename')
      const source = fromUrl(data)
      return { type: 'file', ...('url' in source ? { data } : source), ...(filename !== undefined && { filename }) }
    }
    default:
      return { type: 'native', value }
  }
}

function write(message: Message, said: WritableMessage): Json | undefined {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId ?? '', content: listed(said) ?? said.words }
  }
  if (message.role === 'assistant') {
    const calls = said.calls.map(writeCall)
    if (!said.own && said.words === '' && calls.length === 0) return undefined
    const content = listed(said) ?? (said.words === '' ? null : said.words)
    return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }
  }
  if (said.own) return { role: message.role, content: listed(said) ?? said.text }
  const parts = message.role === 'user' ? said.pieces.flatMap((piece) => writePart(piece)) : []
  if (parts.some(({ type }) => type !== 'text')) return { role: 'user', content: parts }
  return said.words === '' ? undefined : { role: message.role, content: said.words }
}

/** Returns the content as a list; `undefined` if it was text. */
function listed(said: WritableMessage): Json | undefined {
  return said.own && said.pieced ? said.pieces.flatMap((piece) => writePart(piece)) : undefined
}

function writeCall({ id, name, arguments: given }: ToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: given } }
}

function writePart(piece: Part): JsonObject[] {
  switch (piece.type) {
    case 'text':
      return [{ type: 'text', text: piece.text ?? '' }]
    case 'native':
      return [piece.value]
    case 'image':
    case 'file': {
      if (piece.type === 'file' && piece.text !== undefined) return [{ type: 'text', text: piece.text }]
      const source = sourceOf(piece)
      if (source === undefined) return []
      if (isImage(piece)) return [{ type: 'image_url', image_url: { url: imageUrl(source) } }]
      if ('url' in source) return []
      const mediaType = piece.type === 'file' ? mediaTypeOf(piece) : undefined
      const format = /^audio\/(wav|mp3|mpeg)$/.exec(mediaType ?? '')?.[1]
      if (format)
        return [{ type: 'input_audio', input_audio: { data: source.data, format: format === 'mpeg' ? 'mp3' : format } }]
      const filename = 'filename' in piece ? piece.filename : undefined
      return [{ type: 'file', file: defined({ file_data: toUrl(source), filename }) }]
    }
    default:
      return []
  }
}
