import { afterEach, expect, it } from 'vitest'
import type { Throughline } from '../../api.ts'
import { listAll } from '../../cli/list-all.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import { memoryStore } from '../../stores/memory/index.ts'

const open: Throughline[] = []
afterEach(async () => {
  for (const tl of open.splice(0)) await tl.close()
})

function opened(): Throughline {
  const tl = openOn(memoryStore(uuid7))
  open.push(tl)
  return tl
}

const ada = { userId: 'ada', conversationId: 'c' }

/** A session of the conversation that ended for the longest reason. */
async function ended(tl: Throughline): Promise<string> {
  const session = await tl.sessions.create(ada)
  await session.abort('x'.repeat(LIMITS.statement))
  return session.id
}

it('pages of sessions end at a size, and nextCursor leads to the rest', async () => {
  const tl = opened()
  const ids: string[] = []
  for (let i = 0; i < 6; i++) ids.push(await ended(tl))
  const { items, nextCursor } = await tl.sessions.list({ limit: LIMITS.page })
  expect(items).toHaveLength(LIMITS.pageSize / LIMITS.statement)
  expect(nextCursor).toBeDefined()
  const listed: string[] = []
  for await (const { id } of listAll((page) => tl.sessions.list(page))) listed.push(id)
  expect(listed.sort()).toEqual(ids.sort())
})

it('a key is found behind sessions that fill a page', async () => {
  const tl = opened()
  await tl.conversations.handle('c', { userId: 'ada', message: 'Write a function that retries a request' })
  const send = () =>
    tl.conversations.handle('c', { userId: 'ada', message: 'Make it 5 retries instead of 3' }, { idempotencyKey: 'k' })
  const { session } = await send()
  await session?.end()
  for (let i = 0; i < 6; i++) await ended(tl)
  const again = await send()
  expect(again.session?.id).toBe(session?.id)
})
