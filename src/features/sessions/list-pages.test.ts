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

it('pages by metadata are complete when more sessions have it than an index lookup returns', async () => {
  const tl = opened()
  const wanted: string[] = []
  for (let n = 0; n < 1100; n++) {
    const session = await tl.sessions.create({ userId: 'ada', metadata: { project: 'x', odd: n % 2 === 1 } })
    if (n % 2 === 1) wanted.push(session.id)
    await tl.sessions.create({ userId: 'ada', metadata: { project: 'y', odd: true } })
  }
  const listed: string[] = []
  const filter = { metadata: { project: 'x', odd: true } }
  for await (const { id } of listAll((page) => tl.sessions.list({ ...filter, ...page }))) listed.push(id)
  expect(listed.sort()).toEqual(wanted.sort())
})

it('a page by metadata reads a bounded number of sessions', async () => {
  const store = memoryStore(uuid7)
  let read = 0
  const tl = openOn({
    ...store,
    // more have it than the index returns, but none of those that are active
    labelled: async ({ limit }) => Array.from({ length: limit }, () => uuid7()),
    list: async (query) => {
      const records = await store.list(query)
      read += records.length
      return records
    },
  })
  open.push(tl)
  for (let n = 0; n < 5600; n++) await tl.sessions.create({ userId: 'ada' })
  const page = await tl.sessions.list({ metadata: { project: 'x' }, limit: 10 })
  expect([page.items.length, read]).toEqual([0, 5000])
  const { nextCursor: cursor = '' } = page
  expect(await tl.sessions.list({ metadata: { project: 'x' }, limit: 10, cursor })).toEqual({ items: [] })
})
