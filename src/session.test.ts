import { describe, expect, it } from 'vitest'
import { memorySession } from './session.ts'
import { messageSessionCases } from './stores/conformance/message-session.ts'

describe('the session in memory', () => {
  it.each(messageSessionCases)('$title', async ({ check }) => {
    await check(async () => memorySession())
  })
})

it('has calls that can be handed on by themselves', () => {
  const { addMessage, messages, clear } = memorySession()
  addMessage({ role: 'user', content: 'hello' })
  expect(messages()).toEqual([{ role: 'user', content: 'hello' }])
  clear()
  expect(messages()).toEqual([])
})
