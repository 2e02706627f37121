import assert from 'node:assert/strict'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, upTo } from './samples.ts'

const ADA = { tenant: 'local', userId: 'ada' }
const BOB = { tenant: 'local', userId: 'bob' }
const DAY = 24 * 3600_000
const K = { idempotencyKey: 'k' }

/** A27 idempotency keys of memory writes. */
export const apiMemoryKeyRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A27',
    title: 'remembers once per key and returns the first result',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const input = { userId: 'ada', content: 'Plays chess', expiresInMs: 5000, source: { source: 'chat' } }
      const first = await tl.memories.remember(input, K)
      clock.advance(1000)
      // the same in another order, with explicit defaults
      const again = { tenant: 'local', category: 'facts', ...Object.fromEntries(Object.entries(input).reverse()) }
      assert.deepEqual(await tl.memories.remember(again as object as typeof input, K), first)
      assert.deepEqual([first.outcome, first.lineage.length], ['created', 1])
      // the first outcome, with the current memory
      const surer = await tl.memories.corroborate(first.id, { source: 'club' })
      assert.deepEqual(await tl.memories.remember(input, K), { ...surer, outcome: 'created' })
      await expectError('IDEMPOTENCY_MISMATCH', tl.memories.remember({ ...input, expiresInMs: 4000 }, K))
      await expectError('IDEMPOTENCY_MISMATCH', tl.memories.remember([input], K))
      await expectError('IDEMPOTENCY_MISMATCH', tl.memories.corroborate(first.id, {}, K))
      // other users have their own keys
      const bobs = await tl.memories.remember({ userId: 'bob', content: 'Plays go' }, K)
      assert.equal((await tl.memories.remember({ ...input, tenant: 'other' }, K)).outcome, 'created')
      assert.deepEqual(await tl.as(BOB).memories.remember({ userId: 'bob', content: 'Plays go' }, K), bobs)
      const { items } = await tl.memories.list({ userId: 'ada' })
      assert.deepEqual([items.length, items[0]?.lineage.length], [1, 2])
      await expectError('VALIDATION', tl.memories.remember(input, { idempotencyKey: '' }))
      await expectError('VALIDATION', tl.memories.remember(input, { key: 'k' } as object))
    },
  },
  {
    id: 'A27',
    title: 'returns the remaining memories of a repeated list, and rejects it if none remain',
    async check(db) {
      const tl = await db.connect()
      const say = (...contents: string[]) => contents.map((content) => ({ userId: 'ada', content }))
      const list = say('Plays chess', 'plays chess', 'Has a cat')
      const first = await tl.memories.remember(list, K)
      assert.deepEqual(
        first.map(({ outcome }) => outcome),
        ['created', 'merged', 'created'],
      )
      const outcomes = async () => (await tl.memories.remember(list, K)).map(({ id, outcome }) => [id, outcome])
      assert.deepEqual(
        await outcomes(),
        first.map(({ id, outcome }) => [id, outcome]),
      )
      const [chess, , cat] = first
      await tl.memories.forget(chess?.id ?? '')
      assert.deepEqual(await outcomes(), [[cat?.id, 'created']])
      await tl.memories.forget(cat?.id ?? '')
      await expectError('MEMORY_NOT_FOUND', tl.memories.remember(list, K))
      const [one] = say('Has a dog')
      assert(one)
      const { id } = await tl.memories.remember(one, { idempotencyKey: 'one' })
      await tl.memories.forget(id)
      const error = await expectError('MEMORY_NOT_FOUND', tl.memories.remember(one, { idempotencyKey: 'one' }))
      assert(error.message.includes(id))
      assert.deepEqual(await tl.memories.list({ userId: 'ada' }), { items: [] })
    },
  },
  {
    id: 'A27',
    title: 'counts evidence once per key, even if its session was purged meanwhile',
    async check(db) {
      const tl = await db.connect()
      const ada = tl.as(ADA)
      const { id } = await tl.memories.remember({ userId: 'ada', content: 'Lives in Lisbon' })
      const first = await tl.memories.corroborate(id, {}, K)
      assert.deepEqual([first.confidence, await ada.memories.corroborate(id.toUpperCase(), {}, K)], [0.85, first])
      await expectError('IDEMPOTENCY_MISMATCH', tl.memories.corroborate(id, { note: 'again' }, K))
      await expectError('IDEMPOTENCY_MISMATCH', tl.memories.contradict(id, {}, K))
      const session = await tl.sessions.create({ userId: 'ada' })
      const evidence = { sessionId: session.id, content: 'Lives in Porto' }
      const against = await tl.memories.contradict(id, evidence, { idempotencyKey: 'other' })
      assert.equal(against.confidence, 0.43)
      assert.deepEqual(await tl.memories.contradict(id, evidence, { idempotencyKey: 'other' }), against)
      const heard = { userId: 'ada', content: 'Has a cat', source: { sessionId: session.id } }
      const cat = await tl.memories.remember(heard, { idempotencyKey: 'cat' })
      await tl.memories.corroborate(cat.id, { source: 'vet' })
      assert.equal((await tl.memories.history(id)).length, 4)
      await tl.sessions.purge(session.id)
      for (const { memories } of [tl, ada]) {
        const now = await memories.contradict(id, evidence, { idempotencyKey: 'other' })
        assert.deepEqual(now, await tl.memories.get(id))
        assert.equal((await memories.remember(heard, { idempotencyKey: 'cat' })).id, cat.id)
      }
      await expectError('SESSION_NOT_FOUND', tl.memories.contradict(id, evidence, { idempotencyKey: 'new' }))
    },
  },
  {
    id: 'A27',
    title: 'forgets once per key, for any caller',
    async check(db) {
      const tl = await db.connect()
      const callers = { operator: tl, tenant: tl.as({ tenant: 'local' }), user: tl.as(ADA) }
      for (const [who, { memories }] of Object.entries(callers)) {
        const key = { idempotencyKey: who }
        const id = uuid7()
        const input = { userId: 'ada', content: `Known to the ${who}`, id }
        await tl.memories.remember(input)
        const [one, two] = await Promise.all([memories.forget(id, key), memories.forget(id, key)])
        assert.deepEqual([one, two, await memories.forget(id, key)], Array(3).fill({ forgotten: 1, kept: 0 }), who)
        for (const other of [tl.as(BOB), tl.as({ tenant: 'other' })]) {
          await expectError('MEMORY_NOT_FOUND', other.memories.forget(id, key))
        }
        await expectError('MEMORY_NOT_FOUND', memories.forget(id))
        await expectError('MEMORY_NOT_FOUND', memories.forget(id, { idempotencyKey: 'new' }))
        await expectError('MEMORY_NOT_FOUND', memories.forget(uuid7(), key))
        // the id now belongs to another memory
        await tl.memories.remember(input)
        assert.equal((await memories.forget(id, key)).forgotten, 1)
        assert.equal((await tl.memories.get(id)).id, id)
        const { id: next } = await tl.memories.remember({ ...input, id: uuid7() })
        await expectError('IDEMPOTENCY_MISMATCH', memories.forget(next, key))
      }
    },
  },
  {
    id: 'A27',
    title: 'repeats the counts of forgetting a source, over more than one page',
    async check(db) {
      const tl = await db.connect()
      const source = { source: 'import:notes' }
      const say = (n: number) => ({ userId: 'ada', content: `Fact ${n}`, id: uuid7(), source })
      await tl.memories.remember(upTo(501).map(say))
      const { id } = await tl.memories.remember({ userId: 'ada', content: 'Has a cat' })
      await tl.memories.corroborate(id, source)
      const from = { userId: 'ada', ...source }
      assert.deepEqual(await tl.memories.forget(from, K), { forgotten: 501, kept: 1 })
      await tl.memories.remember(say(1))
      assert.deepEqual(await tl.memories.forget(from, K), { forgotten: 501, kept: 1 })
      assert.equal((await tl.memories.list({ userId: 'ada' })).items.length, 2)
      await expectError('IDEMPOTENCY_MISMATCH', tl.memories.forget({ userId: 'ada', source: 'other' }, K))
      assert.deepEqual(await tl.memories.forget(from), { forgotten: 1, kept: 0 })
      const none = { userId: 'bob', source: 'nobody' }
      for (const _ of upTo(2)) assert.deepEqual(await tl.memories.forget(none, K), { forgotten: 0, kept: 0 })
      // a remote client generates keys for the other calls
      assert((await tl.users.purge('ada')).keys >= 1)
      assert.deepEqual(await tl.memories.forget(from, K), { forgotten: 0, kept: 0 })
    },
  },
  {
    id: 'A27',
    title: 'writes once for two connections that send one key concurrently',
    async check(db) {
      const [a, b] = [await db.connect(), await db.connect()]
      const each = <T>(call: (tl: typeof a) => Promise<T>) => Promise.all(upTo(8).map((n) => call(n % 2 === 0 ? a : b)))
      const kept = await each((tl) => tl.memories.remember({ userId: 'ada', content: 'Runs at dawn' }, K))
      const [{ id }] = kept as [(typeof kept)[number]]
      assert(kept.every((one) => one.outcome === 'created' && one.id === id))
      const key = { idempotencyKey: 'surer' }
      const surer = await each((tl) => tl.memories.corroborate(id, {}, key))
      assert(surer.every(({ confidence }) => confidence === 0.85))
      assert.equal((await a.memories.get(id)).lineage.length, 2)
    },
  },
  {
    id: 'A27',
    title: 'remembers a key for seven days, until a sweep of that tenant or user',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const say = (userId: string) => ({ userId, content: 'Plays chess' })
      const heard = async (userId: string) => (await tl.memories.remember(say(userId), K)).outcome
      for (const userId of ['ada', 'bob']) assert.equal(await heard(userId), 'created')
      clock.advance(7 * DAY)
      const nothing = { swept: 0, compacted: 0, failed: 0, forgotten: 0 }
      assert.deepEqual(await tl.sweep(), nothing)
      clock.advance(1)
      for (const userId of ['ada', 'bob']) assert.equal(await heard(userId), 'created')
      assert.deepEqual(await tl.as(ADA).sweep(), nothing)
      // a removed key counts as new
      assert.equal(await heard('ada'), 'merged')
      assert.equal(await heard('bob'), 'created')
      assert.deepEqual(await tl.as({ tenant: 'other' }).sweep(), nothing)
      assert.equal(await heard('bob'), 'created')
      assert.deepEqual(await tl.sweep(), nothing)
      assert.deepEqual([await heard('ada'), await heard('bob')], ['merged', 'merged'])
      const { items } = await tl.memories.list({ userId: 'ada' })
      assert.equal(items[0]?.lineage.length, 2)
    },
  },
]
