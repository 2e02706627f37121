import { beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { noMetrics } from '../../metrics/none.ts'
import type { ChangeRequest } from '../../ports/memory-store.ts'
import type { Store } from '../../ports/store.ts'
import {
  appendRequest,
  createSession,
  NOON,
  putRequest,
  someEvent,
  someMemory,
} from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { limitedStore } from './limited-store.ts'
import { Quotas } from './quotas.ts'

const LIMIT = 100_000
const ACME = { tenant: 'acme' }
const long = (content = 'x'.repeat(LIMIT)) => ({ events: [someEvent(content)] })

let store: Store
let sessionId: string
/** Milliseconds of the clock. */
let time: number
/** How long a measurement takes. */
let takes: number
let measurements: number
let refused: string[]
let limited: Store

beforeEach(async () => {
  store = memoryStore(uuid7)
  sessionId = await createSession(store, { tenant: 'acme' })
  time = 1000
  takes = 0
  measurements = 0
  refused = []
  const storage: Store['storage'] = async (query) => {
    measurements++
    time += takes
    return await store.storage(query)
  }
  const metrics = { ...noMetrics, overQuota: (quota: string) => refused.push(quota) }
  limited = limitedStore(store, ACME, new Quotas({ storage }, { tenantBytes: LIMIT }, metrics, () => time))
})

const append = async (given = {}) => await limited.append(appendRequest(sessionId, given))
const outcome = async (given = {}) =>
  await append(given).then(
    () => 'written',
    (error: { code?: string }) => error.code,
  )

describe('what a tenant stores', () => {
  it('is measured at most every 30 seconds', async () => {
    for (let n = 0; n < 5; n++) await append()
    expect(measurements).toBe(1)
    time += 29_999
    await append()
    expect(measurements).toBe(1)
    time += 1
    await append()
    expect(measurements).toBe(2)
  })

  it('is measured more rarely if that takes long', async () => {
    takes = 10_000
    await append()
    await append()
    time += 499_999
    await append()
    expect(measurements).toBe(1)
    time += 1
    await append()
    expect(measurements).toBe(2)
  })

  it('counts what other processes wrote from the next measurement on', async () => {
    await append()
    await store.append(appendRequest(sessionId, long()))
    expect(await outcome()).toBe('written')
    time += 30_000
    // the first does not wait for the measurement
    expect([await outcome(), await outcome()]).toEqual(['written', 'QUOTA_EXCEEDED'])
    expect(refused).toEqual(['tenant'])
  })

  it('counts own writes at once, and is not measured for each write that is refused', async () => {
    expect([await outcome(long()), await outcome()]).toEqual(['written', 'QUOTA_EXCEEDED'])
    await expect(append()).rejects.toThrow(
      /its quota is 100000; purge sessions or forget memories, or ask the operator/,
    )
    const before = measurements
    for (let n = 0; n < 5; n++) expect(await outcome()).toBe('QUOTA_EXCEEDED')
    expect(measurements).toBe(before)
  })

  it('counts a replay once', async () => {
    const request = { ...long('x'.repeat(LIMIT / 2)), idempotency: { key: 'k', fingerprint: 'f' } }
    for (let n = 0; n < 4; n++) expect(await outcome(request)).toBe('written')
    expect(await outcome()).toBe('written')
  })

  it('counts all events of a fork', async () => {
    await append(long('x'.repeat(LIMIT / 2)))
    const view = (await store.load({ sessionId })) ?? expect.fail('no view')
    const id = uuid7()
    const copy = { ...view, record: { ...view.record, id, conversationId: 'copy', head: 3 } }
    const source = { sessionId, sequence: 2 }
    await limited.fork({ source, event: someEvent('fork', 'session_forked'), at: NOON, view: copy })
    expect(await outcome()).toBe('QUOTA_EXCEEDED')
  })

  it('is not needed for a write while it is measured, and is waited for by none that fits', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = limitedStore(
      store,
      ACME,
      new Quotas(
        {
          storage: async (query) => {
            await promise
            return await store.storage(query)
          },
        },
        { tenantBytes: LIMIT },
        noMetrics,
      ),
    )
    await slow.append(appendRequest(sessionId, long()))
    const waiting = slow.append(appendRequest(sessionId))
    resolve()
    await expect(waiting).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', details: { limit: LIMIT } })
  })
})

