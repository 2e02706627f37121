import assert from 'node:assert/strict'
import type { Rule } from '../../stores/conformance/harness.ts'
import { type CacheServer, entry, fill, leaseOf, waitFor } from './server.ts'

const ids = (count: number) => Array.from({ length: count }, (_, i) => `s${i + 1}`)

/** C4, C5 and C8. */
export const lossRules: readonly Rule<CacheServer>[] = [
  {
    id: 'C4',
    title: 'removes a purged session, and no late fill or write restores it',
    async check(server) {
      const [one, other] = [await server.connect(), await server.connect()]
      await fill(one, 's1', entry(1))
      const lease = leaseOf(await other.get('s2'))
      for (const id of ['s1', 's2']) await one.purged(id)
      assert.equal(await other.fill('s2', entry(1), lease), false)
      for (const id of ['s1', 's2']) {
        await other.wrote(id, entry(2))
        await other.fill(id, entry(2), undefined)
        assert.deepEqual(await one.get(id), {}, 'neither value nor lease')
      }
      assert.deepEqual(one.counted.slice(2, 4), ['purge purged', 'purge purged'])
    },
  },
  {
    id: 'C4',
    title: 'can be filled again after the tombstone expires',
    async check(server) {
      const cache = await server.connect({ tombstoneMs: 100 })
      await cache.purged('s1')
      const cached = await waitFor(
        () => cache.get('s1'),
        (answer) => 'lease' in answer,
      )
      assert.equal(await cache.fill('s1', entry(1), leaseOf(cached)), true)
    },
  },
  {
    id: 'C5',
    title: 'expires a value after its time to live',
    async check(server) {
      const cache = await server.connect({ ttlSeconds: 1 })
      await fill(cache, 's1', entry(1))
      await fill(cache, 's2', entry(1))
      await cache.wrote('s2', entry(2))
      for (const id of ['s1', 's2']) {
        await waitFor(
          () => cache.get(id),
          ({ value }) => value === undefined,
        )
      }
    },
  },
  {
    id: 'C5',
    title: 'expires a lease and gives another',
    async check(server) {
      const cache = await server.connect({ leaseMs: 50 })
      const first = leaseOf(await cache.get('s1'))
      const patient = await server.connect()
      const second = await waitFor(
        () => patient.get('s1'),
        (answer) => 'lease' in answer,
      )
      assert.equal(await cache.fill('s1', entry(1), first), false)
      assert.equal(await patient.fill('s1', entry(1), leaseOf(second)), true)
    },
  },
  {
    id: 'C5',
    title: 'has no value and no lease after a flush',
    async check(server) {
      const cache = await server.connect()
      await fill(cache, 's1', entry(1))
      const lease = leaseOf(await cache.get('s2'))
      await server.flush()
      assert.equal(await cache.fill('s2', entry(1), lease), false)
      for (const id of ['s1', 's2']) leaseOf(await cache.get(id))
    },
  },
  {
    id: 'C8',
    title: 'scans every value once, and clears values and leases',
    async check(server) {
      const cache = await server.connect()
      const all = ids(1200)
      await Promise.all(all.map((id) => fill(cache, id, entry(1))))
      const lease = leaseOf(await cache.get('leased'))
      const found: string[] = []
      for await (const { sessionId, value } of cache.scan()) {
        assert.equal(value, entry(1).value)
        found.push(sessionId)
      }
      assert.deepEqual(found.toSorted(), all.toSorted())
      assert.equal(await cache.clear(), all.length)
      assert.equal(await cache.fill('leased', entry(1), lease), false)
      for (const id of all.slice(0, 9)) leaseOf(await cache.get(id))
      assert.equal(await cache.clear(), 0)
      for await (const { sessionId } of cache.scan()) assert.fail(`${sessionId} is still there`)
    },
  },
]
