import type { Json, JsonObject } from '../json.ts'
import type { Message, ToolCall } from '../message.ts'
import { readBlock } from './anthropic-blocks.ts'
import { writeMessage, writeResult, writeSystem } from './anthropic-write.ts'
import { toArguments } from './arguments.ts'
import { diffJson } from './difference.ts'
import { compose, type Part, textPieces, toWritable, withDifference, withParts } from './parts.ts'
import { type InputObject, optionalBlocks, readObjects, requireRole, requireText } from './read-input.ts'

const FORMAT = 'anthropic'
const ROLES = ['user', 'assistant', 'system'] as const

/** Reads Anthropic messages; results become separate messages. */
export function readMessages(input: unknown): Message[] {
  const messages: Message[] = []
  /** Whether the previous message held only results, so that more could be joined to it. */
  let open = false
  for (const place of readObjects(input, 'messages')) {
    const spoken = requireRole(place, ROLES)
    const blocks = optionalBlocks(place)
    const results = spoken === 'user' ? (blocks?.filter(isResult) ?? []) : []
    const apart = open && spoken === 'user'
    open = results.length > 0 && results.length === blocks?.length
    if (results.length === 0) {
      const message = readMessage(place, blocks, false)
      messages.push(apart ? withParts(message, FORMAT, { apart }) : message)
      continue
    }
    const [first, ...others] = results.map(readResult)
    const { content: _, ...fields } = place.value
    const outer = diffJson({ role: 'user' }, fields)
    if (first)
      messages.push(
        apart || outer ? withParts(first, FORMAT, { ...(apart && { apart }), ...(outer && { outer }) }) : first,
      )
    for (const other of others) messages.push(other)
    const rest = blocks?.filter((block) => !isResult(block)) ?? []
    const value: JsonObject = { role: 'user', content: rest.map((block) => block.value) }
    if (rest.length > 0) messages.push(readMessage({ value, path: place.path }, rest, true))
  }
  return messages
}

/** Reads a system prompt, one message per block. */
export function readSystem(input: unknown): Message[] {
  if (input === undefined) return []
  if (typeof input === 'string') return [finishSystem(textPieces(input), !isBlank(input), input)]
  const blocks = readObjects(input, 'system')
  if (blocks.length === 0) return [finishSystem([], false, [])]
  return blocks.map((block) => {
    requireText(block, 'type')
    return finishSystem([readBlock(block)], blocks.length > 1 && isPlain(block), [block.value])
  })
}

function finishSystem(pieces: Part[], usual: boolean, read: Json): Message {
  const message = compose({ role: 'system', pieces, usual }, FORMAT)
  if (usual) return message
  return withDifference(message, FORMAT, writeSystem(toWritable(message, FORMAT)), read)
}

function readMessage(place: InputObject, blocks: InputObject[] | undefined, joined: boolean): Message {
  const calls: ToolCall[] = []
  const spoken = place.value.role as 'user' | 'assistant' | 'system'
  const readPiece = (block: InputObject) =>
    spoken === 'assistant' && isCall(block) ? readCall(block, calls) : readBlock(block)
  const pieces = blocks?.map(readPiece) ?? textPieces(requireText(place, 'content'))
  const message = compose({ role: spoken, pieces, calls, usual: isUsual(place, blocks, joined) }, FORMAT)
  const marked = spoken === 'system' ? withParts(message, FORMAT, { inline: true }) : message
  return withDifference(marked, FORMAT, writeMessage(marked, toWritable(marked, FORMAT), joined), place.value)
}

/** Whether the writer would create the same content from text and calls. */
function isUsual({ value }: InputObject, blocks: InputObject[] | undefined, joined: boolean): boolean {
  if (blocks === undefined) return value.content === '' || !isBlank(value.content as string)
  if (blocks.length === 1 && blocks[0]?.value.type === 'text') return joined && isPlain(blocks[0])
  const texts = blocks.findIndex((block) => block.value.type !== 'text')
  return (
    blocks.length > 0 &&
    texts <= 1 &&
    texts >= 0 &&
    blocks.slice(0, texts).every(isPlain) &&
    blocks.slice(texts).every(isCall)
  )
}

function readCall(block: InputObject, calls: ToolCall[]): Part {
  calls.push({
    id: requireText(block, 'id'),
    name: requireText(block, 'name'),
    arguments: toArguments(block.value.input, 'object'),
  })
  return { type: 'call', call: calls.length - 1 }
}

function readResult(block: InputObject): Message {
  const toolCallId = requireText(block, 'tool_use_id')
  const blocks = optionalBlocks(block)
  const given = block.value.content
  const pieces = blocks?.map(readBlock) ?? textPieces(typeof given === 'string' ? given : undefined)
  const isError = block.value.is_error === true
  const message = compose({ role: 'tool', pieces, toolCallId, usual: blocks === undefined, isError }, FORMAT)
  return withDifference(message, FORMAT, writeResult(message, toWritable(message, FORMAT)), block.value)
}

function isResult({ value }: InputObject): boolean {
  return value.type === 'tool_result'
}

function isCall({ value }: InputObject): boolean {
  return value.type === 'tool_use'
}

function isPlain({ value }: InputObject): boolean {
  return (
    value.type === 'text' && typeof value.text === 'string' && !isBlank(value.text) && Object.keys(value).length === 2
  )
}

function isBlank(content: string): boolean {
  return content.trim() === ''
}
