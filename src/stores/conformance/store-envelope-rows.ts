import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import { defined } from '../../domain/optional.ts'
import { uuid7 } from '../../ids.ts'
import type { EnvelopeRow } from '../../ports/envelope-store.ts'
import {
  changeEnvelope,
  changeWithoutEnvelope,
  expectedRow,
  foldLog,
  loadView,
  withoutEnvelope,
} from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { appendRequest, createSession, endSession, NOON, noonPlus, readLog, upTo } from './samples.ts'

const byId = (a: EnvelopeRow, b: EnvelopeRow) => (a.sessionId < b.sessionId ? -1 : 1)

/** E1 to E3. */
export const envelopeRowRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'E1',
    title: 'pages through all sessions by id, each with its envelope if that is current',
    async check(db) {
      const store = await db.connect()
      assert.deepEqual(await store.envelopes.page({ limit: 9 }), [])
      const ids = upTo(12).map(() => uuid7())
      for (const [n, id] of ids.toReversed().entries()) {
        await createSession(store, { id, tenant: n % 2 ? 'local' : 'other', userId: `u${n}`, identity: { scope: 's' } })
      }
      ids.sort()
      const [changed = '', lagging = '', removed = ''] = ids
      await store.decide(changeEnvelope(changed, { personaId: 'barista', batch: 'b1' }, noonPlus(1)))
      await store.decide(changeWithoutEnvelope(lagging, { personaId: 'barista' }))
      await store.decide(changeEnvelope(removed, { batch: 'gone' }))
      await store.envelopes.remove({ batch: 'gone' }, 9)
      await endSession(store, ids[5] ?? '')
      const expected: EnvelopeRow[] = []
      for (const id of ids) expected.push(await expectedRow(store, id))
      assert.deepEqual(
        expected.filter(({ envelope }) => envelope === undefined),
        [lagging, removed].map((sessionId) => ({ sessionId, envelopeAt: 3 })),
      )
      assert.equal(expected[0]?.envelope?.batch, 'b1')
      assert.deepEqual(await store.envelopes.page({ limit: 100 }), expected)
      const paged: EnvelopeRow[] = []
      for (let after: string | undefined; ; ) {
        const page = await store.envelopes.page(defined({ limit: 5, after }))
        assert(page.length <= 5)
        paged.push(...page)
        after = page.at(-1)?.sessionId
        if (after === undefined) break
      }
      assert.deepEqual(paged, expected)
    },
  },
  {
    id: 'E2',
    title: 'finds sessions by id and omits missing ones',
    async check(db) {
      const store = await db.connect()
      const [one, two, lagging] = [await createSession(store), await createSession(store, { tenant: 'other' }), uuid7()]
      await createSession(store, { id: lagging })
      await store.decide(changeWithoutEnvelope(lagging, { personaId: 'barista' }))
      const purged = await createSession(store)
      await store.purge({ sessionId: purged }, NOON)
      const missing = upTo(1000).map(() => uuid7())
      const found = await store.envelopes.find([lagging, ...missing, two, purged, one])
      const expected = await Promise.all([one, two, lagging].map((id) => expectedRow(store, id)))
      assert.deepEqual(found.toSorted(byId), expected.toSorted(byId))
      assert.deepEqual(await store.envelopes.find([two]), [await expectedRow(store, two)])
      assert.deepEqual(await store.envelopes.find([lagging]), [{ sessionId: lagging, envelopeAt: 3 }])
      assert.deepEqual(await store.envelopes.find([]), [])
      assert.deepEqual(await store.envelopes.find(missing.slice(0, 1)), [])
    },
  },
  {
    id: 'E3',
    title: 'counts and removes, in limited batches, the envelopes that only a backfill wrote',
    async check(db) {
      const store = await db.connect()
      const ids = upTo(6).map(() => uuid7())
      for (const id of ids.toReversed()) await createSession(store, { id, metadata: { of: id } })
      ids.sort()
      const [rewritten = '', lagging = '', otherBatch = '', ...kept] = ids
      for (const id of ids)
        await store.decide(changeEnvelope(id, { personaId: 'p', batch: id === otherBatch ? 'b2' : 'b1' }))
      await store.decide(changeEnvelope(rewritten, { personaId: 'q' }))
      await store.decide(changeWithoutEnvelope(lagging, { personaId: 'r' }))
      const views = new Map<string, SessionView>()
      for (const id of ids) views.set(id, await loadView(store, { sessionId: id }))
      const logs = await Promise.all(ids.map((id) => readLog(store, id)))

      const { count, remove } = store.envelopes
      const which = { batch: 'b1' }
      const expected = [lagging, ...kept]
      assert.equal(await count(which), 4)
      assert.deepEqual(await remove(which, 3), expected.slice(0, 3))
      assert.equal(await count(which), 1)
      assert.deepEqual(await remove(which, 3), expected.slice(3))
      assert.deepEqual([await remove(which, 3), await count(which)], [[], 0])
      assert.deepEqual([await count({ batch: 'b2' }), await count({ batch: 'never' })], [1, 0])
      assert.deepEqual(await remove({ batch: 'never' }, 9), [])

      // nothing else changes, and the next write stores an envelope again
      for (const id of ids) {
        const view = views.get(id)
        assert(view)
        assert.deepEqual(await loadView(store, { sessionId: id }), expected.includes(id) ? withoutEnvelope(view) : view)
      }
      assert.deepEqual(await Promise.all(ids.map((id) => readLog(store, id))), logs)
      assert.equal((await loadView(store, { sessionId: rewritten })).envelope?.document.persona_id, 'q')
      const [again = ''] = kept
      const folded = await foldLog(store, again)
      assert.equal(await store.repair({ sessionId: again }, 4, folded, []), true)
      assert.deepEqual(await loadView(store, { sessionId: again }), folded)
      assert.equal(await count(which), 1)
    },
  },
  {
    id: 'E3',
    title: 'counts and removes envelopes written at or after a time',
    async check(db) {
      const store = await db.connect()
      const ids = upTo(5).map(() => uuid7())
      // the first is the newest
      for (const [n, id] of ids.sort().toReversed().entries()) await createSession(store, { id, at: noonPlus(10 * n) })
      const since = (n: number) => ({ since: noonPlus(n) })
      const { count, remove } = store.envelopes
      const counts = async () => await Promise.all([0, 10, 11, 20, 40, 41].map((n) => count(since(n))))
      assert.deepEqual(await counts(), [5, 4, 3, 3, 1, 0])
      // neither an append nor a change without the envelope is a write of the envelope
      await store.append(appendRequest(ids[4] ?? '', { at: noonPlus(99) }))
      await store.decide(changeWithoutEnvelope(ids[4] ?? '', { personaId: 'x' }, noonPlus(99)))
      assert.deepEqual(await counts(), [5, 4, 3, 3, 1, 0])
      await store.decide(changeEnvelope(ids[3] ?? '', { personaId: 'x', batch: 'b1' }, noonPlus(41)))
      assert.deepEqual(await counts(), [5, 4, 4, 4, 2, 1])
      assert.deepEqual(await remove(since(20), 2), [ids[0], ids[1]])
      assert.deepEqual(await remove(since(20), 9), [ids[2], ids[3]])
      assert.deepEqual(await counts(), [1, 0, 0, 0, 0, 0])
      assert.deepEqual(await remove(since(0), 0), [])
      assert.deepEqual(await remove(since(0), 1), [ids[4]])
      assert.equal(await count({ batch: 'b1' }), 0)
      assert.deepEqual(await store.totals(undefined), { sessions: 5, events: 12 })
    },
  },
]
