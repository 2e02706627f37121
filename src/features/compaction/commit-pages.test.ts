import { expect, it } from 'vitest'
import { LIMITS } from '../../domain/limits.ts'
import { open } from '../../index.ts'

it('a page of commits ends at a size, and its cursor continues after it', async () => {
  const tl = await open('memory:')
  const summary = 'x'.repeat(LIMITS.pageSize / 4)
  for (let n = 1; n <= 6; n++) {
    const session = await tl.sessions.create({ userId: 'ada', conversationId: 'c' })
    await session.end()
    await session.compact(summary)
  }
  const first = await tl.conversations.commits('c', { limit: 500 })
  expect(first.items.map(({ position }) => position)).toEqual([1, 2, 3, 4])
  const { nextCursor: cursor = '' } = first
  const rest = await tl.conversations.commits('c', { limit: 500, cursor })
  expect(rest.items.map(({ position }) => position)).toEqual([5, 6])
  expect(rest.nextCursor).toBeUndefined()
  await tl.close()
})
