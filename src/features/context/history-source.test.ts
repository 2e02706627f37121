import { beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import type { ReadQuery } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { appendRequest, createSession, someEvent } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import type { Deps } from '../kernel/deps.ts'
import { LogCache } from '../kernel/log-cache.ts'
import { logHistory } from './history-source.ts'

let store: Store
let sessionId: string
/** Reads of the log. */
let reads: ReadQuery[]
let deps: Deps

beforeEach(async () => {
  store = memoryStore(uuid7)
  sessionId = await createSession(store, {})
  reads = []
  const read: Store['read'] = (key, query) => {
    reads.push(query)
    return store.read(key, query)
  }
  deps = { store: { ...store, read }, logCache: new LogCache(1_000_000) } as Partial<Deps> as Deps
})

async function append(count: number, type = 'user_message'): Promise<void> {
  await store.append(appendRequest(sessionId, { events: Array.from({ length: count }, () => someEvent('text', type)) }))
}

/** Reads the newest messages as one context does. */
async function newest(count: number, floor = 0): Promise<number[]> {
  const view = (await store.load({ sessionId })) ?? expect.fail('no session')
  const history = logHistory(deps, view, floor)
  const sequences: number[] = []
  for await (const { sequence } of history.events()) {
    sequences.push(sequence)
    if (sequences.length === count) break
  }
  history.remember()
  return sequences
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)

describe('the history of a log', () => {
  it('is read from its end, page by page, only as far as needed', async () => {
    await append(900)
    expect(await newest(250)).toEqual(down(901, 652))
    expect(reads.map(({ before, limit }) => [before, limit])).toEqual([
      [902, 200],
      [702, 200],
    ])
  })

  it('is read again only from where it has grown, or where more is needed', async () => {
    await append(900)
    await newest(250)
    reads.length = 0
    expect(await newest(250)).toEqual(down(901, 652))
    expect(reads).toEqual([])
    await append(3)
    expect(await newest(250)).toEqual(down(904, 655))
    expect(reads.map(({ after, before }) => [after, before])).toEqual([[901, 905]])
    reads.length = 0
    expect(await newest(500)).toEqual(down(904, 405))
    expect(reads.map(({ before }) => before)).toEqual([502])
  })

  it('is read anew if it has grown far', async () => {
    await append(300)
    await newest(100)
    await append(900)
    expect(await newest(100)).toEqual(down(1201, 1102))
  })

  it('ends behind the floor, whatever was read before', async () => {
    await append(300)
    expect(await newest(1000)).toEqual(down(301, 2))
    expect(await newest(1000, 200)).toEqual(down(301, 201))
    expect(await newest(1000)).toEqual(down(301, 2))
  })

  it('steps over any number of other events', async () => {
    await append(5)
    for (let i = 0; i < 20; i++) await append(1000, 'x.progress')
    await append(2)
    expect(await newest(1000)).toEqual([20_008, 20_007, ...down(6, 2)])
  })

  it('says that it ends early if it is too long', async () => {
    for (let i = 0; i < 25; i++) await append(1000)
    const view = (await store.load({ sessionId })) ?? expect.fail('no session')
    const history = logHistory(deps, view, 0)
    let count = 0
    for await (const _ of history.events()) count++
    expect([count, history.isCut()]).toEqual([20_000, true])
  })
})
