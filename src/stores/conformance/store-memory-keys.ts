import assert from 'node:assert/strict'
import { uuid7 } from '../../ids.ts'
import type { MemoryPut } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { ADA, brokenDescription, expectError, NOON, noonPlus, putRequest, someMemory, upTo } from './samples.ts'

const BOB: UserKey = { tenant: 'local', userId: 'bob' }
const OTHER_ADA: UserKey = { tenant: 'other', userId: 'ada' }
const STAMP: IdempotencyStamp = { key: 'k1', fingerprint: 'f1' }

const never = () => assert.fail('the decider was called')

/** A change with a key and these puts. */
function keyedRequest(
  puts: readonly MemoryPut[],
  { response = '[1]', idempotency = STAMP, user = ADA, at = NOON } = {},
) {
  return putRequest(puts, { ...user, at, idempotency, decide: () => ({ puts, response }) })
}

/** M12 and M13. */
export const memoryKeyRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'M12',
    title: 'replays the response of a repeated key before any other check',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const memory = someMemory()
      const response = '{ "z": 1.50, "a": "ünï" }'
      const idempotency = { key: '☕'.repeat(512), fingerprint: 'f'.repeat(300) }
      const first = await store.memories.change(keyedRequest([{ memory }], { response, idempotency }))
      assert.deepEqual(first, { outcome: 'written', memories: [memory] })
      for (const rest of [{}, { sessions: [uuid7()] }, { purge: [uuid7()] }, { ids: [memory.id] }]) {
        const again = await other.memories.change(putRequest([], { idempotency, decide: never, ...rest }))
        assert.deepEqual(again, { outcome: 'replayed', memories: [], response })
      }
      const error = await expectError(
        'IDEMPOTENCY_MISMATCH',
        other.memories.change(putRequest([], { idempotency: { ...idempotency, fingerprint: 'f2' }, decide: never })),
      )
      assert.deepEqual((error as { details?: object }).details, { userId: 'ada', key: idempotency.key })
      // nothing is stored without a response
      const open = putRequest([{ memory }], { idempotency: { key: 'open', fingerprint: 'f' } })
      for (const _ of upTo(2)) assert.equal((await store.memories.change(open)).outcome, 'written')
      assert.equal(await store.memories.findResponse({ key: 'open', fingerprint: 'f' }, ADA), undefined)
      // nor without a key
      await store.memories.change(putRequest([], { decide: () => ({ puts: [], response }) }))
      assert.deepEqual(await store.memories.purge(ADA), { memories: 1, keys: 1 })
    },
  },
  {
    id: 'M12',
    title: 'separates the keys of users, and returns a response only within its owner',
    async check(db) {
      const store = await db.connect()
      await store.memories.change(keyedRequest([], { response: '"of ada"' }))
      for (const user of [BOB, OTHER_ADA]) {
        const { tenant, userId } = user
        const idempotency = { ...STAMP, fingerprint: `${tenant} ${userId}` }
        const change = keyedRequest([{ memory: someMemory({ ...user }) }], {
          user,
          idempotency,
          response: '"of others"',
        })
        assert.equal((await store.memories.change(change)).outcome, 'written')
        assert.equal((await store.memories.change(change)).response, '"of others"')
        assert.equal(await store.memories.findResponse(idempotency, ADA), undefined)
        assert.equal(await store.memories.findResponse(idempotency, undefined), '"of others"')
      }
      for (const within of [undefined, ADA, { tenant: 'local' }]) {
        assert.equal(await store.memories.findResponse(STAMP, within), '"of ada"')
      }
      for (const within of [BOB, OTHER_ADA, { tenant: 'other' }]) {
        assert.equal(await store.memories.findResponse(STAMP, within), undefined)
      }
      for (const stamp of [
        { ...STAMP, key: 'k2' },
        { ...STAMP, fingerprint: 'f2' },
      ]) {
        assert.equal(await store.memories.findResponse(stamp, undefined), undefined)
        assert.equal(await store.memories.findResponse(stamp, ADA), undefined)
      }
    },
  },
  {
    id: 'M12',
    title: 'stores no key for a change that writes nothing',
    async check(db) {
      const store = await db.connect()
      const memory = someMemory()
      const fail = () => {
        throw new RangeError('no decision')
      }
      await assert.rejects(store.memories.change(putRequest([], { idempotency: STAMP, decide: fail })), RangeError)
      const words = { description: brokenDescription(), version: 1 }
      await assert.rejects(store.memories.change(keyedRequest([{ memory, words }])))
      const stale = { ...keyedRequest([{ memory }]), sessions: [uuid7()] }
      assert.equal((await store.memories.change(stale)).outcome, 'stale')
      assert.equal(await store.memories.findResponse(STAMP, undefined), undefined)
      assert.deepEqual(await store.memories.list({ ...ADA, limit: 9 }), [])
      assert.equal((await store.memories.change(keyedRequest([{ memory }]))).outcome, 'written')
      assert.equal(await store.memories.findResponse(STAMP, undefined), '[1]')
    },
  },
  {
    id: 'M12',
    title: 'keeps a key when its memory is removed, and removes it with the user',
    async check(db) {
      const store = await db.connect()
      const memory = someMemory()
      for (const user of [ADA, BOB, OTHER_ADA]) {
        await store.memories.change(keyedRequest([{ memory: { ...memory, ...user } }], { user }))
      }
      await store.memories.change(
        putRequest([], {
          idempotency: { key: 'k2', fingerprint: 'f' },
          decide: () => ({ puts: [], removals: [memory.id], response: '[2]' }),
        }),
      )
      assert.deepEqual(await store.memories.get([memory.id], ADA), [])
      assert.equal(await store.memories.findResponse(STAMP, ADA), '[1]')
      assert.deepEqual(await store.memories.purge(ADA), { memories: 0, keys: 2 })
      assert.deepEqual(await store.memories.purge(ADA), { memories: 0, keys: 0 })
      assert.equal(await store.memories.findResponse(STAMP, ADA), undefined)
      for (const user of [BOB, OTHER_ADA]) assert.equal(await store.memories.findResponse(STAMP, user), '[1]')
      const idempotency = { ...STAMP, fingerprint: 'f2' }
      assert.equal((await store.memories.change(keyedRequest([{ memory }], { idempotency }))).outcome, 'written')
    },
  },
  {
    id: 'M12',
    title: 'writes one of 16 concurrent changes from two connections with one key',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const changes = upTo(16).map((n) => {
        const memory = someMemory({ createdAt: NOON })
        return stores[n % 2]?.memories.change(keyedRequest([{ memory }], { response: JSON.stringify(memory.id) }))
      })
      const outcomes = (await Promise.all(changes)).map((changed) => changed?.outcome)
      assert.equal(outcomes.filter((outcome) => outcome === 'written').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'replayed').length, 15)
      const [kept, ...others] = await stores[0].memories.list({ ...ADA, limit: 99 })
      assert.deepEqual(others, [])
      assert.equal(await stores[1].memories.findResponse(STAMP, ADA), JSON.stringify(kept?.id))
    },
  },
  {
    id: 'M13',
    title: 'removes only keys before a time, oldest first, in limited batches',
    async check(db) {
      const store = await db.connect()
      const memory = someMemory()
      const stamp = (n: number) => ({ key: `k${n}`, fingerprint: `f${n}` })
      for (const n of [4, 1, 5, 2, 3]) {
        await store.memories.change(keyedRequest([{ memory }], { idempotency: stamp(n), at: noonPlus(n) }))
      }
      const left = async () => {
        const responses = await Promise.all(upTo(5).map((n) => store.memories.findResponse(stamp(n), undefined)))
        return upTo(5).filter((n) => responses[n - 1] !== undefined)
      }
      assert.equal(await store.memories.forgetKeys(noonPlus(1), 9, undefined), 0)
      assert.equal(await store.memories.forgetKeys(noonPlus(5), 3, undefined), 3)
      assert.deepEqual(await left(), [4, 5])
      assert.equal(await store.memories.forgetKeys(noonPlus(5), 3, undefined), 1)
      assert.equal(await store.memories.forgetKeys(noonPlus(5), 3, undefined), 0)
      assert.deepEqual(await left(), [5])
      assert.deepEqual(await store.memories.list({ ...ADA, limit: 9 }), [memory])
      // the key can be used again
      const idempotency = { ...stamp(1), fingerprint: 'another' }
      const again = keyedRequest([{ memory }], { idempotency, at: noonPlus(9), response: '[2]' })
      assert.equal((await store.memories.change(again)).outcome, 'written')
      assert.equal((await store.memories.change(again)).response, '[2]')
      assert.equal(await store.memories.forgetKeys(noonPlus(9), 9, undefined), 1)
      assert.deepEqual(await store.memories.purge(ADA), { memories: 1, keys: 1 })
    },
  },
  {
    id: 'M13',
    title: 'removes only keys within the given owner',
    async check(db) {
      const store = await db.connect()
      const users = [ADA, BOB, OTHER_ADA]
      const fill = async () => {
        for (const user of users) await store.memories.change(keyedRequest([], { user }))
      }
      const left = async () => {
        const responses = await Promise.all(users.map((user) => store.memories.findResponse(STAMP, user)))
        return users.filter((_, n) => responses[n] !== undefined)
      }
      const later = noonPlus(1)
      await fill()
      for (const within of [{ tenant: 'other', userId: 'bob' }, { tenant: 'nobody' }]) {
        assert.equal(await store.memories.forgetKeys(later, 9, within), 0)
      }
      assert.equal(await store.memories.forgetKeys(later, 9, ADA), 1)
      assert.deepEqual(await left(), [BOB, OTHER_ADA])
      await fill()
      assert.equal(await store.memories.forgetKeys(later, 1, { tenant: 'local' }), 1)
      assert.equal(await store.memories.forgetKeys(later, 9, { tenant: 'local' }), 1)
      assert.deepEqual(await left(), [OTHER_ADA])
      await fill()
      assert.equal(await store.memories.forgetKeys(later, 9, undefined), 3)
    },
  },
  {
    id: 'M13',
    title: 'counts each key once with concurrent removals and changes',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const change = (n: number, at: string) => {
        const idempotency = { key: `${at} ${n}`, fingerprint: 'f' }
        return stores[n % 2]?.memories.change(keyedRequest([{ memory: someMemory() }], { idempotency, at }))
      }
      await Promise.all(upTo(40).map((n) => change(n, NOON)))
      const forgotten = upTo(20).map((n) => stores[n % 2]?.memories.forgetKeys(noonPlus(1), 40, ADA) ?? 0)
      await Promise.all(upTo(10).map((n) => change(n, noonPlus(1))))
      const counts = await Promise.all(forgotten)
      assert.equal(
        counts.reduce((a, b) => a + b),
        40,
      )
      assert.deepEqual(await stores[0].memories.purge(ADA), { memories: 50, keys: 10 })
    },
  },
]
