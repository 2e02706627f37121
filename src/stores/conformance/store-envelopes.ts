import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { EnvelopeRow } from '../../ports/envelope-store.ts'
import { bare, changing, changingBlind, foldedIn, loadedIn, rowIn } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  appending,
  createdIn,
  creation,
  endedIn,
  forkedIn,
  logOf,
  moved,
  NOON,
  seconds,
  someEvent,
  upTo,
} from './samples.ts'

/** Text that a store could change by storing it as something else than text. */
const RICH: JsonObject = {
  z: [1e21, -0, 1.5, 0.1, 2 ** 53, 5e-324],
  a: 'tab\t quote\' " \\ ünï 漢字 😀 \u2028',
  '': { b: null, a: {}, 'a b': [] },
}

/** S26, and S15 and S22 for envelopes. */
export const envelopeRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S26',
    title: 'stores the envelope that a session begins with, and none where it has none',
    async check(db) {
      const store = await db.connect()
      const request = creation({ metadata: { topic: 'tea' }, identity: { issuer: 'https://issuer', scope: 'a b' } })
      await store.create(request)
      const view = await loadedIn(store, { sessionId: request.view.record.id })
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
      const ofBatch = creation({ batch: 'b1' })
      await store.create(ofBatch)
      assert.deepEqual(await loadedIn(store, { sessionId: ofBatch.view.record.id }), ofBatch.view)
      assert.equal(ofBatch.view.envelope?.batch, 'b1')
      const without = creation()
      await store.create({ ...without, view: bare(without.view) })
      assert.deepEqual(await loadedIn(store, { sessionId: without.view.record.id }), bare(without.view))
    },
  },
  {
    id: 'S26',
    title: 'stores the envelope of a decision, shows it to the next, and names the batch that wrote it last',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store, { metadata: { topic: 'tea', cups: 1 } })
      const first = { personaId: 'barista', metadata: { cups: 2 }, analysis: { intent: 'order' }, batch: 'b1' }
      await store.decide(changing(sessionId, first, seconds(5)))
      const view = await loadedIn(store, { sessionId })
      assert.deepEqual(view, await foldedIn(store, sessionId))
      assert.deepEqual([view.envelopeAt, view.record.head, view.envelope?.batch], [3, 4, 'b1'])
      assert.deepEqual(view.record.metadata, { topic: 'tea', cups: 2 })
      assert.deepEqual(view.envelope?.document, {
        session_id: sessionId,
        persona_id: 'barista',
        tenant: 'local',
        subject: 'ada',
        metadata: { topic: 'tea', cups: 2 },
        analysis: { intent: 'order' },
        timestamps: { created_at: NOON, updated_at: seconds(5) },
      })
      const { decide, ...request } = changing(sessionId, { analysis: { tags: ['hot'] } }, seconds(6))
      await store.decide({
        ...request,
        decide(before) {
          assert.deepEqual(before, view)
          return decide(before)
        },
      })
      const { envelope } = await loadedIn(store, { sessionId })
      assert.deepEqual(envelope?.document.analysis, { intent: 'order', tags: ['hot'] })
      assert.deepEqual([Object.hasOwn(envelope, 'batch'), envelope.document.persona_id], [false, 'barista'])
      assert.deepEqual(await loadedIn(store, { sessionId }), await foldedIn(store, sessionId))
    },
  },
  {
    id: 'S26',
    title: 'leaves the envelope as it is where its place in the log stays',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store)
      await store.decide(changing(sessionId, { personaId: 'barista', batch: 'b1' }, seconds(5)))
      const { envelope, envelopeAt } = await loadedIn(store, { sessionId })
      assert(envelope)
      const same = async () => {
        const view = await loadedIn(store, { sessionId })
        assert.deepEqual([view.envelopeAt, view.envelope], [envelopeAt, envelope])
      }
      const step = (change: (view: SessionView) => SessionView) =>
        store.decide({
          sessionId,
          at: seconds(7),
          decide: (view) => ({ events: [someEvent('step', 'x.step')], view: change(moved(view, 1)) }),
        })
      await store.append(appending(sessionId, { at: seconds(6) }))
      await same()
      await step((view) => ({ ...view, envelope: { document: { ...envelope.document, persona_id: 'other' } } }))
      await same()
      await step(bare)
      await same()
      await endedIn(store, sessionId, seconds(9))
      await same()
    },
  },
  {
    id: 'S26',
    title: 'gives no envelope while the one that is stored is of an earlier event',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store)
      await store.decide(changing(sessionId, { personaId: 'kept', batch: 'b1' }, seconds(1)))
      await store.decide(changingBlind(sessionId, { metadata: { cups: 2 } }, seconds(2)))
      const folded = await foldedIn(store, sessionId)
      assert.deepEqual(await loadedIn(store, { sessionId }), bare(folded))
      assert.deepEqual([folded.envelopeAt, folded.record.metadata], [6, { cups: 2 }])
      // what is stored is still there
      assert.equal(await store.envelopes.count({ batch: 'b1' }), 1)
      const { decide, ...request } = changing(sessionId, { personaId: 'back' }, seconds(3))
      await store.decide({
        ...request,
        decide(before) {
          assert.equal(before.envelope, undefined)
          return decide({ ...before, ...(folded.envelope && { envelope: folded.envelope }) })
        },
      })
      assert.deepEqual(await loadedIn(store, { sessionId }), await foldedIn(store, sessionId))
      assert.equal((await loadedIn(store, { sessionId })).envelope?.document.persona_id, 'back')
      assert.equal(await store.envelopes.count({ batch: 'b1' }), 0)
    },
  },
  {
    id: 'S26',
    title: 'stores the envelope of a fork apart from that of its source',
    async check(db) {
      const store = await db.connect()
      const source = await createdIn(store, { metadata: { topic: 'tea' }, identity: { issuer: 'i' } })
      await store.decide(changing(source, { personaId: 'barista', batch: 'b1' }))
      const before = await loadedIn(store, { sessionId: source })
      const fork = await forkedIn(store, source, 4, seconds(9))
      const { envelope, envelopeAt } = await loadedIn(store, { sessionId: fork })
      const timestamps = { created_at: seconds(9), updated_at: seconds(9) }
      assert.equal(envelopeAt, 5)
      assert.deepEqual(envelope, { document: { ...before.envelope?.document, session_id: fork, timestamps } })
      await store.decide(changing(fork, { personaId: 'other' }, seconds(10)))
      assert.equal((await loadedIn(store, { sessionId: fork })).envelope?.document.persona_id, 'other')
      assert.deepEqual(await loadedIn(store, { sessionId: source }), before)
      // one of a source without an envelope has none, too
      await store.envelopes.remove({ batch: 'b1' }, 9)
      assert.deepEqual(await rowIn(store, await forkedIn(store, source, 3)).then(({ envelope }) => envelope), undefined)
    },
  },
  {
    id: 'S26',
    title: 'has a repair store the envelope in any case',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store)
      await store.decide(changing(sessionId, { personaId: 'right', batch: 'b1' }, seconds(1)))
      const right = await loadedIn(store, { sessionId })
      assert(right.envelope)
      const key = { sessionId }
      const wrong = { document: { ...right.envelope.document, persona_id: 'wrong', metadata: { only: 'here' } } }
      assert.equal(await store.repair(key, 3, { ...right, envelope: wrong }, []), false)
      assert.deepEqual(await loadedIn(store, key), right)
      assert.equal(await store.repair(key, 4, { ...right, envelope: wrong }, []), true)
      assert.deepEqual(await loadedIn(store, key), { ...right, envelope: wrong })
      assert.equal(await store.repair(key, 4, bare(right), []), true)
      assert.deepEqual(await loadedIn(store, key), { ...right, envelope: wrong })
      assert.equal(await store.repair(key, 4, { ...bare(right), envelopeAt: 2 }, []), true)
      assert.deepEqual(await loadedIn(store, key), { ...bare(right), envelopeAt: 2 })
      assert.equal(await store.repair(key, 4, right, []), true)
      assert.deepEqual(await loadedIn(store, key), right)
      await store.envelopes.remove({ since: NOON }, 9)
      assert.equal(await store.repair(key, 4, right, []), true)
      assert.deepEqual(await loadedIn(store, key), right)
    },
  },
  {
    id: 'S26',
    title: 'gives metadata and analysis back as they came, keys in their order and numbers as they were',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store, { metadata: RICH })
      const envelope = async () => (await loadedIn(store, { sessionId })).envelope?.document
      const same = (value: JsonObject | undefined) => {
        assert.deepEqual(value, RICH)
        assert.equal(JSON.stringify(value), JSON.stringify(RICH))
      }
      same((await envelope())?.metadata)
      await store.decide(changing(sessionId, { analysis: RICH, whole: true }))
      for (const field of ['metadata', 'analysis'] as const) same((await envelope())?.[field])
      for (const row of [...(await store.envelopes.find([sessionId])), ...(await store.envelopes.page({ limit: 9 }))]) {
        for (const field of ['metadata', 'analysis'] as const) same(row.envelope?.document[field])
      }
    },
  },
  {
    id: 'S26',
    title: 'knows the real sequence of the event, whatever is appended meanwhile over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const sessionId = await createdIn(first)
      const appends = () => upTo(12).map((n) => stores[n % 4]?.append(appending(sessionId)))
      const decide = (n: number) => stores[n % 4]?.decide(changing(sessionId, { metadata: { [`k${n}`]: n } }))
      const check = async () => {
        const view = await loadedIn(first, { sessionId })
        const last = (await logOf(first, sessionId)).findLast(({ type }) => type === 'envelope_updated')
        assert.equal(view.envelopeAt, last?.sequence)
        assert.deepEqual(view, await foldedIn(first, sessionId))
        return Object.keys(view.envelope?.document.metadata ?? {}).length
      }
      for (const n of upTo(10)) {
        await Promise.all([...appends(), decide(n), ...appends()])
        assert.equal(await check(), n)
      }
      await Promise.all(upTo(20).flatMap((n) => [decide(10 + n), stores[(n + 1) % 4]?.append(appending(sessionId))]))
      assert.equal(await check(), 30)
    },
  },
  {
    id: 'S22',
    title: 'removes the envelope of a session that is purged, and of no other',
    async check(db) {
      const store = await db.connect()
      const request = creation()
      const sessionId = request.view.record.id
      await store.create(request)
      const other = await createdIn(store)
      const kept = await rowIn(store, other)
      await store.purge({ sessionId }, NOON)
      assert.deepEqual(await store.envelopes.page({ limit: 9 }), [kept])
      assert.equal(await store.envelopes.count({ since: NOON }), 1)
      await store.create({ ...request, view: bare(request.view) })
      assert.deepEqual(await loadedIn(store, { sessionId }), bare(request.view))
    },
  },
  {
    id: 'S15',
    title: 'keeps no hold on an envelope that came in or went out',
    async check(db) {
      const store = await db.connect()
      const spoil = (view: SessionView | EnvelopeRow | undefined) => {
        assert(view?.envelope)
        Object.assign(view.envelope, { batch: 'spoilt' })
        Object.assign(view.envelope.document.analysis, { spoilt: true })
      }
      const request = creation()
      const sessionId = request.view.record.id
      const clean = structuredClone(request.view.envelope)
      await store.create(request)
      spoil(request.view)
      spoil(await store.load({ sessionId }))
      spoil((await store.envelopes.find([sessionId]))[0])
      spoil((await store.envelopes.page({ limit: 1 }))[0])
      assert.deepEqual((await store.load({ sessionId }))?.envelope, clean)
      const { decide, ...rest } = changing(sessionId, { personaId: 'p', analysis: {} })
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
      const { envelope } = await loadedIn(store, { sessionId })
      assert.deepEqual([envelope?.document.analysis, envelope?.batch], [{}, undefined])
    },
  },
]
