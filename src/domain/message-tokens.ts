import type { Message } from './message.ts'
import { type CountTokens, tokensOf } from './window.ts'

/** Counts a message: its content, and the name and arguments of each call. Stops above `atMost`. */
export function messageTokens(
  { content, toolCalls = [] }: Message,
  count: CountTokens,
  atMost?: number,
): Promise<number> {
  const parts = { toolCalls: toolCalls.map((call) => ({ ...call })) }
  return tokensOf({ type: 'model_message', content, parts }, count, atMost)
}
