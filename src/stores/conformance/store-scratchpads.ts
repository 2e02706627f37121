import assert from 'node:assert/strict'
import type { JsonObject } from '../../domain/json.ts'
import type { DecideRequest, SessionStore } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  ADA,
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  expectError,
  noonPlus,
  readLog,
  someEvent,
  upTo,
} from './samples.ts'

/** Sets a scratchpad value by a decision that reads only the scratchpad; returns the sequence of its event. */
async function put(
  store: SessionStore,
  sessionId: string,
  pad: JsonObject,
  given: Partial<DecideRequest> = {},
): Promise<number> {
  const { events } = await store.decide({
    sessionId,
    at: noonPlus(1),
    reads: 'state',
    decide: (view) => {
      const { scratchpad, version } = view.state
      const state = { scratchpad: { ...scratchpad, ...pad }, version: version + 1, updatedAt: noonPlus(1) }
      return { events: [someEvent('changed', 'state_changed')], view: { ...advanceView(view, 1), state } }
    },
    ...given,
  })
  return events[0]?.sequence ?? 0
}

/** S6 and S21 for decisions that read only the scratchpad, which a store may serve from a cache. */
export const scratchpadRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S6',
    title: 'keeps every scratchpad change over alternating connections',
    async check(db) {
      const [first, second] = [await db.connect(), await db.connect()]
      const id = await createSession(first)
      const sequences = [
        await put(first, id, { a: 1 }),
        await put(first, id, { b: 2 }),
        await put(second, id, { c: 3, a: 0 }),
        await put(first, id, { d: 4 }),
      ]
      await first.append(appendRequest(id))
      sequences.push(await put(first, id, { e: 5 }))
      assert.deepEqual(sequences, [2, 3, 4, 5, 7])
      assert.deepEqual(await second.state({ sessionId: id }), {
        scratchpad: { a: 0, b: 2, c: 3, d: 4, e: 5 },
        version: 5,
        updatedAt: noonPlus(1),
      })
      assert.equal((await readLog(second, id)).length, 7)
      assert.equal((await second.load({ sessionId: id }))?.record.head, 7)
    },
  },
  {
    id: 'S6',
    title: 'never refuses or skips a change because of a stale scratchpad',
    async check(db) {
      const [first, second] = [await db.connect(), await db.connect()]
      const id = await createSession(first)
      await put(first, id, { a: 1 })
      await put(second, id, { b: 2 })
      const { events } = await first.decide({
        sessionId: id,
        at: noonPlus(1),
        reads: 'state',
        decide: (view) => {
          if (view.state.scratchpad['b'] === undefined) throw new RangeError('this was long ago')
          return { events: [], view }
        },
      })
      assert.deepEqual(events, [])
      await put(first, id, { c: 3 })
      await put(second, id, { c: 4 })
      // a stale scratchpad would make this a no-op
      await first.decide({
        sessionId: id,
        at: noonPlus(1),
        reads: 'state',
        decide: (view) => {
          if (view.state.scratchpad['c'] === 3) return { events: [], view }
          const state = { ...view.state, scratchpad: { ...view.state.scratchpad, c: 3 } }
          return { events: [someEvent('changed', 'state_changed')], view: { ...advanceView(view, 1), state } }
        },
      })
      assert.deepEqual((await second.state({ sessionId: id }))?.scratchpad, { a: 1, b: 2, c: 3 })
    },
  },
  {
    id: 'S6',
    title: 'does not confuse a session with a purged one of the same id',
    async check(db) {
      const [first, second] = [await db.connect(), await db.connect()]
      const request = createRequest()
      const { id } = request.view.record
      await first.create(request)
      for (const n of upTo(3)) await put(first, id, { [`old${n}`]: n })
      await second.purge({ sessionId: id }, noonPlus(2))
      await second.create(createRequest({ id, at: noonPlus(3) }))
      for (const n of upTo(3)) await put(second, id, { [`new${n}`]: n })
      await put(first, id, { last: true })
      assert.deepEqual((await second.state({ sessionId: id }))?.scratchpad, { new1: 1, new2: 2, new3: 3, last: true })
      await second.purge({ sessionId: id }, noonPlus(4))
      await expectError('SESSION_NOT_FOUND', put(first, id, { lost: true }))
    },
  },
  {
    id: 'S15',
    title: 'shares no scratchpad objects with deciders',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const pads: JsonObject[] = []
      for (const n of upTo(3)) {
        await put(
          store,
          id,
          {},
          {
            decide: (view) => {
              const scratchpad = { ...view.state.scratchpad, [`k${n}`]: { list: [n] } }
              pads.push(view.state.scratchpad as JsonObject, scratchpad)
              const state = { scratchpad, version: n, updatedAt: noonPlus(1) }
              return { events: [someEvent('changed', 'state_changed')], view: { ...advanceView(view, 1), state } }
            },
          },
        )
        for (const pad of pads) for (const value of Object.values(pad)) Object.assign(value as object, { spoilt: true })
      }
      assert.deepEqual((await store.state({ sessionId: id }))?.scratchpad, {
        k1: { list: [1] },
        k2: { list: [2] },
        k3: { list: [3] },
      })
    },
  },
  {
    id: 'S21',
    title: 'lets only the owner change or see a scratchpad, cached or not',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      await put(store, id, { a: 1 })
      await put(store, id, { b: 2 }, { within: ADA })
      const within = { tenant: ADA.tenant, userId: 'eve' }
      await expectError('SESSION_NOT_FOUND', put(store, id, { c: 3 }, { within }))
      await expectError('SESSION_NOT_FOUND', put(store, id, {}, { within, decide: (view) => ({ events: [], view }) }))
      assert.deepEqual((await store.state({ sessionId: id }))?.scratchpad, { a: 1, b: 2 })
    },
  },
]
