import { expect, it } from 'vitest'
import { breaker } from './breaker.ts'
import { pendingInvalidations } from './pending-invalidations.ts'
import { repairer } from './repair.ts'

/** Longer than any test. */
const NEVER = 1e6

function setUp(options: { pauseMs?: number; isHealthy?: (what: string) => boolean } = {}) {
  const { pauseMs = NEVER, isHealthy = () => true } = options
  const circuit = breaker({ failures: 1, settleMs: 0 })
  const pending = pendingInvalidations(10)
  const done: string[] = []
  const answer = async (what: string) => {
    done.push(what)
    if (!isHealthy(what)) throw new Error('unhealthy')
  }
  const repairs = repairer({
    breaker: circuit,
    pending,
    probe: () => answer('probe'),
    remove: (sessionId) => answer(sessionId),
    removeAll: () => answer('all'),
    pauseMs,
    now: () => 0,
  })
  return { circuit, pending, done, repairs }
}

it('repairs a single failure immediately', async () => {
  const { pending, done, repairs } = setUp()
  pending.add('s1', 'forget')
  repairs.start()
  await expect.poll(() => pending.isEmpty).toBe(true)
  expect(done).toEqual(['s1'])
})

it('does not contact the server while the breaker is open, until the pause ends or the server responds', async () => {
  const { circuit, pending, done, repairs } = setUp()
  circuit.failed()
  pending.add('s1', 'forget')
  repairs.start()
  await new Promise(setImmediate)
  expect(done).toEqual([])
  repairs.retryNow()
  await expect.poll(() => circuit.allowsWrites()).toBe(true)
  expect(done).toEqual(['probe', 's1'])
})

it('does not trust a server that responds but fails to remove', async () => {
  let isHealthy = false
  const { circuit, pending, done, repairs } = setUp({ pauseMs: 1, isHealthy: (what) => isHealthy || what === 'probe' })
  circuit.failed()
  pending.add('s1', 'forget')
  repairs.start()
  await expect.poll(() => done.length).toBeGreaterThan(2)
  expect(circuit.allowsWrites()).toBe(false)
  isHealthy = true
  await expect.poll(() => circuit.allowsWrites()).toBe(true)
  expect(pending.isEmpty).toBe(true)
  expect(done.slice(-2)).toEqual(['probe', 's1'])
})

it('makes one last attempt when it is stopped', async () => {
  const { circuit, pending, done, repairs } = setUp()
  circuit.failed()
  pending.add('s1', 'forget')
  repairs.start()
  await repairs.stop()
  expect(done).toEqual(['probe', 's1'])
  pending.add('s2', 'forget')
  repairs.start()
  await new Promise(setImmediate)
  expect(done).toEqual(['probe', 's1'])
})
