import type { Json, JsonObject } from '../json.ts'
import type { Message, ToolCall } from '../message.ts'
import { readBlock } from './anthropic-blocks.ts'
import { writeMessage, writeResult, writeSystem } from './anthropic-write.ts'
import { argumentsOf } from './arguments.ts'
import { difference } from './difference.ts'
import { blocksIn, objectsIn, type Place, role, text } from './input.ts'
import { compose, keep, keepDifference, type Part, saidIn, textPieces } from './parts.ts'

const FORMAT = 'anthropic'
const ROLES = ['user', 'assistant', 'system'] as const

/** Messages from a list of Anthropic's; the results in one become messages of their own. */
export function readMessages(input: unknown): Message[] {
  const messages: Message[] = []
  /** Whether the message before held results alone, so that more could have been joined to it. */
  let open = false
  for (const place of objectsIn(input, 'messages')) {
    const spoken = role(place, ROLES)
    const blocks = blocksIn(place)
    const results = spoken === 'user' ? (blocks?.filter(isResult) ?? []) : []
    const apart = open && spoken === 'user'
    open = results.length > 0 && results.length === blocks?.length
    if (results.length === 0) {
      const message = readMessage(place, blocks, false)
      messages.push(apart ? keep(message, FORMAT, { apart }) : message)
      continue
    }
    const [first, ...others] = results.map(readResult)
    const { content: _, ...fields } = place.value
    const outer = difference({ role: 'user' }, fields)
    if (first)
      messages.push(apart || outer ? keep(first, FORMAT, { ...(apart && { apart }), ...(outer && { outer }) }) : first)
    messages.push(...others)
    const rest = blocks?.filter((block) => !isResult(block)) ?? []
    const value: JsonObject = { role: 'user', content: rest.map((block) => block.value) }
    if (rest.length > 0) messages.push(readMessage({ value, path: place.path }, rest, true))
  }
  return messages
}

/** Messages from a system prompt, one for each of its blocks. */
export function readSystem(input: unknown): Message[] {
  if (input === undefined) return []
  if (typeof input === 'string') return [finishSystem(textPieces(input), !isBlank(input), input)]
  const blocks = objectsIn(input, 'system')
  if (blocks.length === 0) return [finishSystem([], false, [])]
  return blocks.map((block) => {
    text(block, 'type')
    return finishSystem([readBlock(block)], blocks.length > 1 && isPlain(block), [block.value])
  })
}

function finishSystem(pieces: Part[], usual: boolean, read: Json): Message {
  const message = compose({ role: 'system', pieces, usual }, FORMAT)
  if (usual) return message
  return keepDifference(message, FORMAT, writeSystem(saidIn(message, FORMAT)), read)
}

function readMessage(place: Place, blocks: Place[] | undefined, joined: boolean): Message {
  const calls: ToolCall[] = []
  const spoken = place.value.role as 'user' | 'assistant' | 'system'
  const readPiece = (block: Place) =>
    spoken === 'assistant' && isCall(block) ? readCall(block, calls) : readBlock(block)
  const pieces = blocks?.map(readPiece) ?? textPieces(text(place, 'content'))
  const message = compose({ role: spoken, pieces, calls, usual: isUsual(place, blocks, joined) }, FORMAT)
  const marked = spoken === 'system' ? keep(message, FORMAT, { inline: true }) : message
  return keepDifference(marked, FORMAT, writeMessage(marked, saidIn(marked, FORMAT), joined), place.value)
}

/** Whether the content is what the writer makes of text and calls. */
function isUsual({ value }: Place, blocks: Place[] | undefined, joined: boolean): boolean {
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

function readCall(block: Place, calls: ToolCall[]): Part {
  calls.push({ id: text(block, 'id'), name: text(block, 'name'), arguments: argumentsOf(block.value.input, 'object') })
  return { type: 'call', call: calls.length - 1 }
}

function readResult(block: Place): Message {
  const toolCallId = text(block, 'tool_use_id')
  const blocks = blocksIn(block)
  const given = block.value.content
  const pieces = blocks?.map(readBlock) ?? textPieces(typeof given === 'string' ? given : undefined)
  const isError = block.value.is_error === true
  const message = compose({ role: 'tool', pieces, toolCallId, usual: blocks === undefined, isError }, FORMAT)
  return keepDifference(message, FORMAT, writeResult(message, saidIn(message, FORMAT)), block.value)
}

function isResult({ value }: Place): boolean {
  return value.type === 'tool_result'
}

function isCall({ value }: Place): boolean {
  return value.type === 'tool_use'
}

function isPlain({ value }: Place): boolean {
  return (
    value.type === 'text' && typeof value.text === 'string' && !isBlank(value.text) && Object.keys(value).length === 2
  )
}

function isBlank(content: string): boolean {
  return content.trim() === ''
}
