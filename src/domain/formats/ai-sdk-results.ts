import type { Json, JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { readOutputPart, writeOutputParts } from './ai-sdk-parts.ts'
import { parse } from './arguments.ts'
import { inner, listIn, optionalText, type Place, text } from './input.ts'
import { compose, keep, keepDifference, type Part, type Said, saidIn, textPieces } from './parts.ts'

const FORMAT = 'ai-sdk'

/** Name of a tool whose call is not known. */
const UNKNOWN = 'unknown'

/** The tool of each call so far, by the id of the call. */
export type ToolNames = ReadonlyMap<string, string>

/**
 * A message from one part of a tool message: a result, or something that answers no call, as do results of calls
 * that the provider served itself.
 */
export function readResult(place: Place, names: ToolNames, served: ReadonlySet<string>): Message {
  if (place.value.type !== 'tool-result') {
    const pieces: Part[] = [{ type: 'native', value: place.value }]
    return keep(compose({ role: 'system', pieces, usual: false }, FORMAT), FORMAT, { attached: true })
  }
  const toolCallId = text(place, 'toolCallId')
  text(place, 'toolName')
  const message = compose({ role: 'tool', toolCallId, ...readOutput(inner(place, 'output')) }, FORMAT)
  const whole = served.has(toolCallId) ? keep(message, FORMAT, { attached: true }) : message
  return keepDifference(whole, FORMAT, writeResult(whole, saidIn(whole, FORMAT), names), place.value)
}

function readOutput(output: Place): { pieces: Part[]; usual: boolean; isError?: boolean } {
  const { value } = output.value
  switch (text(output, 'type')) {
    case 'text':
      return { pieces: textPieces(text(output, 'value')), usual: true }
    case 'error-text':
      return { pieces: textPieces(text(output, 'value')), usual: true, isError: true }
    case 'execution-denied':
      return { pieces: textPieces(optionalText(output, 'reason')), usual: true, isError: true }
    case 'error-json':
      return { pieces: json(value), usual: false, isError: true }
    case 'content':
      return { pieces: listIn(output, 'value').map(readOutputPart), usual: false }
    default:
      return { pieces: json(value), usual: false }
  }
}

function json(value: Json | undefined): Part[] {
  return [{ type: 'text', text: JSON.stringify(value ?? null) }, { type: 'json' }]
}

/** The part for a tool's result, or for what stood among results. */
export function writeResult(message: Message, said: Said, names: ToolNames): JsonObject | undefined {
  if (message.role !== 'tool') return nativeOf(said)
  const toolCallId = message.toolCallId ?? ''
  return {
    type: 'tool-result',
    toolCallId,
    toolName: names.get(toolCallId) ?? UNKNOWN,
    output: writeOutput(message, said),
  }
}

function nativeOf({ pieces }: Said): JsonObject | undefined {
  for (const piece of pieces) if (piece.type === 'native') return piece.value
  return undefined
}

function writeOutput(message: Message, said: Said): JsonObject {
  const failed = said.isError === true
  if (said.pieces.some(({ type }) => type === 'json')) {
    const value = parse(message.content)
    if (value !== undefined) return { type: failed ? 'error-json' : 'json', value }
  }
  const parts = writeOutputParts(said.pieces)
  if (said.own ? said.pieced : parts.some(({ type }) => type !== 'text')) return { type: 'content', value: parts }
  return { type: failed ? 'error-text' : 'text', value: said.words }
}
