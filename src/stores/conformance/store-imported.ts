import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import { uuid7 } from '../../ids.ts'
import type { ImportBlock } from '../../ports/import-store.ts'
import { bare, loadedIn } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { blockOf, bring, detailsOf, end, found, lifeOf, live, shownIn, viewAfter, WORK } from './import-samples.ts'
import {
  ADA,
  appending,
  createdIn,
  creation,
  endedIn,
  logOf,
  NOON,
  refused,
  seconds,
  someEvent,
  upTo,
} from './samples.ts'

/** T4 to T7, and S20 and S22 for imports. */
export const importedRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'T4',
    title: 'adds to a session that is there, block by block, with what it had left alone',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({ conversationId: 'c' }, [...WORK, ...end(1)])
      const { sessionId } = life
      await live(store, life)
      const written = await shownIn(store, life)
      await store.purge({ sessionId }, NOON)
      const stamp = { key: 'k', fingerprint: 'f' }
      await live(store, life, 1)
      const [, second] = life.events
      assert(second)
      const keyed = appending(sessionId, { events: [someEvent()], at: second.createdAt, idempotency: stamp })
      const { sequence: _sequence, createdAt: _at, ...event } = second
      await store.append({ ...keyed, events: [event] })
      for (const [after, head] of [
        [2, 3],
        [3, 6],
        [6, 10],
      ] as const) {
        // biome-ignore format: ranges
        await store.imports.write(blockOf(life, after, head, head === 6))
        assert.deepEqual(await store.imports.find(sessionId), found(life, head, false))
        assert.deepEqual(await loadedIn(store, { sessionId }), viewAfter(life, head))
        assert.deepEqual(await logOf(store, sessionId), life.events.slice(0, head))
        assert.deepEqual(await store.imports.unfinished({ limit: 9 }), [])
      }
      assert.equal((await store.append(keyed)).replayed, true)
      await store.imports.write(blockOf(life, 10))
      assert.deepEqual(await shownIn(store, life), written)
    },
  },
  {
    id: 'T4',
    title: 'stores the envelope that was not kept, and leaves the one that is there where none comes',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({}, [['x.one'], ['x.two'], ['x.three']])
      const blind = (block: ImportBlock) => ({ ...block, view: bare(block.view) })
      await store.imports.write(blind(blockOf(life, 0, 1, true)))
      assert.deepEqual(await loadedIn(store, life), bare(viewAfter(life, 1)))
      await store.imports.write(blockOf(life, 1, 2))
      assert.deepEqual(await loadedIn(store, life), viewAfter(life, 2))
      await store.imports.write(blind(blockOf(life, 2)))
      assert.deepEqual(await loadedIn(store, life), viewAfter(life))
    },
  },
  {
    id: 'T4',
    title: 'wakes those who watch what is added to, over other connections too',
    async check(db) {
      const stores = [await db.connect(), await db.connect()]
      const [store] = stores
      assert(store)
      const life = lifeOf({}, WORK)
      await live(store, life, 2)
      const stops: (() => void)[] = []
      const woken = stores.map(
        (each) =>
          new Promise<void>((resolve) => {
            stops.push(each.watch(life.sessionId, resolve))
          }),
      )
      await store.imports.write(blockOf(life, 2))
      await Promise.all(woken)
      for (const stop of stops) stop()
    },
  },
  {
    id: 'T4',
    title: 'comes between appends or not at all: the log has no gap and the views are its own',
    async check(db) {
      const stores = await Promise.all(upTo(3).map(() => db.connect()))
      const [store] = stores
      assert(store)
      for (const n of upTo(12)) {
        const life = lifeOf({}, WORK)
        const { sessionId } = life
        await live(store, life, 2)
        const bringing = () => Promise.allSettled([stores[n % 3]?.imports.write(blockOf(life, 2))])
        const early = n % 2 ? bringing() : undefined
        const appends = upTo(3).map((i) => stores[(i + n) % 3]?.append(appending(sessionId, { at: seconds(60) })))
        const [result] = await (early ?? bringing())
        await Promise.all(appends)
        if (result.status === 'rejected') assert.equal(result.reason.code, 'SEQUENCE_CONFLICT')
        const log = await logOf(store, sessionId)
        const { record, lastWork } = await loadedIn(store, { sessionId })
        assert.deepEqual(
          log.map(({ sequence }) => sequence),
          upTo(record.head),
        )
        assert.equal(record.head, result.status === 'fulfilled' ? 12 : 5)
        assert.equal(record.turns, log.filter(({ type }) => type === 'user_message').length)
        assert.equal(lastWork, result.status === 'fulfilled' ? 'w2' : undefined)
      }
    },
  },
  {
    id: 'T4',
    title: 'lets no session that is there become what may not come in, and changes nothing then',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({ conversationId: 'c' }, [...WORK, ...end(1)])
      await live(store, life, 5)
      await bring(store, lifeOf({ conversationId: 'c' }, end(1, 'another')))
      const before = await shownIn(store, life)
      const conflict = { sessionId: life.sessionId, reason: 'commit' }
      for (const done of [true, false]) {
        const adding = store.imports.write({ ...blockOf(life, 5), done })
        assert.deepEqual(await detailsOf(refused('IMPORT_CONFLICT', adding)), conflict)
        assert.deepEqual(await shownIn(store, life), before)
      }
      // ended here, live there
      const ended = lifeOf({ conversationId: 'd' }, [['status_changed', { status: { state: 'complete' } }], ['x.more']])
      await live(store, ended, 2)
      const blocking = await createdIn(store, { conversationId: 'd' })
      const { endedAt: _, ...record } = viewAfter(ended).record
      const view: SessionView = { ...viewAfter(ended), record: { ...record, status: { state: 'running' } } }
      const block = { ...blockOf(ended, 2, 3, false), view }
      const active = { sessionId: blocking, conversationId: 'd' }
      assert.deepEqual(await detailsOf(refused('SESSION_ACTIVE', store.imports.write(block))), active)
      assert.deepEqual(await loadedIn(store, ended), viewAfter(ended, 2))
      await endedIn(store, blocking)
      await store.imports.write(block)
      assert.equal((await store.create(creation({ conversationId: 'd' }))).outcome, 'blocked')
    },
  },
  {
    id: 'T5',
    title: 'gives what has begun, page by page and by owner, and discards it whole',
    async check(db) {
      const store = await db.connect()
      const owners = [ADA, { ...ADA, userId: 'bob' }, { ...ADA, tenant: 'other' }, ADA]
      const lives = owners.map((owner) => lifeOf({ ...owner, conversationId: 'c' }, [...WORK, ...end(1)]))
      const ids = lives.map(({ sessionId }) => sessionId)
      for (const life of lives.toReversed()) await store.imports.write(blockOf(life, 0, 5))
      const there = await createdIn(store)
      const begun = (query: object = {}) => store.imports.unfinished({ limit: 9, ...query })
      assert.deepEqual(await begun(), ids.toSorted())
      assert.deepEqual(await begun({ limit: 2 }), ids.toSorted().slice(0, 2))
      assert.deepEqual(await begun({ after: ids.toSorted()[1] }), ids.toSorted().slice(2))
      assert.deepEqual(await begun({ within: ADA }), [ids[0], ids[3]].toSorted())
      assert.deepEqual(await begun({ within: { tenant: 'local' } }), [ids[0], ids[1], ids[3]].toSorted())
      assert.deepEqual(await begun({ within: { tenant: 'none' } }), [])

      const [life] = lives
      assert(life)
      assert.equal(await store.imports.discard(life.sessionId), 5)
      assert.equal(await store.imports.discard(life.sessionId), 0)
      assert.equal(await store.imports.discard(there), 0)
      assert.equal(await store.imports.discard(uuid7()), 0)
      assert.equal(await store.imports.find(life.sessionId), undefined)
      assert.deepEqual(await begun(), ids.slice(1).sort())
      // nothing of it is left that another under its id would have
      const { outcome } = await store.create(creation({ id: life.sessionId }))
      assert.equal(outcome, 'created')
      assert.deepEqual(await store.edges(life, { limit: 9 }), [])
      assert.deepEqual(await store.read(life, { order: 'asc', limit: 9, types: ['work_committed'] }), [])
      await store.purge(life, NOON)
      const other = lifeOf({ id: life.sessionId }, [['x.other']])
      await bring(store, other)
      assert.deepEqual(await logOf(store, other.sessionId), other.events)
      assert.deepEqual(await logOf(store, there).then((log) => log.length), 1)
      for (const each of lives.slice(1, 3)) await store.imports.write(blockOf(each, 5))
      assert.deepEqual(await begun(), [ids[3]])
    },
  },
  {
    id: 'T6',
    title: 'creates and forks nothing under the id of what is coming in',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({ conversationId: 'c' }, WORK)
      const { sessionId } = life
      await store.imports.write(blockOf(life, 0, 2))
      const source = await createdIn(store)
      const details = { sessionId }
      for (const reuse of ['none', 'conversation', 'any'] as const) {
        const creating = store.create(creation({ id: sessionId, conversationId: 'c', reuse }))
        assert.deepEqual(await detailsOf(refused('IDEMPOTENCY_MISMATCH', creating)), details)
      }
      const { event, view } = creation({ id: sessionId })
      const fork = () => store.fork({ source: { sessionId: source, sequence: 1 }, event, at: NOON, view })
      assert.deepEqual(await detailsOf(refused('IDEMPOTENCY_MISMATCH', fork())), details)
      assert.deepEqual(await store.imports.find(sessionId), found(life, 2, true))
      assert.deepEqual(await store.sessionIds({ limit: 9 }), [source])
      await store.imports.discard(sessionId)
      assert.equal((await fork()).outcome, 'created')
    },
  },
  {
    id: 'T7',
    title: 'takes nothing under an id that belongs to somebody else',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({}, WORK)
      const { sessionId } = life
      const strangers = [{ userId: 'bob' }, { tenant: 'other' }].map((owner) =>
        lifeOf({ id: sessionId, ...owner }, WORK),
      )
      const conflicts = async (head: number) => {
        for (const stranger of strangers) {
          for (const after of [0, head]) {
            const refusal = refused('IMPORT_CONFLICT', store.imports.write(blockOf(stranger, after)))
            assert.deepEqual(await detailsOf(refusal), { sessionId, reason: 'owner' })
          }
        }
        assert.deepEqual(await store.imports.find(sessionId), found(life, head, head < 9))
      }
      await store.imports.write(blockOf(life, 0, 3))
      await conflicts(3)
      await store.imports.write(blockOf(life, 3))
      await conflicts(9)
      assert.deepEqual(await logOf(store, sessionId), life.events)
    },
  },
  {
    id: 'S22',
    title: 'removes what came in as it removes what was written here',
    async check(db) {
      const store = await db.connect()
      const life = lifeOf({ conversationId: 'c' }, [...WORK, ...end(1)])
      const { sessionId } = life
      await bring(store, life, 3)
      assert.deepEqual(await store.purge({ sessionId }, NOON), { events: 11, keys: 0 })
      assert.equal(await store.imports.find(sessionId), undefined)
      assert.deepEqual(await store.imports.unfinished({ limit: 9 }), [])
      assert.deepEqual(await store.envelopes.page({ limit: 9 }), [])
      await refused('SEQUENCE_CONFLICT', store.imports.write(blockOf(life, 5)))
      await createdIn(store, { id: sessionId })
      assert.deepEqual(await store.edges({ sessionId }, { limit: 9 }), [])
      assert.equal((await logOf(store, sessionId)).length, 1)
    },
  },
  {
    id: 'S20',
    title: 'refuses the calls of imports after close, too',
    async check(db) {
      const store = await db.connect()
      await store.close()
      const life = lifeOf()
      await refused('STORAGE', store.imports.find(life.sessionId))
      await refused('STORAGE', store.imports.write(blockOf(life)))
      await refused('STORAGE', store.imports.unfinished({ limit: 1 }))
      await refused('STORAGE', store.imports.discard(life.sessionId))
    },
  },
]
