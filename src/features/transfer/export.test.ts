import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionBlock } from '../../api.ts'
import { type Opened, openDeps } from '../../open/open.ts'
import type { ReadQuery } from '../../ports/session-store.ts'
import { throughlineOn } from '../../throughline.ts'
import type { Deps } from '../kernel/deps.ts'
import { exportPage, exportSessions } from './operation.ts'

const MB = 1024 * 1024

let opened: Opened
let deps: Deps
let reads: ReadQuery[]

beforeEach(async () => {
  opened = await openDeps({ url: 'memory:', index: false })
  reads = []
  const { store } = opened.deps
  const read: typeof store.read = (key, query) => {
    reads.push(query)
    return store.read(key, query)
  }
  deps = { ...opened.deps, store: { ...store, read } }
})

afterEach(() => opened.close())

const tl = () => throughlineOn(deps, async () => {})

/** Sessions whose ids ascend, with so many messages of such a size each. */
async function made(counts: readonly number[], size = 10): Promise<string[]> {
  const ids = counts.map((_, i) => `${String(i + 1).padStart(8, '0')}-0000-4000-8000-000000000000`)
  for (const [i, id] of ids.entries()) {
    const session = await tl().sessions.create({ userId: 'ada', id })
    for (let left = counts[i] ?? 0; left > 0; left -= 1) {
      await session.append({ type: 'user_message', content: 'x'.repeat(size) })
    }
  }
  return ids
}

const shape = (blocks: readonly SessionBlock[]) =>
  blocks.map(({ sessionId, events, done }) => [Number(sessionId.slice(0, 8)), events[0]?.sequence, events.length, done])

async function all(options?: Parameters<typeof exportSessions>[1]): Promise<SessionBlock[]> {
  const blocks: SessionBlock[] = []
  for await (const block of exportSessions(deps, options)) blocks.push(block)
  return blocks
}

describe('a page of an export', () => {
  it('holds small sessions together and long ones in parts, in order, and says where the next begins', async () => {
    const ids = await made([2, 600, 0, 3])
    const first = await exportPage(deps, { totals: true })
    expect(shape(first.blocks)).toEqual([
      [1, 1, 3, true],
      [2, 1, 497, false],
    ])
    expect(first).toMatchObject({ next: { sessionId: ids[1], sequence: 497, done: false } })
    expect(first.of).toEqual({ sessions: 4, events: 609 })
    const second = await exportPage(deps, { after: first.next as never })
    expect(shape(second.blocks)).toEqual([
      [2, 498, 104, true],
      [3, 1, 1, true],
      [4, 1, 4, true],
    ])
    expect(Object.keys(second)).toEqual(['blocks'])
    expect(shape(await all())).toEqual([...shape(first.blocks), ...shape(second.blocks)])
    expect(shape(await all({ sessionId: ids[1] ?? '' }))).toEqual([
      [2, 1, 500, false],
      [2, 501, 101, true],
    ])
  })

  it('is cut by size too, and reads no more than that', async () => {
    await made([9], 1.5 * MB)
    const { blocks, next } = await exportPage(deps)
    expect(shape(blocks)).toEqual([[1, 1, 4, false]])
    expect(next?.sequence).toBe(4)
    expect(reads).toHaveLength(1)
    expect(shape(await all()).map(([, , count]) => count)).toEqual([4, 3, 3])
  })

  it('gives an event that is larger than a page alone', async () => {
    const [id = ''] = await made([0])
    const session = await tl().sessions.get(id)
    const content = 'x'.repeat(8 * MB)
    await session.append([
      { type: 'user_message', content },
      { type: 'user_message', content },
    ])
    expect(shape(await all())).toEqual([
      [1, 1, 2, false],
      [1, 3, 1, true],
    ])
  })

  it('takes one read for small events', async () => {
    await made([499])
    expect(shape((await exportPage(deps)).blocks)).toEqual([[1, 1, 500, true]])
    expect(reads.map(({ limit }) => limit)).toEqual([500])
  })
})

describe('an export', () => {
  it('goes on behind any event that it was at', async () => {
    const ids = await made([3, 2])
    const [first, second] = ids as [string, string]
    const at = async (sessionId: string, sequence: number, done = false) =>
      shape(await all({ after: { sessionId, sequence, done } }))
    expect(await at(first, 2)).toEqual([
      [1, 3, 2, true],
      [2, 1, 3, true],
    ])
    expect(await at(first, 4, true)).toEqual([[2, 1, 3, true]])
    expect(await at(second, 3, true)).toEqual([])
    expect(await at(second, 3)).toEqual([])
    expect(await at('00000001-5000-4000-8000-000000000000', 7)).toEqual([[2, 1, 3, true]])
    expect(shape(await all({ sessionId: first, after: { sessionId: first, sequence: 1, done: false } }))).toEqual([
      [1, 2, 3, true],
    ])
    expect(await all({ sessionId: first, after: { sessionId: second, sequence: 1, done: false } })).toEqual([])
  })

  it('takes a session as far as it reaches when its turn comes, and leaves out one that was purged', async () => {
    const [first = '', second = '', third = '', fourth = ''] = await made([600, 2, 600, 2])
    const late = async (id: string) => (await tl().sessions.get(id)).append({ type: 'user_message', content: 'late' })
    const one = await exportPage(deps)
    expect(shape(one.blocks)).toEqual([[1, 1, 500, false]])
    await late(first)
    await tl().sessions.purge(second)
    const two = await exportPage(deps, { after: one.next as never })
    expect(shape(two.blocks)).toEqual([
      [1, 501, 102, true],
      [3, 1, 398, false],
    ])
    await late(fourth)
    await tl().sessions.purge(third)
    expect(shape((await exportPage(deps, { after: two.next as never })).blocks)).toEqual([[4, 1, 4, true]])
  })

  it('sees no more than the caller, and says how far it is', async () => {
    await made([1, 1])
    await tl().sessions.create({ userId: 'bob', tenant: 'acme' })
    const within = (principal: { tenant: string; userId?: string }) => ({ ...deps, within: principal })
    const count = async (d: Deps) => {
      let blocks = 0
      for await (const _ of exportSessions(d)) blocks++
      return blocks
    }
    expect(await count(deps)).toBe(3)
    expect(await count(within({ tenant: 'acme' }))).toBe(1)
    expect(await count(within({ tenant: 'acme', userId: 'ada' }))).toBe(0)
    const told: unknown[] = []
    await all({ onProgress: (progress) => told.push(progress) })
    expect(told.at(-1)).toEqual({ sessions: 3, events: 5, of: { sessions: 3, events: 5 } })
    expect(told).toHaveLength(3)
  })

  it('refuses what it cannot do', async () => {
    await expect(all({ sessionId: '00000000-0000-4000-8000-000000000009' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    for (const [options, field] of [
      [{ after: { sessionId: 'X', sequence: 1, done: true } }, 'after.sessionId'],
      [{ after: { sessionId: '00000000-0000-4000-8000-000000000009', sequence: -1, done: true } }, 'after.sequence'],
      [{ limit: 3 }, 'limit'],
      [{ onProgress: 3 }, 'onProgress'],
    ] as const) {
      await expect(all(options as never)).rejects.toMatchObject({ code: 'VALIDATION', field })
    }
  })

  it('says so where a log is damaged, and does not pass it over', async () => {
    const [id = ''] = await made([3])
    const { read } = deps.store
    deps = {
      ...deps,
      store: {
        ...deps.store,
        read: async (key, query) => (await read(key, query)).filter(({ sequence }) => sequence < 3),
      },
    }
    await expect(all()).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining(`session ${id} has no event 3`),
    })
  })
})
