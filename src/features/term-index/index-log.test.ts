import { describe, expect, it } from 'vitest'
import { lookupTerms } from '../../domain/recall/lookup-plan.ts'
import { parseQuery } from '../../domain/recall/query.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { AddRequest } from '../../ports/recall-index.ts'
import type { Store } from '../../ports/store.ts'
import { fixedClock } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { sharedThread } from '../../worker/thread.ts'

const ID = '0198c000-0000-7000-8000-000000000001'
const USER = { tenant: 'local', userId: 'ann' }
const QUESTION = 'Which train did Ann take to Vienna in number 77?'

const sentences = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `Ann took train ${from + i} to Vienna, and rode it for ${i} hours.`).join(' ')

/** Short messages, long ones, empty ones, and one with more terms than a write may have. */
const MESSAGES = [
  ...Array.from({ length: 60 }, (_, i) => sentences(i, 1)),
  ...Array.from({ length: 20 }, (_, i) => sentences(100 * i, 60)),
  ' ',
  Array.from({ length: 12_000 }, (_, i) => i.toString(36)).join(' '),
  'The last violin',
]

/** Writes the messages and recalls; the store notes what is added to its index. */
async function indexed({ index }: { index: boolean }) {
  const store = memoryStore(uuid7)
  const added: AddRequest[] = []
  const noting: Store = {
    ...store,
    index: {
      ...store.index,
      add(request) {
        added.push(request)
        return store.index.add(request)
      },
    },
  }
  const tl = openOn(noting, { index, clock: fixedClock() })
  const session = await tl.sessions.create({ id: ID, userId: 'ann' })
  await session.append(MESSAGES.map((content) => ({ type: 'user_message', content })))
  const { items } = await tl.recall({ userId: 'ann', query: QUESTION, limit: 50 })
  const wasThreaded = sharedThread.isRunning
  const partition = { ...USER, corpus: 'messages' } as const
  const postings = await store.index.postings(partition, lookupTerms(parseQuery(QUESTION, [])), 1e6)
  await tl.close()
  return { added, postings, wasThreaded, items: items.map(({ sequence, score }) => [sequence, score]) }
}

describe('the index', () => {
  it('is the same with the worker thread and without', async () => {
    const [threaded, inPieces] = [await indexed({ index: true }), await indexed({ index: false })]
    expect([threaded.wasThreaded, inPieces.wasThreaded]).toEqual([true, false])
    expect(threaded.items).toHaveLength(50)
    expect(threaded.items).toEqual(inPieces.items)
    expect(threaded.postings.length).toBeGreaterThan(0)
    expect(threaded.postings).toEqual(inPieces.postings)
  })

  it('is written in pieces that follow each other', async () => {
    const { added } = await indexed({ index: false })
    expect(added.length).toBeGreaterThan(2)
    expect(added.map(({ from }) => from)).toEqual([0, ...added.slice(0, -1).map(({ to }) => to)])
    expect(added.at(-1)?.to).toBe(MESSAGES.length + 1)
    const turns = added.flatMap(({ messages }) => messages.map(({ turn }) => turn))
    expect(turns).toEqual(turns.map((_, i) => i + 1))
    for (const { messages } of added) {
      const terms = messages.reduce((sum, { words }) => sum + words.places.size, 0)
      expect(messages.length === 1 || terms <= 2000).toBe(true)
      expect(terms).toBeLessThanOrEqual(8192)
    }
  })
})
