import { dropOrphanResults, type Message } from './message.ts'
import { messageTokens } from './message-tokens.ts'
import type { CountTokens } from './window.ts'

/** Returns the last messages that fit the budget, ignoring turns, without results whose call is cut off. */
export async function truncateMessages(
  messages: readonly Message[],
  maxTokens: number,
  count: CountTokens,
): Promise<{ messages: Message[]; tokens: number }> {
  const costs = new Map<Message, number>()
  let first = messages.length
  for (let left = maxTokens; first > 0; first--) {
    const message = messages[first - 1] as Message
    const cost = await messageTokens(message, count, left)
    left -= cost
    if (left < 0) break
    costs.set(message, cost)
  }
  const kept = dropOrphanResults(messages.slice(first))
  return { messages: kept, tokens: kept.reduce((sum, message) => sum + (costs.get(message) ?? 0), 0) }
}
