import assert from 'node:assert/strict'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  advanceView,
  appendRequest,
  createSession,
  expectError,
  noonPlus,
  readLog,
  someEvent,
  someEvents,
  upTo,
} from './samples.ts'

/** S1 to S8. */
export const writingRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S1',
    title: 'stores all events of an append and advances the head',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const { events, replayed } = await store.append(appendRequest(id, { events: someEvents(3), at: noonPlus(5) }))
      assert.equal(replayed, false)
      assert.deepEqual(
        events.map(({ sequence, createdAt }) => [sequence, createdAt]),
        [2, 3, 4].map((sequence) => [sequence, noonPlus(5)]),
      )
      assert.deepEqual((await readLog(store, id)).slice(1), events)
      const view = await store.load({ sessionId: id })
      assert.deepEqual([view?.record.head, view?.record.turns, view?.record.lastActivityAt], [4, 3, noonPlus(5)])
    },
  },
  {
    id: 'S2',
    title: 'gives dense sequences to 200 concurrent appends over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await createSession(first)
      const writes = upTo(200).map((n) => stores[n % 4]?.append(appendRequest(id, { events: someEvents(1 + (n % 3)) })))
      const taken = (await Promise.all(writes)).flatMap((written) => written?.events.map((e) => e.sequence) ?? [])
      assert.deepEqual(
        taken.sort((a, b) => a - b),
        upTo(taken.length + 1).slice(1),
      )
      assert.deepEqual(
        (await readLog(first, id)).map((event) => event.sequence),
        upTo(taken.length + 1),
      )
    },
  },
  {
    id: 'S3',
    title: 'lets exactly one of eight writers with the same expected head win',
    async check(db) {
      const stores = await Promise.all(upTo(8).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await createSession(first)
      const attempts = stores.map((store) => store.append(appendRequest(id, { expectedSequence: 1 })))
      const results = await Promise.allSettled(attempts)
      const codes = results.filter((r) => r.status === 'rejected').map((r) => r.reason.code)
      assert.deepEqual(codes, Array(7).fill('SEQUENCE_CONFLICT'))
      assert.equal((await readLog(first, id)).length, 2)
    },
  },
  {
    id: 'S4',
    title: 'rejects appends to an ended or expired session',
    async check(db) {
      const store = await db.connect()
      const expiring = await createSession(store, { expiresAt: noonPlus(10) })
      await store.append(appendRequest(expiring, { at: noonPlus(9) }))
      await expectError('SESSION_ENDED', store.append(appendRequest(expiring, { at: noonPlus(10) })))
      assert.equal((await readLog(store, expiring)).length, 2)

      const ending = await createSession(store)
      await store.decide({
        sessionId: ending,
        at: noonPlus(1),
        decide: (view) => ({
          events: [someEvent('over', 'status_changed')],
          view: advanceView(view, 1, { endedAt: noonPlus(1) }),
        }),
      })
      await expectError('SESSION_ENDED', store.append(appendRequest(ending)))
    },
  },
  {
    id: 'S5',
    title: 'replays the first result of a repeated key before it checks head or end',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store, { expiresAt: noonPlus(10) })
      const idempotency = { key: 'k', fingerprint: 'f' }
      const first = await store.append(appendRequest(id, { events: someEvents(2), idempotency, expectedSequence: 1 }))
      const again = await store.append(
        appendRequest(id, { events: someEvents(2), idempotency, expectedSequence: 1, at: noonPlus(99) }),
      )
      assert.equal(again.replayed, true)
      assert.deepEqual(again.events, first.events)
      await expectError(
        'IDEMPOTENCY_MISMATCH',
        store.append(appendRequest(id, { idempotency: { key: 'k', fingerprint: 'other' } })),
      )
      assert.equal((await readLog(store, id)).length, 3)
    },
  },
  {
    id: 'S5',
    title: 'writes once for twenty concurrent appends with one key, and separates keys by session',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const [id, other] = [await createSession(first), await createSession(first)]
      const idempotency = { key: 'k', fingerprint: 'f' }
      const writes = upTo(20).map((n) => stores[n % 4]?.append(appendRequest(id, { idempotency })))
      const results = await Promise.all(writes)
      assert.equal(results.filter((result) => result?.replayed === false).length, 1)
      assert.equal(new Set(results.map((result) => result?.events[0]?.id)).size, 1)
      assert.equal((await first.append(appendRequest(other, { idempotency }))).replayed, false)
      assert.equal((await readLog(first, id)).length, 2)
    },
  },
  {
    id: 'S6',
    title: 'stores a decision with its view, and nothing if the decider refuses',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const decision = {
        sessionId: id,
        at: noonPlus(3),
        idempotency: { key: 'd', fingerprint: 'f' },
        decide: (view: Parameters<typeof advanceView>[0]) => ({
          events: [someEvent('agent', 'x.switched')],
          view: {
            ...advanceView(view, 1, { activeAgent: 'motivator', lastActivityAt: noonPlus(3) }),
            state: { scratchpad: { b: 1, a: -0 }, version: 1, updatedAt: noonPlus(3) },
          },
        }),
      }
      const first = await store.decide(decision)
      assert.equal(first.events[0]?.sequence, 2)
      assert.deepEqual(await store.decide(decision), { events: first.events, replayed: true })
      const view = await store.load({ sessionId: id })
      assert.equal(view?.record.activeAgent, 'motivator')
      assert.deepEqual(view?.state, { scratchpad: { b: 1, a: -0 }, version: 1, updatedAt: noonPlus(3) })
      assert.deepEqual(Object.keys(view?.state.scratchpad ?? {}), ['b', 'a'])

      const refusal = store.decide({
        ...decision,
        idempotency: { key: 'other', fingerprint: 'f' },
        decide: () => {
          throw new RangeError('no')
        },
      })
      await assert.rejects(refusal, RangeError)
      const nothing = {
        sessionId: id,
        at: noonPlus(4),
        idempotency: { key: 'nothing', fingerprint: 'f' },
        decide: (now: Parameters<typeof advanceView>[0]) => ({
          events: [],
          view: advanceView(now, 0, { task: 'other' }),
        }),
      }
      assert.deepEqual(await store.decide(nothing), { events: [], replayed: false })
      assert.deepEqual(await store.load({ sessionId: id }), view)
      const something = await store.decide({ ...decision, idempotency: nothing.idempotency })
      assert.deepEqual([something.replayed, something.events[0]?.sequence], [false, 3])
    },
  },
  {
    id: 'S6',
    title: 'runs 40 deciders one after another while plain appends continue',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await createSession(first)
      const count = (store: (typeof stores)[number] | undefined) =>
        store?.decide({
          sessionId: id,
          at: noonPlus(1),
          decide: (view) => ({
            events: [someEvent('count', 'x.count')],
            view: { ...advanceView(view, 1), state: { ...view.state, version: view.state.version + 1 } },
          }),
        })
      const writes = upTo(40).flatMap((n) => [count(stores[n % 4]), stores[n % 4]?.append(appendRequest(id))])
      await Promise.all(writes)
      const view = await first.load({ sessionId: id })
      assert.deepEqual([view?.state.version, view?.record.head, view?.record.turns], [40, 81, 40])
      assert.deepEqual(
        (await readLog(first, id)).map((event) => event.sequence),
        upTo(81),
      )
    },
  },
  {
    id: 'S7',
    title: 'fails only the one bad write among 32 queued ones',
    async check(db) {
      const store = await db.connect()
      const ids = await Promise.all(upTo(4).map(() => createSession(store)))
      const missing = '00000000-0000-7000-8000-000000000000'
      const writes = upTo(32).map((n) => {
        if (n === 7) return store.append(appendRequest(missing))
        if (n === 15) return store.append(appendRequest(ids[0] ?? '', { expectedSequence: 999 }))
        if (n === 23) {
          return store.decide({
            sessionId: ids[1] ?? '',
            at: noonPlus(1),
            decide: () => {
              throw new RangeError('no')
            },
          })
        }
        return store.append(appendRequest(ids[n % 4] ?? ''))
      })
      const results = await Promise.allSettled(writes)
      const reasons = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
      assert.deepEqual(
        reasons.map((reason) => reason.code ?? reason.name),
        ['SESSION_NOT_FOUND', 'SEQUENCE_CONFLICT', 'RangeError'],
      )
      const heads = await Promise.all(ids.map(async (id) => (await store.load({ sessionId: id }))?.record.head ?? 0))
      assert.equal(
        heads.reduce((sum, head) => sum + head, 0),
        4 + 29,
      )
    },
  },
  {
    id: 'S8',
    title: 'keeps acknowledged writes after it is opened again',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const writes = upTo(20).map(() => store.append(appendRequest(id)))
      const keeper = await db.connect()
      await Promise.all(writes)
      await store.close()
      assert.equal((await readLog(keeper, id)).length, 21)
    },
  },
]
