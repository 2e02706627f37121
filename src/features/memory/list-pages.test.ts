import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Throughline } from '../../api.ts'
import { listAll } from '../../cli/list-all.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { fixedClock } from '../../testing.ts'

const clock = fixedClock()
let tl: Throughline
let changes = 0
beforeEach(() => {
  const store = memoryStore(uuid7)
  const change: typeof store.memories.change = async (request) => {
    changes += 1
    return await store.memories.change(request)
  }
  tl = openOn({ ...store, memories: { ...store.memories, change } }, { clock })
})
afterEach(() => tl.close())

/** More memories with the longest metadata than fit on a page. */
async function rememberMany(): Promise<void> {
  const metadata = { text: 'x'.repeat(LIMITS.metadata - 20) }
  const whole = Array.from({ length: 75 }, (_, i) => `number ${i}`)
  for (let i = 0; i < whole.length; i += 25) {
    const some = whole.slice(i, i + 25)
    const source = { source: 'tool' }
    await tl.memories.remember(some.map((content) => ({ userId: 'ada', content, metadata, source, expiresInMs: 1000 })))
  }
}

it('pages of memories end at a size, and nextCursor leads to the rest', async () => {
  await rememberMany()
  const { items, nextCursor } = await tl.memories.list({ userId: 'ada', limit: LIMITS.page })
  expect(items.length).toBeGreaterThan(60)
  expect(items.length).toBeLessThan(66)
  expect(nextCursor).toBe(items.at(-1)?.id)
  const contents = new Set<string>()
  for await (const { content } of listAll((page) => tl.memories.list({ userId: 'ada', ...page }))) contents.add(content)
  expect(contents.size).toBe(75)
})

it('a source is forgotten page by page', async () => {
  await rememberMany()
  changes = 0
  expect(await tl.memories.forget({ userId: 'ada', source: 'tool' })).toEqual({ forgotten: 75, kept: 0 })
  expect(changes).toBe(2)
})

it('a sweep forgets all expired memories, however many pages they take', async () => {
  await rememberMany()
  clock.advance(2000)
  await tl.sweep()
  expect((await tl.memories.list({ userId: 'ada' })).items).toEqual([])
})
