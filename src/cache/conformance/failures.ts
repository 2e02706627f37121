import assert from 'node:assert/strict'
import type { Rule } from '../../stores/conformance/harness.ts'
import { type CacheServer, type CountedCache, entry, fill, leaseOf, waitFor, writeUntilSkipped } from './server.ts'

const IMPATIENT = { commandTimeoutMs: 50 }

/** The first result of `get` for which the cache asked its server again. */
async function firstReply(cache: CountedCache, sessionId: string) {
  return await waitFor(
    () => cache.get(sessionId),
    () => cache.counted.at(-1) === 'get hit' || cache.counted.at(-1) === 'get miss',
  )
}

/** C6, C7 and C9. */
export const failureRules: readonly Rule<CacheServer>[] = [
  {
    id: 'C6',
    title: 'misses without a lease while the server hangs, soon without asking it, and recovers by itself',
    async check(server) {
      const [patient, cache] = [await server.connect(), await server.connect(IMPATIENT)]
      await fill(patient, 's1', entry(1))
      server.pause()
      try {
        // each call returns although the server hangs
        assert.deepEqual(await cache.get('s1'), {})
        assert.equal(await cache.fill('s2', entry(1), 'some lease'), false)
        await cache.wrote('s3', entry(1))
        await cache.purged('s4')
        assert.deepEqual(cache.counted, ['get error', 'fill error', 'write error', 'purge error'])
        await writeUntilSkipped(cache)
        const before = cache.counted.length
        assert.deepEqual(await cache.get('s98'), {})
        assert.equal(await cache.fill('s98', entry(1), undefined), false)
        await cache.wrote('s98', entry(1))
        await cache.purged('s99')
        assert.deepEqual(cache.counted.slice(before), ['get skipped', 'fill skipped', 'write skipped', 'purge skipped'])
      } finally {
        server.resume()
      }
      await waitFor(
        () => cache.get('s100'),
        (answer) => 'lease' in answer,
      )
    },
  },
  {
    id: 'C6',
    title: 'ignores a late response',
    async check(server) {
      const [reader, writer] = [await server.connect(IMPATIENT), await server.connect()]
      const lease = leaseOf(await writer.get('s1'))
      server.pause()
      let late: Promise<boolean>
      try {
        late = reader.fill('s1', entry(1), lease)
        assert.equal(await late, false)
      } finally {
        server.resume()
      }
      // the late fill may still happen; the write after it wins
      await writer.wrote('s1', entry(2))
      const { value } = await writer.get('s1')
      assert(value === undefined || value === entry(2).value)
    },
  },
  {
    id: 'C6',
    title: 'misses on a broken value, counts an error and removes it',
    async check(server) {
      const cache = await server.connect()
      for (const broken of ['{"cut', '', '[]', 'null', '7']) {
        await server.flush()
        await fill(cache, 's1', entry(1))
        await server.garble('s1', broken)
        const before = cache.counted.length
        assert.deepEqual(await cache.get('s1'), {}, broken)
        assert.equal(cache.counted[before], 'get error')
        await waitFor(
          () => cache.get('s1'),
          (answer) => 'lease' in answer,
        )
      }
    },
  },
  {
    id: 'C7',
    title: 'removes the value of a failed write before it is read again, for other processes too',
    async check(server) {
      const [other, writer] = [await server.connect(), await server.connect(IMPATIENT)]
      await fill(other, 's1', entry(1))
      await fill(other, 's2', entry(1))
      await fill(other, 's3', entry(1))
      const lease = leaseOf(await other.get('s4'))
      server.pause()
      try {
        for (const id of ['s1', 's4']) await writer.wrote(id, entry(2))
        await writer.purged('s2')
      } finally {
        server.resume()
      }
      const { value } = await firstReply(writer, 's1')
      assert.notEqual(value, entry(1).value)
      assert.equal((await firstReply(writer, 's2')).value, undefined)
      await firstReply(writer, 's4')
      assert.equal(await other.fill('s4', entry(1), lease), false)
      assert.notEqual((await other.get('s1')).value, entry(1).value)
      assert.equal((await other.get('s3')).value, entry(1).value)
    },
  },
  {
    id: 'C7',
    title: 'removes the value of a skipped write',
    async check(server) {
      const [other, writer] = [await server.connect(), await server.connect(IMPATIENT)]
      await fill(other, 's1', entry(1))
      server.pause()
      try {
        await writeUntilSkipped(writer)
        await writer.wrote('s1', entry(2))
        assert.equal(writer.counted.at(-1), 'write skipped')
      } finally {
        server.resume()
      }
      assert.equal((await firstReply(writer, 's1')).value, undefined)
      assert.equal((await other.get('s1')).value, undefined)
    },
  },
  {
    id: 'C7',
    title: 'removes everything if too many writes failed',
    async check(server) {
      const [other, writer] = [await server.connect(), await server.connect({ ...IMPATIENT, rememberAtMost: 3 })]
      const ids = Array.from({ length: 12 }, (_, n) => `s${n}`)
      for (const id of [...ids, 'bystander']) await fill(other, id, entry(1))
      server.pause()
      try {
        for (const id of ids) await writer.wrote(id, entry(2))
      } finally {
        server.resume()
      }
      for (const id of ids) assert.notEqual((await firstReply(writer, id)).value, entry(1).value, id)
      assert.equal((await other.get('bystander')).value, undefined)
    },
  },
  {
    id: 'C9',
    title: 'reports its health while the server is skipped, while it hangs, and after close',
    async check(server) {
      const cache = await server.connect(IMPATIENT)
      const { name, ok, details } = await cache.health()
      assert.deepEqual({ ok, problem: details['problem'] }, { ok: true, problem: undefined })
      assert.notEqual(name, '')
      server.pause()
      try {
        const sick = await cache.health()
        assert.equal(sick.ok, false)
        assert.equal(typeof sick.details['problem'], 'string')
        await writeUntilSkipped(cache)
        assert.equal((await cache.health()).ok, false)
      } finally {
        server.resume()
      }
      await waitFor(
        () => cache.health(),
        (health) => health.ok,
      )
      await cache.close()
      assert.equal((await cache.health()).ok, false)
    },
  },
]
