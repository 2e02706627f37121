import assert from 'node:assert/strict'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { loadView } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  blockOf,
  detailsOf,
  endSteps,
  expectedImport,
  type ForeignSession,
  foreignSession,
  importSession,
  readCommits,
  readSession,
  viewAfter,
  WORK,
  writeSession,
} from './import-samples.ts'
import {
  ADA,
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  endSession,
  expectError,
  forkSession,
  NOON,
  noonPlus,
  readChecksummedLog,
  someEvent,
  upTo,
} from './samples.ts'
import { importConflictRules } from './store-import-conflicts.ts'

/** Calls that do not see a pending import. */
const CALLS: readonly ((store: Store, key: SessionKey) => Promise<unknown>)[] = [
  (store, { sessionId }) => store.append(appendRequest(sessionId)),
  (store, key) =>
    store.decide({ ...key, at: NOON, decide: (view) => ({ events: [someEvent()], view: advanceView(view, 1) }) }),
  (store, key) => store.read(key, { order: 'asc', limit: 9 }),
  (store, key) => store.read(key, { order: 'asc', limit: 9, types: ['user_message'] }),
  (store, key) => store.read(key, { order: 'desc', limit: 9, turns: 1 }),
  (store, key) => store.edges(key, { limit: 9 }),
  (store, key) => store.repair(key, 1, createRequest({ id: key.sessionId }).view, []),
  (store, key) => store.purge(key, NOON),
  (store, key) => {
    const { event, view } = createRequest()
    return store.fork({ source: { ...key, sequence: 1 }, event, at: NOON, view })
  },
]

