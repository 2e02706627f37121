import type { Json, JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { writeBlocks } from './anthropic-blocks.ts'
import type { WritableMessage } from './parts.ts'

/**
 * Writes a message for Anthropic; `undefined` if nothing of it fits. `joined`: its blocks follow results.
 */
export function writeMessage(message: Message, said: WritableMessage, joined: boolean): JsonObject | undefined {
  const blocks = writeBlocks(said).filter(({ type }) => said.own || fits(type, message.role))
  if (said.own && said.pieced) return { role: message.role, content: blocks }
  if (said.own && blocks.length === 0) return { role: message.role, content: '' }
  if (blocks.length === 0) {
    if (said.words.trim() === '') return undefined
    return { role: message.role, content: joined ? textBlocks(said.words) : said.words }
  }
  const [first] = blocks
  const alone = blocks.length === 1 && first?.type === 'text' && !joined
  return { role: message.role, content: alone ? (first.text ?? '') : blocks }
}

/** Writes the block of a tool result. */
export function writeResult(message: Message, said: WritableMessage): JsonObject {
  const blocks = writeBlocks(said)
  const rich = said.own ? said.pieced : blocks.some(({ type }) => type !== 'text')
  const content = rich ? blocks : said.words
  return {
    type: 'tool_result',
    tool_use_id: message.toolCallId ?? '',
    ...(content !== '' && { content }),
    ...(said.isError === true && { is_error: true }),
  }
}

/** Writes a system prompt or a piece of one: text, or blocks if it was blocks. */
export function writeSystem(said: WritableMessage): Json | undefined {
  if (said.own) return said.pieced ? writeBlocks(said) : said.text
  return said.text.trim() === '' ? undefined : said.text
}

/** Joins the pieces of the system prompt. */
export function joinSystem(prompts: readonly Json[]): Json | undefined {
  if (prompts.length < 2) return prompts[0]
  return prompts.flatMap((prompt) => (typeof prompt === 'string' ? textBlocks(prompt) : (prompt as JsonObject[])))
}

function fits(type: Json | undefined, role: string): boolean {
  if (type === 'text') return true
  return role === 'user' ? type === 'image' || type === 'document' : role === 'assistant' && type === 'tool_use'
}

function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}
