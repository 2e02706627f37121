import assert from 'node:assert/strict'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { loadedIn } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  blockOf,
  bring,
  chainIn,
  detailsOf,
  end,
  found,
  type Life,
  lifeOf,
  live,
  shownIn,
  viewAfter,
  WORK,
} from './import-samples.ts'
import {
  ADA,
  appending,
  createdIn,
  creation,
  endedIn,
  forkedIn,
  logOf,
  moved,
  NOON,
  refused,
  seconds,
  someEvent,
  upTo,
} from './samples.ts'
import { importedRules } from './store-imported.ts'

/** Calls for which a session that is coming in does not exist. */
const CALLS: readonly ((store: Store, key: SessionKey) => Promise<unknown>)[] = [
  (store, { sessionId }) => store.append(appending(sessionId)),
  (store, key) =>
    store.decide({ ...key, at: NOON, decide: (view) => ({ events: [someEvent()], view: moved(view, 1) }) }),
  (store, key) => store.read(key, { order: 'asc', limit: 9 }),
  (store, key) => store.read(key, { order: 'asc', limit: 9, types: ['user_message'] }),
  (store, key) => store.read(key, { order: 'desc', limit: 9, turns: 1 }),
  (store, key) => store.edges(key, { limit: 9 }),
  (store, key) => store.repair(key, 1, creation({ id: key.sessionId }).view, []),
  (store, key) => store.purge(key, NOON),
  (store, key) => {
    const { event, view } = creation()
    return store.fork({ source: { ...key, sequence: 1 }, event, at: NOON, view })
  },
]

/** T1 and T2. */
const comingRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'T1',
    title: 'stores a session in blocks of any size, and then gives of it what it gives of one that was written here',
    async check(db) {
      const store = await db.connect()
      const long = upTo(130).map((n) => ['user_message', { n }] as const)
      const lives: [Life, sizes: number[]][] = [
        [
          lifeOf({ conversationId: 'c', metadata: { topic: 'tea' }, identity: { issuer: 'i' } }, [...WORK, ...end(1)]),
          [1, 4, 99],
        ],
        [lifeOf({ conversationId: 'd', task: 'live', expiresAt: '2030-01-01T00:00:00.000Z' }, WORK), [2]],
        [lifeOf({ userId: 'bob' }, [...long, ['x.rare'], ...long]), [100]],
      ]
      for (const [life, sizes] of lives) {
        await live(store, life)
        const written = await shownIn(store, life)
        for (const size of sizes) {
          await store.purge({ sessionId: life.sessionId }, seconds(500))
          await bring(store, life, size)
          // the purge had left the link of the commit, which is taken over
          assert.deepEqual(await shownIn(store, life), written)
        }
        await refused('SEQUENCE_CONFLICT', bring(store, life))
        assert.deepEqual(await shownIn(store, life), written)
      }
    },
  },
  {
    id: 'T1',
    title: 'gives how far a session came, to other connections and later ones too',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      // as deep as it can be in the event, and deeper in the views
      const deep = upTo(LIMITS.depth - 2).reduce<Json>((inner) => [inner], -0)
      const life = lifeOf({}, [['state_changed', { op: 'replace', value: { deep } }], ...WORK, ...end(1)])
      const { sessionId } = life
      assert.equal(await store.imports.find(sessionId), undefined)
      for (const head of [1, 3, 5]) {
        await store.imports.write(blockOf(life, head === 1 ? 0 : head - 2, head))
        assert.deepEqual(await other.imports.find(sessionId), found(life, head, true))
      }
      const spoilt = await store.imports.find(sessionId)
      Object.assign(spoilt?.view.record.metadata ?? {}, { spoilt: true })
      // as after a crash: nothing but what is stored
      await store.close()
      const late = await db.connect()
      assert.deepEqual(await late.imports.find(sessionId), found(life, 5, true))
      const last = structuredClone(blockOf(life, 5))
      await late.imports.write(last)
      Object.assign(last.view.record.metadata, { spoilt: true })
      assert.deepEqual(await other.imports.find(sessionId), found(life, 12, false))
      assert.deepEqual(await loadedIn(other, { sessionId }), viewAfter(life))
      await other.append(appending(await createdIn(other)))
    },
  },
  {
    id: 'T1',
    title: 'takes a block only right behind what is there, and changes nothing otherwise',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({}, WORK)
      const { sessionId } = life
      const conflict = async (after: number, actual: number) => {
        const refusal = refused('SEQUENCE_CONFLICT', store.imports.write(blockOf(life, after)))
        assert.deepEqual(await detailsOf(refusal), { sessionId, expected: after, actual })
      }
      await conflict(2, 0)
      assert.equal(await store.imports.find(sessionId), undefined)
      await store.imports.write(blockOf(life, 0, 4))
      for (const after of [0, 3, 5]) await conflict(after, 4)
      assert.deepEqual(await store.imports.find(sessionId), found(life, 4, true))
      await store.imports.write(blockOf(life, 4))
      const before = await shownIn(store, life)
      for (const after of [0, 4]) await conflict(after, 9)
      assert.deepEqual(await shownIn(store, life), before)
    },
  },
  {
    id: 'T1',
    title: 'takes each block once however many bring the same session at once',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const life = lifeOf({ conversationId: 'c' }, [...WORK, ...end(1)])
      for (const [after, head] of [
        [0, 2],
        [2, 7],
        [7, 11],
      ] as const) {
        // biome-ignore format: ranges
        const tried = await Promise.allSettled(stores.map((store) => store.imports.write(blockOf(life, after, head))))
        const lost = tried.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code)
        assert.deepEqual(lost, Array(3).fill('SEQUENCE_CONFLICT'))
        assert.deepEqual(await first.imports.find(life.sessionId), found(life, head, head < 11))
      }
      assert.deepEqual(await logOf(first, life.sessionId), life.events)
      assert.equal((await chainIn(first, 'c')).length, 1)
    },
  },
  {
    id: 'T2',
    title: 'has a session that is coming in exist for no other call, and take nobody’s place',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({ conversationId: 'c' }, [...WORK, ...end(1), ['x.more']])
      const { sessionId } = life
      for (const [after, head] of [
        [0, 1],
        [1, 9],
        [9, 11],
      ] as const) {
        // biome-ignore format: ranges
        await store.imports.write(blockOf(life, after, head))
        for (const call of CALLS) await refused('SESSION_NOT_FOUND', call(store, { sessionId }))
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
        assert.deepEqual(await chainIn(store, 'c'), [])
        assert.deepEqual(await store.envelopes.page({ limit: 9 }), [])
        assert.deepEqual(await store.envelopes.find([sessionId]), [])
        assert.equal(await store.envelopes.count({ since: '2000-01-01T00:00:00.000Z' }), 0)
        assert.equal(await store.index.mark(sessionId), undefined)
        assert.deepEqual(await store.index.marks(ADA, 1), [])
        assert.deepEqual(await store.index.behind({ version: 1, limit: 9 }), [])
        assert.deepEqual(await store.index.events(ADA, [{ session: sessionId, sequence: 1 }]), [])
        assert.equal(await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages: [] }), false)
      }
      const { outcome, record } = await store.create(creation({ conversationId: 'c', reuse: 'any' }))
      assert.equal(outcome, 'created')
      await store.decide({
        sessionId: record.id,
        at: NOON,
        chained: true,
        decide(view, last) {
          assert.equal(last, undefined)
          return { events: [someEvent()], view: moved(view, 1) }
        },
      })
      assert.deepEqual(await store.imports.find(sessionId), found(life, 11, true))
    },
  },
]

