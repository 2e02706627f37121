import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import type { ReadQuery } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  expectError,
  forkSession,
  NOON,
  noonPlus,
  readLog,
  someEvent,
  someEvents,
  upTo,
} from './samples.ts'

/** S13 to S20, S28 and S29. */
export const readingRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S13',
    title: 'reads ranges, types and both orders exactly as written',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const { checksum, ...rich } = someEvent('tab\tline\nquote\' " \\ ünï 漢字 😀 \u2028', 'user_message', {
        parts: '{"b":1.50,"a":{"__x":[1e21,-0,""]},"b2":"\\u0041"}',
        agentId: 'someone else',
        occurredAt: '2026-03-01T13:00:00.123456+01:00',
      })
      await store.append(appendRequest(id, { events: [{ ...rich, checksum }] }))
      for (const n of upTo(600)) {
        await store.append(
          appendRequest(id, { events: [someEvent(`m${n}`, n % 290 === 0 ? 'x.rare' : 'model_message')] }),
        )
      }
      const all = await readLog(store, id)
      assert.deepEqual(all[1], { ...rich, sequence: 2, createdAt: NOON })

      const sequences = async (query: Partial<ReadQuery>) =>
        (await store.read({ sessionId: id }, { order: 'asc', limit: 1000, ...query })).map((event) => event.sequence)
      assert.deepEqual(await sequences({ after: 10, before: 14 }), [11, 12, 13])
      assert.deepEqual(await sequences({ after: 10, limit: 2 }), [11, 12])
      assert.deepEqual(await sequences({ before: 14, order: 'desc', limit: 2 }), [13, 12])
      assert.deepEqual(await sequences({ after: 5000 }), [])
      assert.deepEqual(await sequences({ after: 14, before: 10 }), [])
      assert.deepEqual(await sequences({ types: ['x.rare'] }), [292, 582])
      assert.deepEqual(await sequences({ types: ['x.rare', 'session_started'], order: 'desc' }), [582, 292, 1])
      assert.deepEqual(await sequences({ types: ['x.rare', 'session_started'], order: 'desc', limit: 2 }), [582, 292])
      assert.deepEqual(await sequences({ types: ['x.rare'], after: 292 }), [582])
      assert.deepEqual(await sequences({ types: ['x.rare'], before: 292 }), [])
      assert.deepEqual(await sequences({ types: ['model_message'], after: 254, limit: 4 }), [255, 256, 257, 258])
      assert.deepEqual(await sequences({ types: ['x.never'] }), [])
    },
  },
  {
    id: 'S13',
    title: 'finds every event by type: written alone, in batches, to several sessions, and after a purge',
    async check(db) {
      const store = await db.connect()
      const request = createRequest()
      const sessions = [request.view.record.id, await createSession(store, { conversationId: 'other' })]
      await store.create(request)
      const found = async (id: string) => {
        const all = await readLog(store, id)
        for (const type of new Set(all.map((event) => event.type))) {
          const expected = all.filter((event) => event.type === type)
          assert.deepEqual(await store.read({ sessionId: id }, { order: 'asc', limit: 1000, types: [type] }), expected)
        }
        return all.length
      }
      const long = (n: number) => `x.${n}.${'long'.repeat(20)}`
      for (const n of upTo(90)) {
        const [first = '', second = ''] = sessions
        await store.append(
          appendRequest(first, { events: [someEvent('alone', n % 3 === 0 ? long(n % 12) : 'model_message')] }),
        )
        await Promise.all([
          store.append(appendRequest(first, { events: [someEvent('beside'), someEvent('beside')] })),
          store.append(appendRequest(first, { events: [someEvent('beside', 'model_message')] })),
          store.append(
            appendRequest(second, { events: [someEvent('there', n % 7 === 0 ? 'x.seventh' : 'user_message')] }),
          ),
        ])
        if (n === 80) await store.append(appendRequest(second, { events: someEvents(300) }))
      }
      assert.deepEqual([await found(sessions[0] ?? ''), await found(sessions[1] ?? '')], [361, 391])

      await store.purge({ sessionId: sessions[0] ?? '' }, NOON)
      await store.create(request)
      for (const type of ['user_message', 'model_message']) {
        await store.append(appendRequest(sessions[0] ?? '', { events: [someEvent('again', type)] }))
      }
      assert.equal(await found(sessions[0] ?? ''), 3)
    },
  },
  {
    id: 'S13',
    title: 'never shows part of an append to a concurrent reader',
    async check(db) {
      const [writer, reader] = [await db.connect(), await db.connect()]
      const id = await createSession(writer)
      let writing = true
      const reading = (async () => {
        let looks = 0
        for (; writing; looks++) assert.equal(((await readLog(reader, id)).length - 1) % 5, 0)
        return looks
      })()
      for (const _ of upTo(60)) await writer.append(appendRequest(id, { events: someEvents(5) }))
      writing = false
      assert((await reading) > 0)
    },
  },
  {
    id: 'S28',
    title: 'ends a page with the event that fills it, in every kind of read',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const third = Math.ceil(LIMITS.pageSize / 3)
      const written = [
        someEvent('x'.repeat(third)),
        { ...someEvent('parts', 'model_message'), parts: JSON.stringify('y'.repeat(third)) },
        someEvent('漢'.repeat(third)),
        someEvent('ö'.repeat(third), 'model_message'),
        someEvent('short'),
        someEvent('last', 'model_message'),
      ]
      for (const event of written) await store.append(appendRequest(id, { events: [event] }))
      const repeated = { events: written, idempotency: { key: 'k', fingerprint: 'f' } }
      const other = await createSession(store, { conversationId: 'other' })
      await store.append(appendRequest(other, repeated))
      const { events: again } = await store.append(appendRequest(other, repeated))
      assert.deepEqual(
        again.map(({ content }) => content),
        written.map(({ content }) => content),
      )

      const events = async (query: Partial<ReadQuery>) =>
        await store.read({ sessionId: id }, { order: 'asc', limit: 100, ...query })
      const sequences = async (query: Partial<ReadQuery>) => (await events(query)).map(({ sequence }) => sequence)
      const stored = written.map(({ checksum: _, ...event }, i) => ({ ...event, sequence: i + 2, createdAt: NOON }))

      assert.deepEqual((await events({})).slice(1), stored.slice(0, 3))
      assert.deepEqual(await events({ after: 4 }), stored.slice(3))
      assert.deepEqual(await sequences({ order: 'desc' }), [7, 6, 5, 4, 3])
      assert.deepEqual(await sequences({ order: 'desc', before: 3 }), [2, 1])
      assert.deepEqual(await sequences({ order: 'desc', turns: 9 }), [7, 6, 5, 4, 3])
      assert.deepEqual(await sequences({ order: 'desc', turns: 2 }), [7, 6, 5, 4])
      assert.deepEqual(await sequences({ limit: 2, after: 2 }), [3, 4])
      const types = ['user_message', 'model_message']
      assert.deepEqual(await sequences({ types }), [2, 3, 4])
      assert.deepEqual(await sequences({ types, order: 'desc' }), [7, 6, 5, 4, 3])
      assert.deepEqual(await sequences({ types: ['model_message'], after: 3 }), [5, 7])
    },
  },
  {
    id: 'S14',
    title: 'reads back to the start of a turn, but not before a clear',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const turn = (n: number) => [
        someEvent(`u${n}`),
        someEvent(`a${n}`, 'model_message'),
        someEvent(`b${n}`, 'model_message'),
      ]
      for (const n of upTo(5)) await store.append(appendRequest(id, { events: turn(n) }))
      const contents = async (query: Partial<ReadQuery>) =>
        (await store.read({ sessionId: id }, { order: 'desc', limit: 100, ...query })).map((event) => event.content)
      assert.deepEqual(await contents({ turns: 1 }), ['b5', 'a5', 'u5'])
      assert.deepEqual(await contents({ turns: 2, limit: 4 }), ['b5', 'a5', 'u5', 'b4'])
      assert.deepEqual(await contents({ turns: 1, before: 13 }), ['a4', 'u4'])
      assert.equal((await contents({ turns: 9 })).length, 16)
      await store.decide({
        sessionId: id,
        at: NOON,
        decide: (view) => ({
          events: [someEvent('clear', 'messages_cleared')],
          view: { ...advanceView(view, 1), clearedAt: 17 },
        }),
      })
      assert.deepEqual(await contents({ turns: 9 }), [])
      await store.append(appendRequest(id, { events: turn(6) }))
      assert.deepEqual(await contents({ turns: 9 }), ['b6', 'a6', 'u6'])
      assert.deepEqual(await contents({ turns: 9, after: 3 }), ['b6', 'a6', 'u6'])
      assert.deepEqual(await contents({ turns: 9, after: 18 }), ['b6', 'a6'])
      assert.equal((await contents({})).length, 20)
    },
  },
  {
    id: 'S15',
    title: 'loads all views at one point in time',
    async check(db) {
      const [writer, reader] = [await db.connect(), await db.connect()]
      const id = await createSession(writer)
      let writing = true
      const reading = (async () => {
        while (writing) {
          const view = await reader.load({ sessionId: id })
          assert.equal(view?.state.version, (view?.record.head ?? 0) - 1)
        }
      })()
      for (const _ of upTo(60)) {
        await writer.decide({
          sessionId: id,
          at: NOON,
          decide: (view) => ({
            events: [someEvent('count', 'x.count')],
            view: { ...advanceView(view, 1), state: { ...view.state, version: view.state.version + 1 } },
          }),
        })
      }
      writing = false
      await reading
    },
  },
  {
    id: 'S15',
    title: 'returns the record or the scratchpad alone, equal to those in the full view',
    async check(db) {
      const store = await db.connect()
      const request = createRequest()
      const { record, state } = request.view
      // every column of a record and a scratchpad, with values that reveal lost text or key order
      const view = {
        ...request.view,
        record: {
          ...record,
          ...{ workflow: 'w', skill: 's', gitBranch: 'g', task: 'née "t"', expiresAt: noonPlus(9000) },
          metadata: { z: 1, a: [null, -0, 1.5], '\u00e9': { deep: true } },
        },
        state: { ...state, scratchpad: { z: 'last', a: ['first'] }, version: 0 },
      }
      await store.create({ ...request, view })
      const [sessionId, { tenant, userId }] = [record.id, record]
      await store.append(appendRequest(sessionId, { at: noonPlus(7) }))
      const whole = await store.load({ sessionId })
      assert.equal(whole?.record.head, 2)
      for (const key of [{ sessionId }, { sessionId, within: { tenant, userId } }, { sessionId, within: { tenant } }]) {
        assert.deepEqual(await store.record(key), whole.record)
        assert.deepEqual(await store.state(key), whole.state)
        assert.equal(JSON.stringify(await store.state(key)), JSON.stringify(whole.state))
      }
    },
  },
  {
    id: 'S15',
    title: 'shares no view objects with the caller',
    async check(db) {
      const store = await db.connect()
      const request = createRequest({ conversationId: 'c' })
      const { id } = request.view.record
      const spoil = (record: { metadata: object } | undefined) =>
        Object.assign(record?.metadata ?? {}, { spoilt: true })
      const clean = async () => assert.deepEqual((await store.load({ sessionId: id }))?.record.metadata, {})
      for (const given of [request, request, createRequest({ reuse: 'any' }), createRequest({ conversationId: 'c' })]) {
        spoil((await store.create(given)).record)
        await clean()
      }
      spoil(request.view.record)
      await clean()
      const scope = { tenant: 'local', userId: 'ada', chatmode: 'default', at: NOON }
      spoil(await store.active(scope))
      spoil((await store.list({ tenant: 'local', limit: 1 }))[0])
      const loaded = await store.load({ sessionId: id })
      spoil(loaded?.record)
      spoil(await store.record({ sessionId: id }))
      const pad = await store.state({ sessionId: id })
      Object.assign(pad?.scratchpad ?? {}, { spoilt: true })
      assert.deepEqual((await store.state({ sessionId: id }))?.scratchpad, {})
      await clean()
      const refusal = store.decide({
        sessionId: id,
        at: NOON,
        decide: (view) => {
          spoil(view.record)
          throw new RangeError('no')
        },
      })
      await assert.rejects(refusal, RangeError)
      await clean()
      const views: SessionView[] = []
      await store.decide({
        sessionId: id,
        at: NOON,
        decide: (view) => {
          views.push(advanceView(view, 1))
          return { events: [someEvent()], view: views[0] as SessionView }
        },
      })
      const repaired = structuredClone(views[0] as SessionView)
      spoil(views[0]?.record)
      await clean()
      assert.equal(await store.repair({ sessionId: id }, 2, repaired, []), true)
      spoil(repaired.record)
      await clean()
      const { event, view } = createRequest()
      const fork = { source: { sessionId: id, sequence: 1 }, event, at: NOON, view: advanceView(view, 1) }
      for (const _ of upTo(2)) spoil((await store.fork(fork)).record)
      spoil(view.record)
      assert.deepEqual((await store.load({ sessionId: view.record.id }))?.record.metadata, {})
    },
  },
  {
    id: 'S17',
    title: 'wakes watchers of the session over the same and over another connection',
    async check(db) {
      const [writer, watcher] = [await db.connect(), await db.connect()]
      const id = await createSession(writer)
      for (const store of [writer, watcher]) {
        let stop = () => {}
        const woken = new Promise<void>((resolve) => {
          stop = store.watch(id, resolve)
        })
        await writer.append(appendRequest(id))
        await woken
        stop()
        const decided = new Promise<void>((resolve) => {
          stop = store.watch(id, resolve)
        })
        await writer.decide({
          sessionId: id,
          at: NOON,
          decide: (view) => ({ events: [someEvent()], view: advanceView(view, 1) }),
        })
        await decided
        stop()
      }
    },
  },
  {
    id: 'S17',
    title: 'wakes each watcher of a session until it stops, and no others',
    async check(db) {
      const [writer, watcher] = [await db.connect(), await db.connect()]
      const id = await createSession(writer)
      for (const store of [writer, watcher]) {
        let calls = 0
        const stop = store.watch(id, () => {
          calls++
        })
        for (const _ of upTo(3)) {
          const before = calls
          let leave = () => {}
          const woken = new Promise<void>((resolve) => {
            leave = store.watch(id, resolve)
          })
          await writer.append(appendRequest(id))
          await woken
          leave()
          // watchers wake in the order of registration
          assert(calls > before)
        }
        stop()
        stop()
        const after = calls
        let leave = () => {}
        const woken = new Promise<void>((resolve) => {
          leave = store.watch(id, resolve)
        })
        await writer.append(appendRequest(id))
        await woken
        leave()
        assert.equal(calls, after)
      }
    },
  },
  {
    id: 'S19',
    title: 'repairs views only at the expected head',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      await store.append(appendRequest(id))
      const view = await store.load({ sessionId: id })
      assert(view)
      const wrong = { ...view, record: { ...view.record, turns: 77, task: 'other' }, clearedAt: 1 }
      assert.equal(await store.repair({ sessionId: id }, 1, wrong, []), false)
      assert.equal(await store.repair({ sessionId: id }, 3, wrong, []), false)
      assert.deepEqual(await store.load({ sessionId: id }), view)
      assert.equal(await store.repair({ sessionId: id }, 2, wrong, []), true)
      assert.deepEqual(await store.load({ sessionId: id }), wrong)
      const again = { ...wrong, record: { ...wrong.record, head: 3, turns: 10 }, clearedAt: 2 }
      await store.append(appendRequest(id))
      assert.equal(await store.repair({ sessionId: id }, 3, again, []), true)
      await store.append(appendRequest(id))
      const { record, clearedAt } = (await store.load({ sessionId: id })) ?? {}
      assert.deepEqual([record?.head, record?.turns, clearedAt], [4, 11, 2])
    },
  },
  {
    id: 'S20',
    title: 'rejects every call after close, and finishes accepted ones',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const accepted = upTo(10).map(() => store.append(appendRequest(id, { at: noonPlus(1) })))
      await Promise.all([...accepted, store.close()])
      await expectError('STORAGE', store.append(appendRequest(id)))
      for (const look of ['load', 'record', 'state'] as const)
        await expectError('STORAGE', store[look]({ sessionId: id }))
      await expectError('STORAGE', store.read({ sessionId: id }, { order: 'asc', limit: 1 }))
      await expectError('STORAGE', store.health())
      assert.throws(() => store.watch(id, () => {}), { code: 'STORAGE' })
    },
  },
  {
    id: 'S29',
    title: 'stores checksums as given, and returns those of a range',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const bytes = (n: number) => n.toString(16).padStart(2, '0').repeat(28)
      const written = upTo(600).map((n) => ({ ...someEvent(`m${n}`), checksum: bytes(n % 256) }))
      // alone, and together
      await store.append(appendRequest(id, { events: written.slice(0, 1) }))
      await Promise.all([
        store.append(appendRequest(id, { events: written.slice(1, 300) })),
        store.append(appendRequest(id, { events: written.slice(300, 590) })),
      ])
      // by decisions of one and of several events
      for (const events of [written.slice(590, 591), written.slice(591)]) {
        await store.decide({
          sessionId: id,
          at: NOON,
          decide: (view) => ({ events, view: advanceView(view, events.length) }),
        })
      }
      const checksums = written.map(({ checksum }) => checksum)
      const read = (after: number, before: number) => store.checksums({ sessionId: id }, { after, before })
      assert.deepEqual(await read(1, Number.MAX_SAFE_INTEGER), checksums)
      assert.deepEqual(await read(10, 14), checksums.slice(9, 12))
      assert.deepEqual([await read(14, 10), await read(700, 800)], [[], []])
      const fork = await forkSession(store, id, 500)
      const copied = await store.checksums({ sessionId: fork }, { after: 1, before: 501 })
      assert.deepEqual(copied, checksums.slice(0, 499))
      await expectError('SESSION_NOT_FOUND', store.checksums({ sessionId: uuid7() }, { after: 0, before: 2 }))
    },
  },
]
