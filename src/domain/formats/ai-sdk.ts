import type { Json, JsonObject } from '../json.ts'
import type { Message, ToolCall } from '../message.ts'
import { readPart, writeParts } from './ai-sdk-parts.ts'
import { readResult, writeResult } from './ai-sdk-results.ts'
import type { AISDKMessage } from './ai-sdk-shape.ts'
import { toArguments } from './arguments.ts'
import { applyDifference, diffJson } from './difference.ts'
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
import { revive } from './plain-json.ts'
import { type InputObject, optionalBlocks, readObjects, requireBlocks, requireRole, requireText } from './read-input.ts'

const FORMAT = 'ai-sdk'
const ROLES = ['system', 'user', 'assistant', 'tool'] as const

/**
 * Writes messages for the AI SDK. Results of one message's calls form one tool message after it, each with the name of
 * its tool.
 *
 * The format cannot carry: timestamps and agent ids; spaces in arguments.
 */
export function toAISDK(messages: readonly Message[], options: WriteOptions = {}): AISDKMessage[] {
  const list: unknown[] = []
  const names = new Map<string, string>()
  /** The content of the last message if it holds results. */
  let results: unknown[] | undefined
  for (const message of pairResults(messages, FORMAT, { ...options, adjacent: true })) {
    const said = toWritable(message, FORMAT)
    if (message.role === 'tool' || (said.own && said.attached)) {
      if (results === undefined || (said.own && said.apart)) {
        results = []
        const fields = applyDifference({ role: 'tool' }, said.own ? said.outer : undefined) as JsonObject
        list.push({ ...fields, content: results })
      }
      const part = restore(writeResult(message, said, names), said)
      if (part !== undefined) results.push(said.own ? revive(part) : part)
      continue
    }
    for (const { id, name } of said.calls) names.set(id, name)
    const written = restore(write(message, said), said)
    if (written === undefined) continue
    list.push(said.own ? withInputs(revive(written)) : written)
    results = undefined
  }
  return list as AISDKMessage[]
}

/**
 * Reads messages of the AI SDK. Bytes become base64 and stay so when written again. Throws `ValidationError` with the
 * wrong field.
 */
export function fromAISDK(input: unknown): Message[] {
  const messages: Message[] = []
  const names = new Map<string, string>()
  const served = new Set<string>()
  let open = false
  for (const place of readObjects(input, 'messages')) {
    if (requireRole(place, ROLES) === 'tool') {
      const read = readResults(place, open, (block) => readResult(block, names, served))
      for (const message of read) messages.push(message)
      open = true
      continue
    }
    const message = readMessage(place)
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name)
    for (const id of providerExecutedIds(place)) served.add(id)
    messages.push(message)
    open = false
  }
  return messages
}

function readResults(place: InputObject, apart: boolean, read: (block: InputObject) => Message): Message[] {
  const empty: Message = { role: 'system', content: '[empty]' }
  const nothing = withParts(empty, FORMAT, { content: [], placeholder: true, attached: true })
  const [first = nothing, ...others] = requireBlocks(place, 'content').map(read)
  const { content: _, ...fields } = place.value
  const outer = diffJson({ role: 'tool' }, fields)
  if (!apart && outer === undefined) return [first, ...others]
  return [withParts(first, FORMAT, { ...(apart && { apart }), ...(outer && { outer }) }), ...others]
}

function readMessage(place: InputObject): Message {
  const calls: ToolCall[] = []
  const blocks = optionalBlocks(place)
  const spoken = place.value.role as 'system' | 'user' | 'assistant'
  const readPiece = (block: InputObject) =>
    spoken === 'assistant' && isCall(block) ? readCall(block, calls) : readPart(block)
  const pieces = blocks?.map(readPiece) ?? textPieces(requireText(place, 'content'))
  const message = compose({ role: spoken, pieces, calls, usual: isUsual(pieces, blocks) }, FORMAT)
  return withDifference(message, FORMAT, write(message, toWritable(message, FORMAT)), place.value)
}

/** Calls that the provider executed need no result. */
function isCall({ value }: InputObject): boolean {
  return value.type === 'tool-call' && value.providerExecuted !== true
}

function providerExecutedIds(place: InputObject): string[] {
  const blocks = optionalBlocks(place) ?? []
  return blocks
    .filter((block) => block.value.type === 'tool-call' && !isCall(block))
    .map((block) => requireText(block, 'toolCallId'))
}

function readCall(block: InputObject, calls: ToolCall[]): Part {
  const call = { id: requireText(block, 'toolCallId'), name: requireText(block, 'toolName') }
  calls.push({ ...call, arguments: toArguments(block.value.input, 'any') })
  return { type: 'call', call: calls.length - 1 }
}

/** Whether the writer would create the same content from text and calls. */
function isUsual(pieces: readonly Part[], blocks: InputObject[] | undefined): boolean {
  if (blocks === undefined) return true
  const [first, ...rest] = pieces
  const plain = first?.type === 'call' || (first?.type === 'text' && first.text !== '' && rest.length > 0)
  return plain && rest.every(({ type }) => type === 'call')
}

function write(message: Message, said: WritableMessage): Json | undefined {
  const { role: spoken } = message
  if (said.own && said.pieced) return { role: spoken, content: writeParts(said) }
  const parts = spoken === 'system' ? [] : writeParts(said)
  const fitting = parts.filter((part) => fits(part, spoken))
  if (fitting.some(({ type }) => type !== 'text')) return { role: spoken, content: fitting }
  return said.words === '' && !said.own ? undefined : { role: spoken, content: said.words }
}

/** The AI SDK's validator requires the key `input` even if it is absent. */
function withInputs(message: unknown): unknown {
  const { content } = message as { content?: unknown }
  if (!Array.isArray(content)) return message
  const parts = content.map((part) => (part?.type === 'tool-call' ? { input: undefined, ...part } : part))
  return { ...(message as object), content: parts }
}

/** Only users have images; an assistant's are files. */
function fits({ type, ...part }: JsonObject, spoken: string): boolean {
  if (type === 'text') return part.text !== ''
  return spoken === 'assistant' ? type !== 'image' : type !== 'tool-call'
}