/** T3. */
const doneRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'T3',
    title: 'lets no live session come in where another is live in its scope, expired or not, until that one ends',
    async check(db) {
      const store = await db.connect()
      for (const expiry of [{}, { expiresAt: seconds(1) }]) {
        const scope = { conversationId: uuid7() }
        const life = lifeOf(scope, WORK)
        const blocking = await createdIn(store, { ...scope, ...expiry })
        const details = { sessionId: blocking, conversationId: scope.conversationId }
        assert.deepEqual(await detailsOf(refused('SESSION_ACTIVE', bring(store, life))), details)
        assert.equal(await store.imports.find(life.sessionId), undefined)
        await store.imports.write(blockOf(life, 0, 4))
        assert.deepEqual(await detailsOf(refused('SESSION_ACTIVE', store.imports.write(blockOf(life, 4)))), details)
        assert.deepEqual(await store.imports.find(life.sessionId), found(life, 4, true))
        await endedIn(store, blocking)
        await store.imports.write(blockOf(life, 4))
        assert.deepEqual(await loadedIn(store, life), viewAfter(life))
        assert.deepEqual(await logOf(store, life.sessionId), life.events)
      }
    },
  },
  {
    id: 'T3',
    title: 'has what came in live on: it takes its place, goes on, ends, and makes room',
    async check(db) {
      const store = await db.connect()
      const scope = { conversationId: 'c' }
      const life = lifeOf(scope, WORK)
      const { sessionId } = life
      await bring(store, life, 5)
      const create = async (given: Parameters<typeof creation>[0] = {}) => {
        const { outcome, record } = await store.create(creation({ ...scope, ...given }))
        return [outcome, record.id]
      }
      // ended ones come in beside it and leave it its place
      for (const n of upTo(2)) await bring(store, lifeOf({ ...scope, at: seconds(100 * n) }, end(n)))
      assert.deepEqual(await create(), ['blocked', sessionId])
      assert.deepEqual(await create({ reuse: 'conversation' }), ['found', sessionId])
      assert.deepEqual(await create({ reuse: 'any', conversationId: 'd' }), ['found', sessionId])
      assert.deepEqual(await create({ id: sessionId }), ['same-id', sessionId])
      assert.equal((await store.active({ ...ADA, chatmode: 'default', at: NOON }))?.id, sessionId)
      const { events } = await store.append(appending(sessionId, { expectedSequence: 9 }))
      assert.equal(events[0]?.sequence, 10)
      await forkedIn(store, sessionId, 9)
      await endedIn(store, sessionId)
      await bring(store, lifeOf(scope, end(3)))
      assert.equal((await create())[0], 'created')
    },
  },
  {
    id: 'T3',
    title: 'puts each commit at the position that it had, whichever comes first, and makes the next behind them',
    async check(db) {
      const store = await db.connect()
      const lives = upTo(3).map((n) =>
        lifeOf({ conversationId: 'c', userId: `u${n}`, at: seconds(100 * n) }, [...WORK, ...end(n)]),
      )
      const [one, two, three] = lives
      assert(one && two && three)
      await bring(store, two)
      await bring(store, one, 10)
      const links = [one, two].map((life, i) => ({
        id: `commit ${i + 1}`,
        sessionId: life.sessionId,
        userId: `u${i + 1}`,
        position: i + 1,
        at: seconds(100 * (i + 1) + 10),
      }))
      assert.deepEqual(await chainIn(store, 'c'), links)
      await live(store, three)
      assert.deepEqual((await chainIn(store, 'c')).slice(0, 2), links)
      const [next] = await store.commits({ tenant: 'local', conversationId: 'c', after: 2, limit: 9 })
      assert.deepEqual([next?.sessionId, next?.position], [three.sessionId, 3])
      const told: unknown[] = []
      await store.decide({
        sessionId: await createdIn(store, { conversationId: 'c' }),
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
    title: 'lets no commit come in where another has its position, be its session there or purged',
    async check(db) {
      const store = await db.connect()
      const scope = { conversationId: 'c' }
      const there = lifeOf(scope, end(1))
      await live(store, there)
      const links = await chainIn(store, 'c')
      const life = lifeOf(scope, [...WORK, ...end(1, 'another')])
      const { sessionId } = life
      const conflicts = async () => {
        const conflict = { sessionId, reason: 'commit' }
        assert.deepEqual(await detailsOf(refused('IMPORT_CONFLICT', bring(store, life))), conflict)
        assert.equal(await store.imports.find(sessionId), undefined)
        // an earlier commit of the same session, too
        const again = lifeOf({ ...scope, id: there.sessionId, at: seconds(50) }, end(1, 'another'))
        await assert.rejects(bring(store, again))
      }
      await conflicts()
      await store.imports.write(blockOf(life, 0, 10))
      await refused('IMPORT_CONFLICT', store.imports.write(blockOf(life, 10)))
      assert.deepEqual(await store.imports.find(sessionId), found(life, 10, true))
      assert.equal(await store.imports.discard(sessionId), 10)
      assert.deepEqual(await chainIn(store, 'c'), links)
      await store.purge({ sessionId: there.sessionId }, NOON)
      const purged = [{ ...links[0], userId: '', purgedAt: NOON }]
      assert.deepEqual(await chainIn(store, 'c'), purged)
      await conflicts()
      assert.deepEqual(await chainIn(store, 'c'), purged)
      assert.deepEqual(await store.totals(undefined), { sessions: 0, events: 0 })
      await bring(store, lifeOf({ conversationId: 'd' }, end(1, 'another')))
      await bring(store, there)
      assert.deepEqual(await chainIn(store, 'c'), links)
    },
  },
  {
    id: 'T3',
    title: 'takes a fork with the log that it copied, whose commit and conversation are not its own',
    async check(db) {
      const store = await db.connect()
      const from = { sessionId: uuid7(), sequence: 3 }
      const fork = lifeOf({ conversationId: 'c' }, [
        ...end(1),
        ['session_forked', { from, conversationId: 'd', chatmode: 'other', metadata: { fork: true } }],
        ...WORK,
      ])
      for (const size of [1, 3, 99]) {
        await bring(store, fork, size)
        const view = await loadedIn(store, fork)
        assert.deepEqual(view, viewAfter(fork))
        assert.deepEqual([view.record.conversationId, view.record.forkedFrom], ['d', from])
        assert.deepEqual([await chainIn(store, 'c'), await chainIn(store, 'd')], [[], []])
        assert.equal((await store.index.mark(fork.sessionId))?.copied, 3)
        assert.equal((await store.active({ ...ADA, chatmode: 'other', at: NOON }))?.id, fork.sessionId)
        await store.purge(fork, NOON)
      }
    },
  },
  {
    id: 'T3',
    title: 'takes sessions while the intake is paused, and those that have no envelope',
    async check(db) {
      const store = await db.connect()
      await store.pause(NOON)
      const life = lifeOf({}, WORK)
      await bring(store, life, 4)
      assert.deepEqual(await loadedIn(store, life), viewAfter(life))
      const without = lifeOf({}, WORK)
      const { envelope: _, ...view } = viewAfter(without)
      await store.imports.write({ ...blockOf(without), view })
      assert.deepEqual(await loadedIn(store, without), view)
      assert.equal(await store.envelopes.count({ since: '2000-01-01T00:00:00.000Z' }), 1)
    },
  },
]

/** T1 to T7 of imports, and S20 and S22 for them. */
export const importRules: readonly Rule<StoreDatabase>[] = [...comingRules, ...doneRules, ...importedRules]
