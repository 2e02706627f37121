import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { EventInput, Message } from '../../dist/index.js'

/** Tokens by text: the same messages come back in thousands of contexts. */
const known = new Map<string, number>()

/** Counts a text with o200k, independently of the product. */
export function tokensOf(text: string): number {
  const found = known.get(text)
  if (found !== undefined) return found
  // text such as <|endoftext|> counts like any other
  const tokens = countTokens(text, { disallowedSpecial: new Set() })
  known.set(text, tokens)
  return tokens
}

/** Counts content, and names and arguments of calls. */
export function messageTokens(messages: readonly Message[]): number {
  const texts = messages.flatMap(({ content, toolCalls = [] }) => [
    content,
    ...toolCalls.flatMap((call) => [call.name, call.arguments]),
  ])
  return texts.reduce((sum, text) => sum + tokensOf(text), 0)
}

/** Counts an event as part of a message; other events count 0. */
export function eventTokens({ type, content = '', parts }: EventInput): number {
  if (!isMessage(type)) return 0
  const { name, arguments: given } = (parts ?? {}) as { name?: string; arguments?: unknown }
  if (type !== 'tool_call') return tokensOf(content)
  return tokensOf(content) + tokensOf(name ?? '') + tokensOf(typeof given === 'string' ? given : JSON.stringify(given))
}

const MESSAGE_TYPES = ['user_message', 'model_message', 'tool_call', 'tool_result', 'system_event']

export function isMessage(type: string): boolean {
  return MESSAGE_TYPES.includes(type)
}
