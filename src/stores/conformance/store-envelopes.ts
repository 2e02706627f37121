import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
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
import {
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  endSession,
  forkSession,
  NOON,
  noonPlus,
  readLog,
  someEvent,
  upTo,
} from './samples.ts'

/** Text that a store changes if it does not store it as text. */
const RICH: JsonObject = {
  z: [1e21, -0, 1.5, 0.1, 2 ** 53, 5e-324],
  a: 'tab\t quote\' " \\ ünï 漢字 😀 \u2028',
  '': { b: null, a: {}, 'a b': [] },
}

/** S26, and S15 and S22 for envelopes. */
export const envelopeRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S26',
    title: 'stores the first envelope of a session, and none if it has none',
    async check(db) {
      const store = await db.connect()
      const request = createRequest({
        metadata: { topic: 'tea' },
        identity: { issuer: 'https://issuer', scope: 'a b' },
      })
      await store.create(request)
      const view = await loadView(store, { sessionId: request.view.record.id })
      assert.deepEqual(view, request.view)
      assert.equal(view.envelopeAt, 1)
      assert.deepEqual(view.envelope?.document, {
        session_id: view.record.id,
        persona_id: '',
        tenant: 'local',
        subject: 'ada',
        issuer: 'https://issuer',
        scope: 'a b',
        metadata: { topic: 'tea' },
        analysis: {},
        timestamps: { created_at: NOON, updated_at: NOON },
      })
      const ofBatch = createRequest({ batch: 'b1' })
      await store.create(ofBatch)
      assert.deepEqual(await loadView(store, { sessionId: ofBatch.view.record.id }), ofBatch.view)
      assert.equal(ofBatch.view.envelope?.batch, 'b1')
      const without = createRequest()
      await store.create({ ...without, view: withoutEnvelope(without.view) })
      assert.deepEqual(await loadView(store, { sessionId: without.view.record.id }), withoutEnvelope(without.view))
    },
  },
  {
    id: 'S26',
    title: 'stores the envelope of a decision, passes it to the next, and names the last batch that wrote it',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { metadata: { topic: 'tea', cups: 1 } })
      const first = { personaId: 'barista', metadata: { cups: 2 }, analysis: { intent: 'order' }, batch: 'b1' }
      await store.decide(changeEnvelope(sessionId, first, noonPlus(5)))
      const view = await loadView(store, { sessionId })
      assert.deepEqual(view, await foldLog(store, sessionId))
      assert.deepEqual([view.envelopeAt, view.record.head, view.envelope?.batch], [3, 4, 'b1'])
      assert.deepEqual(view.record.metadata, { topic: 'tea', cups: 2 })
      assert.deepEqual(view.envelope?.document, {
        session_id: sessionId,
        persona_id: 'barista',
        tenant: 'local',
        subject: 'ada',
        metadata: { topic: 'tea', cups: 2 },
        analysis: { intent: 'order' },
        timestamps: { created_at: NOON, updated_at: noonPlus(5) },
      })
      const { decide, ...request } = changeEnvelope(sessionId, { analysis: { tags: ['hot'] } }, noonPlus(6))
      await store.decide({
        ...request,
        decide(before) {
          assert.deepEqual(before, view)
          return decide(before)
        },
      })
      const { envelope } = await loadView(store, { sessionId })
      assert.deepEqual(envelope?.document.analysis, { intent: 'order', tags: ['hot'] })
      assert.deepEqual([Object.hasOwn(envelope, 'batch'), envelope.document.persona_id], [false, 'barista'])
      assert.deepEqual(await loadView(store, { sessionId }), await foldLog(store, sessionId))
    },
  },
  {
    id: 'S26',
    title: 'leaves the envelope unchanged if its sequence stays',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.decide(changeEnvelope(sessionId, { personaId: 'barista', batch: 'b1' }, noonPlus(5)))
      const { envelope, envelopeAt } = await loadView(store, { sessionId })
      assert(envelope)
      const same = async () => {
        const view = await loadView(store, { sessionId })
        assert.deepEqual([view.envelopeAt, view.envelope], [envelopeAt, envelope])
      }
      const step = (change: (view: SessionView) => SessionView) =>
        store.decide({
          sessionId,
          at: noonPlus(7),
          decide: (view) => ({ events: [someEvent('step', 'x.step')], view: change(advanceView(view, 1)) }),
        })
      await store.append(appendRequest(sessionId, { at: noonPlus(6) }))
      await same()
      await step((view) => ({ ...view, envelope: { document: { ...envelope.document, persona_id: 'other' } } }))
      await same()
      await step(withoutEnvelope)
      await same()
      await endSession(store, sessionId, noonPlus(9))
      await same()
    },
  },
  {
    id: 'S26',
    title: 'returns no envelope while the stored one belongs to an earlier event',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.decide(changeEnvelope(sessionId, { personaId: 'kept', batch: 'b1' }, noonPlus(1)))
      await store.decide(changeWithoutEnvelope(sessionId, { metadata: { cups: 2 } }, noonPlus(2)))
      const folded = await foldLog(store, sessionId)
      assert.deepEqual(await loadView(store, { sessionId }), withoutEnvelope(folded))
      assert.deepEqual([folded.envelopeAt, folded.record.metadata], [6, { cups: 2 }])
      // the stored envelope remains
      assert.equal(await store.envelopes.count({ batch: 'b1' }), 1)
      const { decide, ...request } = changeEnvelope(sessionId, { personaId: 'back' }, noonPlus(3))
      await store.decide({
        ...request,
        decide(before) {
          assert.equal(before.envelope, undefined)
          return decide({ ...before, ...(folded.envelope && { envelope: folded.envelope }) })
        },
      })
      assert.deepEqual(await loadView(store, { sessionId }), await foldLog(store, sessionId))
      assert.equal((await loadView(store, { sessionId })).envelope?.document.persona_id, 'back')
      assert.equal(await store.envelopes.count({ batch: 'b1' }), 0)
    },
  },
  {
    id: 'S26',
    title: 'stores the envelope of a fork separately from its source',
    async check(db) {
      const store = await db.connect()
      const source = await createSession(store, { metadata: { topic: 'tea' }, identity: { issuer: 'i' } })
      await store.decide(changeEnvelope(source, { personaId: 'barista', batch: 'b1' }))
      const before = await loadView(store, { sessionId: source })
      const fork = await forkSession(store, source, 4, noonPlus(9))
      const { envelope, envelopeAt } = await loadView(store, { sessionId: fork })
      const timestamps = { created_at: noonPlus(9), updated_at: noonPlus(9) }
      assert.equal(envelopeAt, 5)
      assert.deepEqual(envelope, { document: { ...before.envelope?.document, session_id: fork, timestamps } })
      await store.decide(changeEnvelope(fork, { personaId: 'other' }, noonPlus(10)))
      assert.equal((await loadView(store, { sessionId: fork })).envelope?.document.persona_id, 'other')
      assert.deepEqual(await loadView(store, { sessionId: source }), before)
      // a fork of a session without an envelope has none
      await store.envelopes.remove({ batch: 'b1' }, 9)
      assert.deepEqual(
        await expectedRow(store, await forkSession(store, source, 3)).then(({ envelope }) => envelope),
        undefined,
      )
    },
  },
  {
    id: 'S26',
    title: 'a repair always stores the envelope',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.decide(changeEnvelope(sessionId, { personaId: 'right', batch: 'b1' }, noonPlus(1)))
      const right = await loadView(store, { sessionId })
      assert(right.envelope)
      const key = { sessionId }
      const wrong = { document: { ...right.envelope.document, persona_id: 'wrong', metadata: { only: 'here' } } }
      assert.equal(await store.repair(key, 3, { ...right, envelope: wrong }, []), false)
      assert.deepEqual(await loadView(store, key), right)
      assert.equal(await store.repair(key, 4, { ...right, envelope: wrong }, []), true)
      assert.deepEqual(await loadView(store, key), { ...right, envelope: wrong })
      assert.equal(await store.repair(key, 4, withoutEnvelope(right), []), true)
      assert.deepEqual(await loadView(store, key), { ...right, envelope: wrong })
      assert.equal(await store.repair(key, 4, { ...withoutEnvelope(right), envelopeAt: 2 }, []), true)
      assert.deepEqual(await loadView(store, key), { ...withoutEnvelope(right), envelopeAt: 2 })
      assert.equal(await store.repair(key, 4, right, []), true)
      assert.deepEqual(await loadView(store, key), right)
      await store.envelopes.remove({ since: NOON }, 9)
      assert.equal(await store.repair(key, 4, right, []), true)
      assert.deepEqual(await loadView(store, key), right)
    },
  },
  {
    id: 'S26',
    title: 'returns metadata and analysis unchanged, with key order and numbers',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { metadata: RICH })
      const envelope = async () => (await loadView(store, { sessionId })).envelope?.document
      const same = (value: JsonObject | undefined) => {
        assert.deepEqual(value, RICH)
        assert.equal(JSON.stringify(value), JSON.stringify(RICH))
      }
      same((await envelope())?.metadata)
      await store.decide(changeEnvelope(sessionId, { analysis: RICH, whole: true }))
      for (const field of ['metadata', 'analysis'] as const) same((await envelope())?.[field])
      for (const row of [...(await store.envelopes.find([sessionId])), ...(await store.envelopes.page({ limit: 9 }))]) {
        for (const field of ['metadata', 'analysis'] as const) same(row.envelope?.document[field])
      }
    },
  },
  {
    id: 'S26',
    title: 'records the actual sequence of the event during concurrent appends over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const sessionId = await createSession(first)
      const appends = () => upTo(12).map((n) => stores[n % 4]?.append(appendRequest(sessionId)))
      const decide = (n: number) => stores[n % 4]?.decide(changeEnvelope(sessionId, { metadata: { [`k${n}`]: n } }))
      const check = async () => {
        const view = await loadView(first, { sessionId })
        const last = (await readLog(first, sessionId)).findLast(({ type }) => type === 'envelope_updated')
        assert.equal(view.envelopeAt, last?.sequence)
        assert.deepEqual(view, await foldLog(first, sessionId))
        return Object.keys(view.envelope?.document.metadata ?? {}).length
      }
      for (const n of upTo(10)) {
        await Promise.all([...appends(), decide(n), ...appends()])
        assert.equal(await check(), n)
      }
      await Promise.all(
        upTo(20).flatMap((n) => [decide(10 + n), stores[(n + 1) % 4]?.append(appendRequest(sessionId))]),
      )
      assert.equal(await check(), 30)
    },
  },
  {
    id: 'S22',
    title: 'a purge removes the envelope of its session only',
    async check(db) {
      const store = await db.connect()
      const request = createRequest()
      const sessionId = request.view.record.id
      await store.create(request)
      const other = await createSession(store)
      const kept = await expectedRow(store, other)
      await store.purge({ sessionId }, NOON)
      assert.deepEqual(await store.envelopes.page({ limit: 9 }), [kept])
      assert.equal(await store.envelopes.count({ since: NOON }), 1)
      await store.create({ ...request, view: withoutEnvelope(request.view) })
      assert.deepEqual(await loadView(store, { sessionId }), withoutEnvelope(request.view))
    },
  },
  {
    id: 'S15',
    title: 'shares no envelope objects with the caller',
    async check(db) {
      const store = await db.connect()
      const spoil = (view: SessionView | EnvelopeRow | undefined) => {
        assert(view?.envelope)
        Object.assign(view.envelope, { batch: 'spoilt' })
        Object.assign(view.envelope.document.analysis, { spoilt: true })
      }
      const request = createRequest()
      const sessionId = request.view.record.id
      const clean = structuredClone(request.view.envelope)
      await store.create(request)
      spoil(request.view)
      spoil(await store.load({ sessionId }))
      spoil((await store.envelopes.find([sessionId]))[0])
      spoil((await store.envelopes.page({ limit: 1 }))[0])
      assert.deepEqual((await store.load({ sessionId }))?.envelope, clean)
      const { decide, ...rest } = changeEnvelope(sessionId, { personaId: 'p', analysis: {} })
      const given: SessionView[] = []
      await store.decide({
        ...rest,
        decide(view) {
          const decision = decide(view)
          given.push(decision.view)
          return decision
        },
      })
      for (const view of given) spoil(view)
      const { envelope } = await loadView(store, { sessionId })
      assert.deepEqual([envelope?.document.analysis, envelope?.batch], [{}, undefined])
    },
  },
]
