import { expect, it } from 'vitest'
import type { Message } from './message.ts'
import { truncateMessages } from './truncate.ts'

const count = (text: string) => text.length
const call = { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'r', arguments: 'a' }] } as const
const messages: Message[] = [
  { role: 'user', content: 'aaaa' },
  { ...call, toolCalls: [...call.toolCalls] },
  { role: 'tool', content: 'bb', toolCallId: '1' },
  { role: 'assistant', content: 'ccc' },
]

it.each([
  [0, 0, 0],
  [2, 0, 0],
  [3, 1, 3],
  [6, 1, 3],
  [7, 3, 7],
  [10, 3, 7],
  [11, 4, 11],
  [1000, 4, 11],
])('within %i tokens keeps the last %i messages, which cost %i', async (budget, kept, tokens) => {
  expect(await truncateMessages(messages, budget, count)).toEqual({ messages: messages.slice(4 - kept), tokens })
})

it('keeps nothing of nothing', async () => {
  expect(await truncateMessages([], 5, count)).toEqual({ messages: [], tokens: 0 })
})
