import { expect, it } from 'vitest'
import { breaker } from './breaker.ts'
import { pendingInvalidations } from './pending-invalidations.ts'
import { repairer } from './repair.ts'

/** Longer than any test: what waits for it does not happen. */
const NEVER = 1e6

function made(options: { pauseMs?: number; well?: (what: string) => boolean } = {}) {
  const { pauseMs = NEVER, well = () => true } = options
  const trust = breaker({ failures: 1, settleMs: 0 })
  const doubtful = pendingInvalidations(10)
  const done: string[] = []
  const answer = async (what: string) => {
    done.push(what)
    if (!well(what)) throw new Error('not well')
  }
  const mending = repairer({
    breaker: trust,
    pending: doubtful,
    probe: () => answer('probe'),
    remove: (sessionId) => answer(sessionId),
    removeAll: () => answer('all'),
    pauseMs,
    now: () => 0,
  })
  return { trust, doubtful, done, mending }
}

it('puts a lone failure right at once', async () => {
  const { doubtful, done, mending } = made()
  doubtful.add('s1', 'forget')
  mending.start()
  await expect.poll(() => doubtful.isEmpty).toBe(true)
  expect(done).toEqual(['s1'])
})

it('asks an open one for nothing before the pause is over, or the server gives a sign of life', async () => {
  const { trust, doubtful, done, mending } = made()
  trust.failed()
  doubtful.add('s1', 'forget')
  mending.start()
  await new Promise(setImmediate)
  expect(done).toEqual([])
  mending.retryNow()
  await expect.poll(() => trust.allowsWrites()).toBe(true)
  expect(done).toEqual(['probe', 's1'])
})

it('does not take a server for well that answers but does not remove', async () => {
  let well = false
  const { trust, doubtful, done, mending } = made({ pauseMs: 1, well: (what) => well || what === 'probe' })
  trust.failed()
  doubtful.add('s1', 'forget')
  mending.start()
  await expect.poll(() => done.length).toBeGreaterThan(2)
  expect(trust.allowsWrites()).toBe(false)
  well = true
  await expect.poll(() => trust.allowsWrites()).toBe(true)
  expect(doubtful.isEmpty).toBe(true)
  expect(done.slice(-2)).toEqual(['probe', 's1'])
})

it('makes one last attempt when it is stopped', async () => {
  const { trust, doubtful, done, mending } = made()
  trust.failed()
  doubtful.add('s1', 'forget')
  mending.start()
  await mending.stop()
  expect(done).toEqual(['probe', 's1'])
  doubtful.add('s2', 'forget')
  mending.start()
  await new Promise(setImmediate)
  expect(done).toEqual(['probe', 's1'])
})