describe('what is written during a measurement', () => {
  /** The first measurement ends when told, with what was stored when it began. */
  function slowFirst() {
    const { promise, resolve } = Promise.withResolvers<void>()
    let count = 0
    const storage: Store['storage'] = async (query) => {
      const sums = await store.storage(query)
      count++
      if (count === 1) await promise
      return sums
    }
    const quotas = new Quotas({ storage }, { tenantBytes: LIMIT }, noMetrics, () => time)
    const slow = limitedStore(store, ACME, quotas)
    return { slow, resolve, count: () => count }
  }

  it('is measured again before it refuses, and is counted once', async () => {
    const { slow, resolve, count } = slowFirst()
    const half = () => slow.append(appendRequest(sessionId, long('x'.repeat(LIMIT / 2))))
    await half()
    resolve()
    // twice half the quota, if it counted twice
    await slow.append(appendRequest(sessionId))
    await half()
    await expect(half()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    expect(count()).toBe(2)
  })

  it('refuses the next write once it is measured', async () => {
    const { slow, resolve } = slowFirst()
    await slow.append(appendRequest(sessionId, long()))
    resolve()
    await expect(slow.append(appendRequest(sessionId))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  })
})

describe('a purge', () => {
  it('is measured by the next write that would be refused', async () => {
    const other = await createSession(store, { tenant: 'acme' })
    await limited.append(appendRequest(other, long()))
    expect(await outcome()).toBe('QUOTA_EXCEEDED')
    const before = measurements
    await limited.purge({ sessionId: other }, NOON)
    expect(await outcome()).toBe('written')
    expect(measurements).toBe(before + 1)
  })

  it('is measured too if it removes memories, or sessions with them', async () => {
    const owner = { tenant: 'acme', userId: 'ada' }
    const other = await createSession(store, owner)
    const change = (given: Partial<ChangeRequest>) => limited.memories.change(putRequest([], { ...owner, ...given }))
    const memory = someMemory({ ...owner, content: 'x'.repeat(LIMIT) })
    const removals: (() => Promise<unknown>)[] = [
      () => change({ purge: [other] }),
      () => change({ ids: [memory.id], decide: () => ({ puts: [], removals: [memory.id] }) }),
      () => limited.memories.purge(owner),
    ]
    for (const [n, remove] of removals.entries()) {
      if (n === 0) await limited.append(appendRequest(other, long()))
      else await change({ decide: () => ({ puts: [{ memory }] }) })
      expect(await outcome()).toBe('QUOTA_EXCEEDED')
      expect(
        await change({ decide: () => ({ puts: [{ memory: someMemory(owner) }] }) }).catch(({ code }) => code),
      ).toBe('QUOTA_EXCEEDED')
      await remove()
      expect(await outcome(), `${n}`).toBe('written')
    }
  })

  it('waits for its measurement if that takes long', async () => {
    takes = 1000
    const other = await createSession(store, { tenant: 'acme' })
    await limited.append(appendRequest(other, long()))
    await limited.purge({ sessionId: other }, NOON)
    expect(await outcome()).toBe('QUOTA_EXCEEDED')
    time += 50_000
    expect(await outcome()).toBe('written')
  })
})

it('a store that cannot measure refuses nothing', async () => {
  const storage = () => Promise.reject(new Error('down'))
  const blind = limitedStore(store, ACME, new Quotas({ storage }, { tenantBytes: LIMIT }, noMetrics, () => time))
  await store.append(appendRequest(sessionId, long()))
  for (let n = 0; n < 3; n++) await blind.append(appendRequest(sessionId))
})
