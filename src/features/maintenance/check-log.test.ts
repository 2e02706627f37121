import { beforeEach, expect, it } from 'vitest'
import type { Difference, Session, Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { exportBlocks } from '../../stores/conformance/api-transfer.ts'
import { upTo } from '../../stores/conformance/samples.ts'
import { type MemoryData, memoryData, memoryStore } from '../../stores/memory/index.ts'

let data: MemoryData
let store: Store
let tl: Throughline
let session: Session

beforeEach(async () => {
  data = memoryData()
  store = memoryStore(uuid7, data)
  tl = openOn(store)
  session = await tl.sessions.create({ userId: 'ada' })
  await session.append(upTo(30).map((n) => ({ type: 'user_message', content: `message ${n}` }) as const))
})

/** The stored events, each with its checksum, to change them as the owner of a database could. */
function stored(id = session.id) {
  const { events, checksums } = data.sessions.get(id) ?? { events: [], checksums: [] }
  return {
    events: events as { -readonly [K in keyof StoredEvent]: StoredEvent[K] }[],
    /** Swaps all that two events say, checksums too. */
    swap(a: number, b: number) {
      const [first, second] = [events[a - 1], events[b - 1]] as [StoredEvent, StoredEvent]
      events[a - 1] = { ...second, sequence: a, id: first.id }
      events[b - 1] = { ...first, sequence: b, id: second.id }
      const [one, other] = [checksums[a - 1], checksums[b - 1]] as [string, string]
      checksums[a - 1] = other
      checksums[b - 1] = one
    },
    remove(first: number, count: number) {
      events.splice(first - 1, count)
      checksums.splice(first - 1, count)
    },
  }
}

const found = async (id?: string) =>
  (await tl.verify(id)).differences.map(({ field, sequence }) => [field, ...(sequence === undefined ? [] : [sequence])])

const gap = (expected: number, actual?: number): Difference => ({
  sessionId: session.id,
  field: 'log',
  expected,
  ...(actual !== undefined && { actual }),
})

it('tells what a changed event was stored with, and what it gives now', async () => {
  const [second] = stored().events.slice(1)
  if (second === undefined) throw new Error('no event')
  second.content = 'other'
  const { differences } = await tl.verify()
  const digits = expect.stringMatching(/^[0-9a-f]{56}$/)
  expect(differences).toEqual([
    { sessionId: session.id, field: 'log.checksum', sequence: 2, expected: digits, actual: digits },
  ])
  expect(differences[0]?.expected).not.toEqual(differences[0]?.actual)
})

it('names missing events, the last ones too, and rebuild leaves such a session as it is', async () => {
  await session.updateState({ topic: 'tea' })
  stored().remove(10, 3)
  expect((await tl.verify()).differences).toContainEqual(gap(10, 13))
  stored().remove(stored().events.length, 1)
  expect((await tl.verify()).differences).toContainEqual(gap(32))
  const views = await store.load({ sessionId: session.id })
  expect((await tl.rebuild()).repaired).toEqual([])
  expect(await store.load({ sessionId: session.id })).toEqual(views)
})

it('rebuild does not take views over from a changed event', async () => {
  await session.updateState({ topic: 'tea' })
  const last = stored().events.at(-1)
  if (last === undefined) throw new Error('no event')
  last.parts = JSON.stringify({ op: 'merge', patch: { topic: 'coffee' } })
  expect(await found()).toEqual([['log.checksum', 32], ['state.scratchpad.topic']])
  expect((await tl.rebuild()).repaired).toEqual([])
  expect((await session.state()).scratchpad).toEqual({ topic: 'tea' })
})

it('goes on behind events that no longer make sense', async () => {
  await session.updateState({ topic: 'tea' })
  const { events } = stored()
  for (const [sequence, parts] of [
    [32, 'no json'],
    [32, 'null'],
    [1, '{}'],
  ] as const) {
    const event = events[sequence - 1]
    if (event !== undefined) event.parts = parts
  }
  const other = await tl.sessions.create({ userId: 'ada' })
  expect(await found()).toEqual([
    ['log.checksum', 1],
    ['log.checksum', 32],
  ])
  expect(await found(other.id)).toEqual([])
})

it('finds another order and other times in the range of a commit, and of each copy of it', async () => {
  await session.end()
  await session.compact()
  const commit = (await session.record()).head
  const copy = await session.fork()
  expect(await found()).toEqual([])
  stored().swap(5, 6)
  expect(await found()).toEqual([['log.hash', commit]])
  stored().swap(5, 6)
  expect(await found()).toEqual([])
  const third = stored(copy.id).events[2]
  if (third !== undefined) third.createdAt = '2026-01-01T00:00:00.000Z'
  expect(await found(copy.id)).toEqual([['log.hash', commit]])
  expect(await found(session.id)).toEqual([])
})

it('finds another order in the ranges of summaries, and names only the range that has it', async () => {
  await session.append({ type: 'model_message', content: 'noted' })
  const summary = async () => {
    await session.reduce({ maxTokens: 10, strategy: 'summarize' })
    return (await session.record()).head
  }
  const first = await summary()
  await session.append(upTo(30).map((n) => ({ type: 'user_message', content: `more ${n}` }) as const))
  const second = await summary()
  expect(await found()).toEqual([])
  stored().swap(first + 2, first + 3)
  expect(await found()).toEqual([['log.hash', second]])
  stored().swap(4, 5)
  expect(await found()).toEqual([
    ['log.hash', first],
    ['log.hash', second],
  ])
})

it('does not name a commit too for an event that is named', async () => {
  await session.end()
  await session.compact()
  const third = stored().events[2]
  if (third !== undefined) third.content = 'other'
  expect(await found()).toEqual([['log.checksum', 3]])
  stored().remove(3, 1)
  expect((await found()).map(([field]) => field)).toEqual(['log', 'record.turns'])
})

it('reads a log of forged summaries three times at most', async () => {
  const [block] = await exportBlocks(tl)
  if (block === undefined) throw new Error('no block')
  const forged = upTo(300).map((n) => ({
    sequence: 31 + n,
    id: uuid7(),
    type: 'context_summarized' as const,
    role: 'system' as const,
    content: 'summary',
    parts: { range: { from: 1, to: 29 + n }, hash: 'made up' },
    createdAt: '2026-03-01T12:00:00.000Z',
  }))
  await tl.import([{ ...block, events: [...block.events, ...forged] }])
  let read = 0
  const counting = openOn({
    ...store,
    async read(...given: Parameters<Store['read']>) {
      const page = await store.read(...given)
      read += page.length
      return page
    },
  })
  expect((await counting.verify()).differences.length).toBeGreaterThan(0)
  expect(read).toBeLessThanOrEqual(3 * 331)
})
