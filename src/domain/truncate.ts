import { messageTokens } from './context.ts'
import { dropOrphanResults, type Message } from './message.ts'
import type { CountTokens } from './window.ts'

/** Returns the last messages that fit the budget, ignoring turns, without results whose call is cut off. */
export function truncateMessages(
  messages: readonly Message[],
  maxTokens: number,
  count: CountTokens,
): { messages: Message[]; tokens: number } {
  let first = messages.length
  for (let left = maxTokens; first > 0; first--) {
    left -= messageTokens(messages[first - 1] as Message, count)
    if (left < 0) break
  }
  const kept = dropOrphanResults(messages.slice(first))
  return { messages: kept, tokens: kept.reduce((sum, message) => sum + messageTokens(message, count), 0) }
}
