import { afterEach, expect, it, vi } from 'vitest'
import type { SessionEvent } from '../api/types.ts'
import { EventFeed } from './event-feed.ts'
import type { SessionData } from './session-data.ts'

const events = (...sequences: number[]) =>
  sequences.map((sequence) => ({ sequence, type: 'x.tick', content: '' }) as Partial<SessionEvent> as SessionEvent)
const sequences = (feed: EventFeed) => feed.events.value.map(({ sequence }) => sequence)

/** A session whose log is 1 to 5; events arrive by `arrive`. */
function feedOf(most?: number) {
  let arrive: (events: readonly SessionEvent[]) => void = () => undefined
  const data = {
    id: 's',
    onEvents(listener: typeof arrive) {
      arrive = listener
      return () => undefined
    },
  } as unknown as SessionData
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URLSearchParams(path.split('?')[1])
    const before = Number(query.get('before') ?? 6)
    const items = events(5, 4, 3, 2, 1).filter(({ sequence }) => sequence < before)
    return Response.json({ items: items.slice(0, Number(query.get('limit'))) })
  })
  const feed = new EventFeed(data, { pageSize: 2, toItem: (event) => event, ...(most !== undefined && { most }) })
  feed.follow()
  return { feed, arrive: (...given: number[]) => arrive(events(...given)) }
}

afterEach(() => vi.unstubAllGlobals())

it('reads back page by page, until it is enough or the log begins', async () => {
  const { feed } = feedOf()
  await feed.list.more()
  expect([sequences(feed), feed.from.value, feed.hasMore.value]).toEqual([[4, 5], 4, true])
  await feed.list.more(() => false)
  expect([sequences(feed), feed.from.value, feed.hasMore.value]).toEqual([[1, 2, 3, 4, 5], 1, false])
})

it('keeps an event once that arrives during a read, and shows none before', async () => {
  const { feed, arrive } = feedOf()
  arrive(5, 6)
  expect(sequences(feed)).toEqual([])
  await feed.list.more()
  expect(sequences(feed)).toEqual([4, 5, 6])
})

it('drops the oldest if there are too many', async () => {
  const { feed, arrive } = feedOf(3)
  await feed.list.more()
  arrive(6)
  expect(sequences(feed)).toEqual([4, 5, 6])
  arrive(7, 8)
  expect([sequences(feed), feed.hasMore.value]).toEqual([[6, 7, 8], true])
})

it('keeps what it has while it reads again', async () => {
  const { feed } = feedOf()
  await feed.list.more(() => false)
  const reload = feed.list.reload()
  expect([sequences(feed).length, feed.list.isLoading.value]).toEqual([5, true])
  await reload
  expect([sequences(feed), feed.list.isLoading.value]).toEqual([[4, 5], false])
})
