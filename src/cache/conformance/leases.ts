import assert from 'node:assert/strict'
import type { Rule } from '../../stores/conformance/harness.ts'
import { type CacheServer, entry, fill, leaseOf } from './server.ts'

const MISS = {}

/** C1 to C3. */
export const leaseRules: readonly Rule<CacheServer>[] = [
  {
    id: 'C1',
    title: 'returns the filled value unchanged to every process',
    async check(server) {
      const [one, other] = [await server.connect(), await server.connect()]
      await fill(one, 's1', entry(1))
      assert.deepEqual(await other.get('s1'), { value: entry(1).value })
      assert.deepEqual(await one.get('s1'), { value: entry(1).value })
      assert.deepEqual(one.counted, ['get miss', 'fill filled', 'get hit'])
    },
  },
  {
    id: 'C1',
    title: 'gives one lease to concurrent misses',
    async check(server) {
      const caches = [await server.connect(), await server.connect()]
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => caches[i % 2]?.get('s1') ?? MISS))
      assert.equal(answers.filter((answer) => 'lease' in answer).length, 1)
      assert.equal(answers.filter((answer) => 'value' in answer).length, 0)
    },
  },
  {
    id: 'C1',
    title: 'separates sessions',
    async check(server) {
      const cache = await server.connect()
      await fill(cache, 's1', entry(1))
      const lease = leaseOf(await cache.get('s2'))
      assert.equal(await cache.fill('s3', entry(2), lease), false)
      assert.equal((await cache.get('s1')).value, entry(1).value)
    },
  },
  {
    id: 'C2',
    title: 'accepts one fill with the current lease',
    async check(server) {
      const cache = await server.connect()
      const lease = leaseOf(await cache.get('s1'))
      assert.equal(await cache.fill('s1', entry(1), 'made up'), false)
      assert.equal(await cache.fill('s1', entry(1), lease), true)
      await server.flush()
      assert.equal(await cache.fill('s1', entry(1), lease), false)
      leaseOf(await cache.get('s1'))
      assert.deepEqual(cache.counted, ['get miss', 'fill refused', 'fill filled', 'fill refused', 'get miss'])
    },
  },
  {
    id: 'C2',
    title: 'a fill without a lease creates no value, but replaces an older one',
    async check(server) {
      const cache = await server.connect()
      assert.equal(await cache.fill('s1', entry(2), undefined), false)
      await fill(cache, 's1', entry(2))
      await cache.fill('s1', entry(1), undefined)
      assert.equal((await cache.get('s1')).value, entry(2).value)
      await cache.fill('s1', entry(3), undefined)
      assert.equal((await cache.get('s1')).value, entry(3).value)
      assert.deepEqual(cache.counted.slice(0, 3), ['fill noted', 'get miss', 'fill filled'])
    },
  },
  {
    id: 'C2',
    title: 'rejects a fill that is older than a read without a lease',
    async check(server) {
      const [slow, quick] = [await server.connect(), await server.connect()]
      // both miss; slow reads 1, a writer commits 2 and has not reported it yet, quick reads 2
      const lease = leaseOf(await slow.get('s1'))
      assert.deepEqual(await quick.get('s1'), MISS)
      await quick.fill('s1', entry(2), undefined)
      assert.equal(await slow.fill('s1', entry(1), lease), false)
      assert.equal((await quick.get('s1')).value, undefined)
    },
  },
  {
    id: 'C2',
    title: 'accepts a fill by the lease holder if others read the same version',
    async check(server) {
      const [holder, other] = [await server.connect(), await server.connect()]
      const lease = leaseOf(await holder.get('s1'))
      await other.fill('s1', entry(2), undefined)
      await other.fill('s1', entry(1), undefined)
      assert.equal(await holder.fill('s1', entry(2), lease), true)
      assert.equal((await other.get('s1')).value, entry(2).value)
    },
  },
  {
    id: 'C2',
    title: 'rejects a fill that is older than a read under a lost lease',
    async check(server) {
      const [late, holder] = [await server.connect(), await server.connect()]
      const gone = leaseOf(await late.get('s1'))
      await server.flush()
      const lease = leaseOf(await holder.get('s1'))
      assert.equal(await late.fill('s1', entry(2), gone), false)
      assert.equal(await holder.fill('s1', entry(1), lease), false)
      leaseOf(await late.get('s1'))
    },
  },
  {
    id: 'C3',
    title: 'keeps the newest version for any order of two writers',
    async check(server) {
      const [one, other] = [await server.connect(), await server.connect()]
      await fill(one, 's1', entry(1))
      await one.wrote('s1', entry(3))
      await other.wrote('s1', entry(2))
      assert.equal((await other.get('s1')).value, entry(3).value)
      // a repair rewrites the same version
      const repaired = { version: 3, value: '{"repaired":true}' }
      await other.wrote('s1', repaired)
      assert.equal((await one.get('s1')).value, repaired.value)
    },
  },
  {
    id: 'C3',
    title: 'compares versions as numbers',
    async check(server) {
      const cache = await server.connect()
      await fill(cache, 's1', entry(9))
      await cache.wrote('s1', entry(10))
      await cache.wrote('s1', entry(2 ** 53 - 1))
      await cache.wrote('s1', entry(2 ** 53 - 2))
      assert.equal((await cache.get('s1')).value, entry(2 ** 53 - 1).value)
    },
  },
  {
    id: 'C3',
    title: 'a write creates no value',
    async check(server) {
      const cache = await server.connect()
      await cache.wrote('s1', entry(1))
      leaseOf(await cache.get('s1'))
      assert.deepEqual(cache.counted, ['write written', 'get miss'])
    },
  },
  {
    id: 'C3',
    title: 'rejects a fill that was read before a write, with or without a flush in between',
    async check(server) {
      for (const flush of [async () => {}, () => server.flush()]) {
        const [reader, writer] = [await server.connect(), await server.connect()]
        await server.flush()
        const lease = leaseOf(await reader.get('s1'))
        await writer.wrote('s1', entry(2))
        await flush()
        // another reader takes the free lease
        const next = leaseOf(await writer.get('s1'))
        assert.equal(await reader.fill('s1', entry(1), lease), false)
        assert.equal(await writer.fill('s1', entry(2), next), true)
        assert.equal((await reader.get('s1')).value, entry(2).value)
      }
    },
  },
]
