import { describe, it } from 'vitest'
import { memorySession } from './session.ts'
import { smallSessionCases } from './stores/conformance/message-session.ts'

describe('the session in memory', () => {
  it.each(smallSessionCases)('$title', async ({ check }) => {
    await check(async () => memorySession())
  })
})
