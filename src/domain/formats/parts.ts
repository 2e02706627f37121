import type { Role } from '../event.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Message, ToolCall } from '../message.ts'
import { applyDifference, type Difference, diffJson } from './difference.ts'

/** Names of the shapes that messages come in and go out. */
export const MESSAGE_FORMATS = ['openai-chat', 'openai-responses', 'anthropic', 'ai-sdk'] as const
/** One of {@link MESSAGE_FORMATS}. */
export type MessageFormat = (typeof MESSAGE_FORMATS)[number]

/** An image: an address, or base64 with its media type. */
export type ImagePart = { type: 'image'; url?: string; data?: string; mediaType?: string }
/** A file: an address, base64, or text. `tagged` is a way of writing that the AI SDK has. */
export type FilePart = {
  type: 'file'
  url?: string
  data?: string
  text?: string
  mediaType?: string
  filename?: string
  tagged?: boolean
}
/** Text; without `text` it is the content of the message. */
export type TextPart = { type: 'text'; text?: string }
/** What only the format knows that the message came in. */
export type NativePart = { type: 'native'; value: JsonObject }

/** One piece of a message, in the order it was said. A `call` is the place of a tool call, by its index. */
export type Part = TextPart | ImagePart | FilePart | NativePart | { type: 'json' } | { type: 'call'; call: number }

/** What the converters keep in `parts` of a message, all of it JSON and all of it optional. */
export type MessageParts = {
  /** The format that the message came in: `native` things are for its way back only. */
  format?: MessageFormat
  /** The pieces of the message, where it is not plain text followed by its calls. */
  content?: Part[]
  /** What to change in the message that would be written to get the one that was read. */
  native?: Difference
  /** The same for the fields of a message that became several, on the first of them. */
  outer?: Difference
  /** The content was put there by us, since a message must have one. */
  placeholder?: boolean
  /** The tool failed. */
  isError?: boolean
  /** Stood in a message of its own, where we would have joined it to the one before. */
  apart?: boolean
  /** Belongs to the results before it and answers no call of the message. */
  attached?: boolean
  /** Stood among the messages, where we would have put it in front of them. */
  inline?: boolean
}

/** A message as a format's reader sees it, before it is known what has to be kept beside the text. */
export interface Draft {
  role: Role
  pieces: Part[]
  calls?: ToolCall[]
  toolCallId?: string
  /** Whether the pieces are just what the writer would make of text and calls. */
  usual: boolean
  isError?: boolean
}

/** The message of a draft; where it says nothing its content tells what it holds, such as `[image]`. */
export function compose(draft: Draft, format: MessageFormat): Message {
  const texts = draft.pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text ?? ''] : []))
  // blocks of an assistant are pieces of one answer, those of others stand for themselves
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

/** The message with more in its parts. */
export function withParts(message: Message, format: MessageFormat, more: MessageParts): Message {
  return { ...message, parts: { format, ...message.parts, ...more } as unknown as JsonObject }
}

/** The message with what it takes to write `read` again, where its writer would give `written`. */
export function withDifference(
  message: Message,
  format: MessageFormat,
  written: Json | undefined,
  read: Json,
): Message {
  const native = diffJson(written === undefined ? {} : { it: written }, { it: read })
  return native === undefined ? message : withParts(message, format, { native })
}

/** What was read, from what is written: undoes {@link withDifference} in the message's own format. */
export function restore(written: Json | undefined, { own, native }: WritableMessage): Json | undefined {
  if (!own || native === undefined) return written
  const { it } = applyDifference(written === undefined ? {} : { it: written }, native) as { it?: Json }
  // parts that somebody made up may lead to what is no message
  return it === null || typeof it === 'number' || typeof it === 'boolean' ? written : it
}

/** A message as a format's writer sees it. */
export interface WritableMessage extends Omit<MessageParts, 'content' | 'format'> {
  /** Whether the message came in the format that is written. */
  own: boolean
  /** Texts filled in, calls all there, native pieces only of the own format. */
  pieces: Part[]
  /** Whether the message has pieces other than its text and its calls. */
  pieced: boolean
  /** What was said, all in one; empty for a placeholder. */
  text: string
  /** The text where nothing but text can be written: a placeholder then stands for what has no place. */
  words: string
  calls: readonly ToolCall[]
}

/** Reads a message for a format's writer. Total: parts that are not ours are passed over. */
export function toWritable(message: Message, format: MessageFormat): WritableMessage {
  const { content, format: from, ...marks } = (message.parts ?? {}) as MessageParts
  const own = from === format
  const text = marks.placeholder === true ? '' : message.content
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const pieced = Array.isArray(content)
  const pieces = (pieced ? content : []).filter((piece) => isPart(piece) && (own || piece.type !== 'native'))
  // nobody has to repeat the text in the pieces
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

/** One piece of text, or none where there is none. */
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