/** T1 and T2. */
const comingRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'T1',
    title: 'imports a session in blocks of any size and returns the same as for one written here',
    async check(db) {
      const store = await db.connect()
      const long = upTo(130).map((n) => ['user_message', { n }] as const)
      const lives: [ForeignSession, sizes: number[]][] = [
        [
          foreignSession({ conversationId: 'c', metadata: { topic: 'tea' }, identity: { issuer: 'i' } }, [
            ...WORK,
            ...endSteps(1),
          ]),
          [1, 4, 99],
        ],
        [foreignSession({ conversationId: 'd', task: 'live', expiresAt: '2030-01-01T00:00:00.000Z' }, WORK), [2]],
        [foreignSession({ userId: 'bob' }, [...long, ['x.rare'], ...long]), [100]],
      ]
      for (const [life, sizes] of lives) {
        await writeSession(store, life)
        const written = await readSession(store, life)
        for (const size of sizes) {
          await store.purge({ sessionId: life.sessionId }, noonPlus(500))
          await importSession(store, life, size)
          // the import restores the link that the purge left
          assert.deepEqual(await readSession(store, life), written)
        }
        await expectError('SEQUENCE_CONFLICT', importSession(store, life))
        assert.deepEqual(await readSession(store, life), written)
      }
    },
  },
  {
    id: 'T1',
    title: 'reports the progress of an import, also to other and later connections',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      // at the depth limit in the event, and deeper in the views
      const deep = upTo(LIMITS.depth - 2).reduce<Json>((inner) => [inner], -0)
      const life = foreignSession({}, [['state_changed', { op: 'replace', value: { deep } }], ...WORK, ...endSteps(1)])
      const { sessionId } = life
      assert.equal(await store.imports.find(sessionId), undefined)
      for (const head of [1, 3, 5]) {
        await store.imports.write(blockOf(life, head === 1 ? 0 : head - 2, head))
        assert.deepEqual(await other.imports.find(sessionId), expectedImport(life, head, true))
      }
      const spoilt = await store.imports.find(sessionId)
      Object.assign(spoilt?.view.record.metadata ?? {}, { spoilt: true })
      // as after a crash: only stored data remains
      await store.close()
      const late = await db.connect()
      assert.deepEqual(await late.imports.find(sessionId), expectedImport(life, 5, true))
      const last = structuredClone(blockOf(life, 5))
      await late.imports.write(last)
      Object.assign(last.view.record.metadata, { spoilt: true })
      assert.deepEqual(await other.imports.find(sessionId), expectedImport(life, 12, false))
      assert.deepEqual(await loadView(other, { sessionId }), viewAfter(life))
      await other.append(appendRequest(await createSession(other)))
    },
  },
  {
    id: 'T1',
    title: 'accepts only the block that follows the stored events, and otherwise changes nothing',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({}, WORK)
      const { sessionId } = life
      const conflict = async (after: number, actual: number) => {
        const refusal = expectError('SEQUENCE_CONFLICT', store.imports.write(blockOf(life, after)))
        assert.deepEqual(await detailsOf(refusal), { sessionId, expected: after, actual })
      }
      await conflict(2, 0)
      assert.equal(await store.imports.find(sessionId), undefined)
      await store.imports.write(blockOf(life, 0, 4))
      for (const after of [0, 3, 5]) await conflict(after, 4)
      assert.deepEqual(await store.imports.find(sessionId), expectedImport(life, 4, true))
      await store.imports.write(blockOf(life, 4))
      const before = await readSession(store, life)
      for (const after of [0, 4]) await conflict(after, 9)
      assert.deepEqual(await readSession(store, life), before)
    },
  },
  {
    id: 'T1',
    title: 'stores each block once with concurrent imports of the same session',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const life = foreignSession({ conversationId: 'c' }, [...WORK, ...endSteps(1)])
      for (const [after, head] of [
        [0, 2],
        [2, 7],
        [7, 11],
      ] as const) {
        // biome-ignore format: ranges
        const tried = await Promise.allSettled(stores.map((store) => store.imports.write(blockOf(life, after, head))))
        const lost = tried.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code)
        assert.deepEqual(lost, Array(3).fill('SEQUENCE_CONFLICT'))
        assert.deepEqual(await first.imports.find(life.sessionId), expectedImport(life, head, head < 11))
      }
      assert.deepEqual(await readChecksummedLog(first, life.sessionId), life.events)
      assert.equal((await readCommits(first, 'c')).length, 1)
    },
  },
  {
    id: 'T2',
    title: 'hides a pending import from every other call, and it occupies no scope',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({ conversationId: 'c' }, [...WORK, ...endSteps(1), ['x.more']])
      const { sessionId } = life
      for (const [after, head] of [
        [0, 1],
        [1, 9],
        [9, 11],
      ] as const) {
        // biome-ignore format: ranges
        await store.imports.write(blockOf(life, after, head))
        for (const call of CALLS) await expectError('SESSION_NOT_FOUND', call(store, { sessionId }))
        assert.equal(await store.load({ sessionId }), undefined)
        assert.equal(await store.active({ ...ADA, chatmode: 'default', at: NOON }), undefined)
        assert.deepEqual(await store.list({ tenant: 'local', limit: 9 }), [])
        assert.deepEqual(await store.sessionIds({ limit: 9 }), [])
        assert.deepEqual(await store.totals(undefined), { sessions: 0, events: 0 })
        assert.deepEqual(
          await store.due({
            idleSince: '2027-01-01T00:00:00.000Z',
            at: '2027-01-01T00:00:00.000Z',
            endedBefore: '2027-01-01T00:00:00.000Z',
            limit: 9,
          }),
          [],
        )
        assert.deepEqual(await readCommits(store, 'c'), [])
        assert.deepEqual(await store.envelopes.page({ limit: 9 }), [])
        assert.deepEqual(await store.envelopes.find([sessionId]), [])
        assert.equal(await store.envelopes.count({ since: '2000-01-01T00:00:00.000Z' }), 0)
        assert.equal(await store.index.mark(sessionId), undefined)
        assert.deepEqual(await store.index.marks(ADA, 1), [])
        assert.deepEqual(await store.index.behind({ version: 1, limit: 9 }), [])
        assert.deepEqual(await store.index.events(ADA, [{ session: sessionId, sequence: 1 }]), [])
        assert.equal(await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages: [] }), false)
      }
      const { outcome, record } = await store.create(createRequest({ conversationId: 'c', reuse: 'any' }))
      assert.equal(outcome, 'created')
      await store.decide({
        sessionId: record.id,
        at: NOON,
        chained: true,
        decide(view, last) {
          assert.equal(last, undefined)
          return { events: [someEvent()], view: advanceView(view, 1) }
        },
      })
      assert.deepEqual(await store.imports.find(sessionId), expectedImport(life, 11, true))
    },
  },
]

