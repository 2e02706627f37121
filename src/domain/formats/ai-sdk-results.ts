import type { Json, JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { readOutputPart, writeOutputParts } from './ai-sdk-parts.ts'
import { parseJson } from './arguments.ts'
import { compose, type Part, textPieces, toWritable, type WritableMessage, withDifference, withParts } from './parts.ts'
import { type InputObject, optionalText, requireBlocks, requireObject, requireText } from './read-input.ts'

const FORMAT = 'ai-sdk'

/** Tool name of an unknown call. */
const UNKNOWN = 'unknown'

/** Tool names by call id. */
export type ToolNames = ReadonlyMap<string, string>

/**
 * Reads one part of a tool message: a result, or something that answers no call, for example results of calls that the
 * provider executed.
 */
export function readResult(place: InputObject, names: ToolNames, served: ReadonlySet<string>): Message {
  if (place.value.type !== 'tool-result') {
    const pieces: Part[] = [{ type: 'native', value: place.value }]
    return withParts(compose({ role: 'system', pieces, usual: false }, FORMAT), FORMAT, { attached: true })
  }
  const toolCallId = requireText(place, 'toolCallId')
  requireText(place, 'toolName')
  const message = compose({ role: 'tool', toolCallId, ...readOutput(requireObject(place, 'output')) }, FORMAT)
  const whole = served.has(toolCallId) ? withParts(message, FORMAT, { attached: true }) : message
  return withDifference(whole, FORMAT, writeResult(whole, toWritable(whole, FORMAT), names), place.value)
}

function readOutput(output: InputObject): { pieces: Part[]; usual: boolean; isError?: boolean } {
  const { value } = output.value
  switch (requireText(output, 'type')) {
    case 'text':
      return { pieces: textPieces(requireText(output, 'value')), usual: true }
    case 'error-text':
      return { pieces: textPieces(requireText(output, 'value')), usual: true, isError: true }
    case 'execution-denied':
      return { pieces: textPieces(optionalText(output, 'reason')), usual: true, isError: true }
    case 'error-json':
      return { pieces: json(value), usual: false, isError: true }
    case 'content':
      return { pieces: requireBlocks(output, 'value').map(readOutputPart), usual: false }
    default:
      return { pieces: json(value), usual: false }
  }
}

function json(value: Json | undefined): Part[] {
  return [{ type: 'text', text: JSON.stringify(value ?? null) }, { type: 'json' }]
}

/** Writes a tool result, or a native part among results. */
export function writeResult(message: Message, said: WritableMessage, names: ToolNames): JsonObject | undefined {
  if (message.role !== 'tool') return nativeOf(said)
  const toolCallId = message.toolCallId ?? ''
  return {
    type: 'tool-result',
    toolCallId,
    toolName: names.get(toolCallId) ?? UNKNOWN,
    output: writeOutput(message, said),
  }
}

function nativeOf({ pieces }: WritableMessage): JsonObject | undefined {
  for (const piece of pieces) if (piece.type === 'native') return piece.value
  return undefined
}

function writeOutput(message: Message, said: WritableMessage): JsonObject {
  const failed = said.isError === true
  if (said.pieces.some(({ type }) => type === 'json')) {
    const value = parseJson(message.content)
    if (value !== undefined) return { type: failed ? 'error-json' : 'json', value }
  }
  const parts = writeOutputParts(said.pieces)
  if (said.own ? said.pieced : parts.some(({ type }) => type !== 'text')) return { type: 'content', value: parts }
  return { type: failed ? 'error-text' : 'text', value: said.words }
}
