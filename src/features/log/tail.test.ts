import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../domain/event.ts'
import { DEFAULT_POLICY } from '../../domain/policy.ts'
import { toolTable } from '../../domain/tools/tool-table.ts'
import { uuid7 } from '../../ids.ts'
import { noMetrics } from '../../metrics/none.ts'
import type { Store } from '../../ports/store.ts'
import { appendRequest, createSession } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { TextCompute } from '../../worker/compute.ts'
import { Background } from '../kernel/background.ts'
import type { Deps } from '../kernel/deps.ts'
import { KeyedMutex } from '../kernel/keyed-mutex.ts'
import { LogCache } from '../kernel/log-cache.ts'
import { Staging } from '../work/staging.ts'
import { tailEvents } from './tail.ts'

/** What following needs, and the means to close it. */
function depsOn(store: Store) {
  const closing = new AbortController()
  const deps: Deps = {
    store,
    clock: { now: () => 0 },
    newId: uuid7,
    idSecret: async () => 'secret',
    tokenizer: () => Promise.reject(new Error('nothing is counted here')),
    tokenCounts: new Map(),
    logCache: new LogCache(0),
    agents: ['coach'],
    staging: new Staging(),
    conversationMutex: new KeyedMutex(),
    policy: DEFAULT_POLICY,
    tools: async () => toolTable(),
    classify: () => Promise.reject(new Error('nothing is judged here')),
    summarize: () => Promise.reject(new Error('nothing is summed up here')),
    extract: async () => ({ facts: [], by: 'rules' }),
    compute: new TextCompute({ threaded: false }),
    background: new Background(),
    keepsEnvelopes: true,
    metrics: noMetrics,
    legacy: () => Promise.reject(new Error('nothing is taken over here')),
    closed: closing.signal,
  }
  return { deps, closing }
}

async function sequences(events: AsyncIterable<SessionEvent>, until: number): Promise<number[]> {
  const seen: number[] = []
  for await (const { sequence } of events) {
    seen.push(sequence)
    if (sequence === until) break
  }
  return seen
}

describe('following', () => {
  it('does not sleep through a write that comes while it finds nothing new', async () => {
    const store = memoryStore(uuid7)
    const id = await createSession(store)
    let left = 3
    const { deps } = depsOn({
      ...store,
      async read(key, query) {
        const page = await store.read(key, query)
        if (page.length === 0 && left-- > 0) await store.append(appendRequest(id))
        return page
      },
    })
    expect(await sequences(tailEvents(deps, id), 4)).toEqual([1, 2, 3, 4])
  }, 5000)

  it('gives nothing more once its signal is aborted, in the middle of a page too', async () => {
    const store = memoryStore(uuid7)
    const id = await createSession(store)
    for (let i = 0; i < 5; i++) await store.append(appendRequest(id))
    const stop = new AbortController()
    const seen: number[] = []
    for await (const { sequence } of tailEvents(depsOn(store).deps, id, { signal: stop.signal })) {
      seen.push(sequence)
      if (sequence === 3) stop.abort()
    }
    expect(seen).toEqual([1, 2, 3])
  })

  it('ends with the store although it has a signal of its own, and does not begin after', async () => {
    const store = memoryStore(uuid7)
    const id = await createSession(store)
    const { deps, closing } = depsOn(store)
    const { signal } = new AbortController()
    const following = sequences(tailEvents(deps, id, { signal }), 99)
    await new Promise((resolve) => setImmediate(resolve))
    closing.abort()
    expect(await following).toEqual([1])
    await store.close()
    expect(await sequences(tailEvents(deps, id), 99)).toEqual([])
  }, 5000)

  it('leaves no watch and no listener behind', async () => {
    const store = memoryStore(uuid7)
    const id = await createSession(store)
    let watches = 0
    const { deps, closing } = depsOn({
      ...store,
      watch(sessionId, wake) {
        watches++
        const stop = store.watch(sessionId, wake)
        return () => {
          watches--
          stop()
        }
      },
    })
    for (let i = 0; i < 3; i++) await sequences(tailEvents(deps, id), 1)
    expect(watches).toBe(0)
    expect(getEventListeners(closing.signal, 'abort')).toEqual([])
  })
})