/** T3. */
const doneRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'T3',
    title: 'rejects a live session while another session of its scope is live, expired or not',
    async check(db) {
      const store = await db.connect()
      for (const expiry of [{}, { expiresAt: noonPlus(1) }]) {
        const scope = { conversationId: uuid7() }
        const life = foreignSession(scope, WORK)
        const blocking = await createSession(store, { ...scope, ...expiry })
        const details = { sessionId: blocking, conversationId: scope.conversationId }
        assert.deepEqual(await detailsOf(expectError('SESSION_ACTIVE', importSession(store, life))), details)
        assert.equal(await store.imports.find(life.sessionId), undefined)
        await store.imports.write(blockOf(life, 0, 4))
        assert.deepEqual(await detailsOf(expectError('SESSION_ACTIVE', store.imports.write(blockOf(life, 4)))), details)
        assert.deepEqual(await store.imports.find(life.sessionId), expectedImport(life, 4, true))
        await endSession(store, blocking)
        await store.imports.write(blockOf(life, 4))
        assert.deepEqual(await loadView(store, life), viewAfter(life))
        assert.deepEqual(await readChecksummedLog(store, life.sessionId), life.events)
      }
    },
  },
  {
    id: 'T3',
    title: 'an imported live session occupies its scope, continues, ends, and frees the scope',
    async check(db) {
      const store = await db.connect()
      const scope = { conversationId: 'c' }
      const life = foreignSession(scope, WORK)
      const { sessionId } = life
      await importSession(store, life, 5)
      const create = async (given: Parameters<typeof createRequest>[0] = {}) => {
        const { outcome, record } = await store.create(createRequest({ ...scope, ...given }))
        return [outcome, record.id]
      }
      // ended sessions of the scope can be imported beside it
      for (const n of upTo(2))
        await importSession(store, foreignSession({ ...scope, at: noonPlus(100 * n) }, endSteps(n)))
      assert.deepEqual(await create(), ['blocked', sessionId])
      assert.deepEqual(await create({ reuse: 'conversation' }), ['found', sessionId])
      assert.deepEqual(await create({ reuse: 'any', conversationId: 'd' }), ['found', sessionId])
      assert.deepEqual(await create({ id: sessionId }), ['same-id', sessionId])
      assert.equal((await store.active({ ...ADA, chatmode: 'default', at: NOON }))?.id, sessionId)
      const { events } = await store.append(appendRequest(sessionId, { expectedSequence: 9 }))
      assert.equal(events[0]?.sequence, 10)
      await forkSession(store, sessionId, 9)
      await endSession(store, sessionId)
      await importSession(store, foreignSession(scope, endSteps(3)))
      assert.equal((await create())[0], 'created')
    },
  },
  {
    id: 'T3',
    title: 'keeps the position of each imported commit in any order, and continues after the last',
    async check(db) {
      const store = await db.connect()
      const lives = upTo(3).map((n) =>
        foreignSession({ conversationId: 'c', at: noonPlus(100 * n) }, [...WORK, ...endSteps(n)]),
      )
      const [one, two, three] = lives
      assert(one && two && three)
      await importSession(store, two)
      await importSession(store, one, 10)
      const links = [one, two].map((life, i) => ({
        id: `commit ${i + 1}`,
        sessionId: life.sessionId,
        userId: 'ada',
        position: i + 1,
        at: noonPlus(100 * (i + 1) + 10),
      }))
      assert.deepEqual(await readCommits(store, 'c'), links)
      await writeSession(store, three)
      assert.deepEqual((await readCommits(store, 'c')).slice(0, 2), links)
      const [next] = await store.commits({
        tenant: 'local',
        conversationId: 'c',
        after: { position: 2, id: '~' },
        limit: 9,
      })
      assert.deepEqual([next?.sessionId, next?.position], [three.sessionId, 3])
      const told: unknown[] = []
      await store.decide({
        sessionId: await createSession(store, { conversationId: 'c' }),
        at: NOON,
        chained: true,
        decide(view, last) {
          told.push(last?.position)
          return { events: [], view }
        },
      })
      assert.equal(told.at(-1), 3)
    },
  },
  {
    id: 'T3',
    title: 'rejects a commit whose position is taken, also by a purged session',
    async check(db) {
      const store = await db.connect()
      const scope = { conversationId: 'c' }
      const there = foreignSession(scope, endSteps(1))
      await writeSession(store, there)
      const links = await readCommits(store, 'c')
      const life = foreignSession(scope, [...WORK, ...endSteps(1, 'another')])
      const { sessionId } = life
      const conflicts = async () => {
        const conflict = { sessionId, reason: 'commit' }
        assert.deepEqual(await detailsOf(expectError('IMPORT_CONFLICT', importSession(store, life))), conflict)
        assert.equal(await store.imports.find(sessionId), undefined)
        // also by an earlier commit of the same session
        const again = foreignSession({ ...scope, id: there.sessionId, at: noonPlus(50) }, endSteps(1, 'another'))
        await assert.rejects(importSession(store, again))
      }
      await conflicts()
      await store.imports.write(blockOf(life, 0, 10))
      await expectError('IMPORT_CONFLICT', store.imports.write(blockOf(life, 10)))
      assert.deepEqual(await store.imports.find(sessionId), expectedImport(life, 10, true))
      assert.equal(await store.imports.discard({ sessionId }), 10)
      assert.deepEqual(await readCommits(store, 'c'), links)
      await store.purge({ sessionId: there.sessionId }, NOON)
      const purged = [{ ...links[0], userId: '', purgedAt: NOON }]
      assert.deepEqual(await readCommits(store, 'c'), purged)
      await conflicts()
      assert.deepEqual(await readCommits(store, 'c'), purged)
      assert.deepEqual(await store.totals(undefined), { sessions: 0, events: 0 })
      await importSession(store, foreignSession({ conversationId: 'd' }, endSteps(1, 'another')))
      await importSession(store, there)
      assert.deepEqual(await readCommits(store, 'c'), links)
    },
  },
  {
    id: 'T3',
    title: 'imports a fork with its copied log, whose commit and conversation belong to another session',
    async check(db) {
      const store = await db.connect()
      const from = { sessionId: uuid7(), sequence: 3 }
      const fork = foreignSession({ conversationId: 'c' }, [
        ...endSteps(1),
        ['session_forked', { from, conversationId: 'd', chatmode: 'other', metadata: { fork: true } }],
        ...WORK,
      ])
      for (const size of [1, 3, 99]) {
        await importSession(store, fork, size)
        const view = await loadView(store, fork)
        assert.deepEqual(view, viewAfter(fork))
        assert.deepEqual([view.record.conversationId, view.record.forkedFrom], ['d', from])
        assert.deepEqual([await readCommits(store, 'c'), await readCommits(store, 'd')], [[], []])
        assert.equal((await store.index.mark(fork.sessionId))?.copied, 3)
        assert.equal((await store.active({ ...ADA, chatmode: 'other', at: NOON }))?.id, fork.sessionId)
        await store.purge(fork, NOON)
      }
    },
  },
  {
    id: 'T3',
    title: 'imports sessions while the intake is paused, and sessions without an envelope',
    async check(db) {
      const store = await db.connect()
      await store.pause(NOON)
      const life = foreignSession({}, WORK)
      await importSession(store, life, 4)
      assert.deepEqual(await loadView(store, life), viewAfter(life))
      const without = foreignSession({}, WORK)
      const { envelope: _, ...view } = viewAfter(without)
      await store.imports.write({ ...blockOf(without), view })
      assert.deepEqual(await loadView(store, without), view)
      assert.equal(await store.envelopes.count({ since: '2000-01-01T00:00:00.000Z' }), 1)
    },
  },
]

/** T1 to T7 of imports, and S20 and S22 for them. */
export const importRules: readonly Rule<StoreDatabase>[] = [...comingRules, ...doneRules, ...importConflictRules]
