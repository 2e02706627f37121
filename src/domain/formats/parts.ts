import type { Role } from '../event.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Message, ToolCall } from '../message.ts'
import { applyDifference, type Difference, diffJson } from './difference.ts'

/** Names of the supported message formats. */
export const MESSAGE_FORMATS = ['openai-chat', 'openai-responses', 'anthropic', 'ai-sdk'] as const
/** One of {@link MESSAGE_FORMATS}. */
export type MessageFormat = (typeof MESSAGE_FORMATS)[number]

/** An image: a URL, or base64 with its media type. */
export type ImagePart = { type: 'image'; url?: string; data?: string; mediaType?: string }
/** A file: a URL, base64, or text. `tagged` is a notation of the AI SDK. */
export type FilePart = {
  type: 'file'
  url?: string
  data?: string
  text?: string
  mediaType?: string
  filename?: string
  tagged?: boolean
}
/** Text; without `text` it is the message's content. */
export type TextPart = { type: 'text'; text?: string }
/** A part that only the message's own format knows. */
export type NativePart = { type: 'native'; value: JsonObject }

/** One piece of a message, in order. A `call` is the position of a tool call, by index. */
export type Part = TextPart | ImagePart | FilePart | NativePart | { type: 'json' } | { type: 'call'; call: number }

/** What the converters store in a message's `parts`: JSON, all optional. */
export type MessageParts = {
  /** The message's own format; `native` parts are only for writing that format again. */
  format?: MessageFormat
  /** The pieces, unless the message is plain text followed by its calls. */
  content?: Part[]
  /** The difference between the message we would write and the one that was read. */
  native?: Difference
  /** The same for a message that was split into several; on the first of them. */
  outer?: Difference
  /** The content is our placeholder, since a message must have one. */
  placeholder?: boolean
  /** The tool failed. */
  isError?: boolean
  /** Was a separate message where we would join it to the previous one. */
  apart?: boolean
  /** Belongs to the preceding results and answers no call. */
  attached?: boolean
  /** Was among the messages where we would move it to the front. */
  inline?: boolean
}

/** A message as a reader sees it, before it is known what to store beside the text. */
export interface Draft {
  role: Role
  pieces: Part[]
  calls?: ToolCall[]
  toolCallId?: string
  /** Whether the writer would create the same pieces from text and calls. */
  usual: boolean
  isError?: boolean
}

/** Builds the message of a draft. Without text the content is a placeholder like `[image]`. */
export function compose(draft: Draft, format: MessageFormat): Message {
  const texts = draft.pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text ?? ''] : []))
  // an assistant's blocks are pieces of one answer, those of others are separate
  const said = texts.join(draft.role === 'assistant' ? '' : '\n')
  const calls = draft.calls ?? []
  const rest = draft.pieces.filter(({ type }) => type !== 'text' && type !== 'call')
  const silent = said === '' && calls.length === 0 && (draft.toolCallId === undefined || rest.length > 0)
  const parts: MessageParts = {
    ...(!draft.usual && { content: texts.length === 1 ? draft.pieces.map(withoutText) : draft.pieces }),
    ...(silent && { placeholder: true }),
    ...(draft.isError && { isError: true }),
  }
  const message: Message = {
    role: draft.role,
    content: silent ? placeholderFor(rest[0]) : said,
    ...(draft.toolCallId !== undefined && { toolCallId: draft.toolCallId }),
    ...(calls.length > 0 && { toolCalls: calls }),
  }
  return Object.keys(parts).length === 0 ? message : withParts(message, format, parts)
}

/** Adds to the parts of a message. */
export function withParts(message: Message, format: MessageFormat, more: MessageParts): Message {
  return { ...message, parts: { format, ...message.parts, ...more } as unknown as JsonObject }
}

/** Stores the difference that turns `written` back into `read`. */
export function withDifference(
  message: Message,
  format: MessageFormat,
  written: Json | undefined,
  read: Json,
): Message {
  const native = diffJson(written === undefined ? {} : { it: written }, { it: read })
  return native === undefined ? message : withParts(message, format, { native })
}

/** Applies the difference of {@link withDifference} in the message's own format. */
export function restore(written: Json | undefined, { own, native }: WritableMessage): Json | undefined {
  if (!own || native === undefined) return written
  const { it } = applyDifference(written === undefined ? {} : { it: written }, native) as { it?: Json }
  // forged parts may not lead to a message
  return it === null || typeof it === 'number' || typeof it === 'boolean' ? written : it
}

/** A message as a writer sees it. */
export interface WritableMessage extends Omit<MessageParts, 'content' | 'format'> {
  /** Whether the message came in the written format. */
  own: boolean
  /** With all texts and calls; native pieces only in the own format. */
  pieces: Part[]
  /** Whether the message has stored pieces. */
  pieced: boolean
  /** The whole text; empty for a placeholder. */
  text: string
  /** The text where only text can be written: a placeholder replaces what does not fit. */
  words: string
  calls: readonly ToolCall[]
}

/** Prepares a message for a writer. Total: unknown parts are skipped. */
export function toWritable(message: Message, format: MessageFormat): WritableMessage {
  const { content, format: from, ...marks } = (message.parts ?? {}) as MessageParts
  const own = from === format
  const text = marks.placeholder === true ? '' : message.content
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const pieced = Array.isArray(content)
  const pieces = (pieced ? content : []).filter((piece) => isPart(piece) && (own || piece.type !== 'native'))
  // pieces need not repeat the text
  if (!pieces.some(({ type }) => type === 'text')) pieces.unshift(...textPieces(text))
  const placed = new Set(pieces.flatMap((piece) => (piece.type === 'call' ? [piece.call] : [])))
  const filled = pieces.flatMap((piece): Part[] => {
    if (piece.type === 'text') return [{ type: 'text', text: piece.text ?? text }]
    return piece.type === 'call' && calls[piece.call] === undefined ? [] : [piece]
  })
  for (const call of calls.keys()) if (!placed.has(call)) filled.push({ type: 'call', call })
  const stands = !own && marks.placeholder === true && (message.role === 'tool' || filled.length > 0)
  return { ...marks, own, pieces: filled, pieced, text, words: stands ? message.content : text, calls }
}

/** Returns one piece of text, or none for empty text. */
export function textPieces(text: string | undefined): Part[] {
  return text === undefined || text === '' ? [] : [{ type: 'text', text }]
}

function withoutText(piece: Part): Part {
  return piece.type === 'text' ? { type: 'text' } : piece
}

function placeholderFor(piece: Part | undefined): string {
  if (piece?.type !== 'native') return piece === undefined ? '[empty]' : `[${piece.type}]`
  const { value } = piece
  return typeof value.type === 'string' && value.type !== '' ? `[${value.type}]` : '[other]'
}

const TEXT_KEYS = ['text', 'url', 'data', 'mediaType', 'filename'] as const

function isPart(part: unknown): part is Part {
  const value = part as Json
  if (!isObject(value)) return false
  switch (value.type) {
    case 'text':
    case 'image':
    case 'file':
      return TEXT_KEYS.every((key) => value[key] === undefined || typeof value[key] === 'string')
    case 'call':
      return typeof value.call === 'number'
    case 'native':
      return isObject(value.value)
    default:
      return value.type === 'json'
  }
}
