import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import { uuid7 } from '../../ids.ts'
import type { ImportBlock } from '../../ports/import-store.ts'
import { loadView, withoutEnvelope } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  blockOf,
  detailsOf,
  endSteps,
  expectedImport,
  foreignSession,
  importSession,
  readSession,
  viewAfter,
  WORK,
  writeSession,
} from './import-samples.ts'
import {
  ADA,
  appendRequest,
  createRequest,
  createSession,
  endSession,
  expectError,
  NOON,
  noonPlus,
  readChecksummedLog,
  readLog,
  someEvent,
  upTo,
} from './samples.ts'

/** T4 to T7, and S20 and S22 for imports. */
export const importConflictRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'T4',
    title: 'appends blocks to an existing session and keeps its earlier events',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({ conversationId: 'c' }, [...WORK, ...endSteps(1)])
      const { sessionId } = life
      await writeSession(store, life)
      const written = await readSession(store, life)
      await store.purge({ sessionId }, NOON)
      const stamp = { key: 'k', fingerprint: 'f' }
      await writeSession(store, life, 1)
      const [, second] = life.events
      assert(second)
      const keyed = appendRequest(sessionId, { events: [someEvent()], at: second.createdAt, idempotency: stamp })
      const { sequence: _sequence, createdAt: _at, ...event } = second
      await store.append({ ...keyed, events: [event] })
      for (const [after, head] of [
        [2, 3],
        [3, 6],
        [6, 10],
      ] as const) {
        // biome-ignore format: ranges
        await store.imports.write(blockOf(life, after, head, head === 6))
        assert.deepEqual(await store.imports.find(sessionId), expectedImport(life, head, false))
        assert.deepEqual(await loadView(store, { sessionId }), viewAfter(life, head))
        assert.deepEqual(await readChecksummedLog(store, sessionId), life.events.slice(0, head))
        assert.deepEqual(await store.imports.unfinished({ limit: 9 }), [])
      }
      assert.equal((await store.append(keyed)).replayed, true)
      await store.imports.write(blockOf(life, 10))
      assert.deepEqual(await readSession(store, life), written)
    },
  },
  {
    id: 'T4',
    title: 'stores a missing envelope, and keeps the stored one if the block has none',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({}, [['x.one'], ['x.two'], ['x.three']])
      const blind = (block: ImportBlock) => ({ ...block, view: withoutEnvelope(block.view) })
      await store.imports.write(blind(blockOf(life, 0, 1, true)))
      assert.deepEqual(await loadView(store, life), withoutEnvelope(viewAfter(life, 1)))
      await store.imports.write(blockOf(life, 1, 2))
      assert.deepEqual(await loadView(store, life), viewAfter(life, 2))
      await store.imports.write(blind(blockOf(life, 2)))
      assert.deepEqual(await loadView(store, life), viewAfter(life))
    },
  },
  {
    id: 'T4',
    title: 'wakes watchers of the session, over other connections too',
    async check(db) {
      const stores = [await db.connect(), await db.connect()]
      const [store] = stores
      assert(store)
      const life = foreignSession({}, WORK)
      await writeSession(store, life, 2)
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
    title: 'a block races with appends as a whole: the log has no gaps and the views match it',
    async check(db) {
      const stores = await Promise.all(upTo(3).map(() => db.connect()))
      const [store] = stores
      assert(store)
      for (const n of upTo(12)) {
        const life = foreignSession({}, WORK)
        const { sessionId } = life
        await writeSession(store, life, 2)
        const bringing = () => Promise.allSettled([stores[n % 3]?.imports.write(blockOf(life, 2))])
        const early = n % 2 ? bringing() : undefined
        const appends = upTo(3).map((i) => stores[(i + n) % 3]?.append(appendRequest(sessionId, { at: noonPlus(60) })))
        const [result] = await (early ?? bringing())
        await Promise.all(appends)
        if (result.status === 'rejected') assert.equal(result.reason.code, 'SEQUENCE_CONFLICT')
        const log = await readLog(store, sessionId)
        const { record, lastWork } = await loadView(store, { sessionId })
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
    title: 'rejects a block that makes an existing session conflict, and changes nothing',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({ conversationId: 'c' }, [...WORK, ...endSteps(1)])
      await writeSession(store, life, 5)
      await importSession(store, foreignSession({ conversationId: 'c' }, endSteps(1, 'another')))
      const before = await readSession(store, life)
      const conflict = { sessionId: life.sessionId, reason: 'commit' }
      for (const done of [true, false]) {
        const adding = store.imports.write({ ...blockOf(life, 5), done })
        assert.deepEqual(await detailsOf(expectError('IMPORT_CONFLICT', adding)), conflict)
        assert.deepEqual(await readSession(store, life), before)
      }
      // ended here, live there
      const ended = foreignSession({ conversationId: 'd' }, [
        ['status_changed', { status: { state: 'complete' } }],
        ['x.more'],
      ])
      await writeSession(store, ended, 2)
      const blocking = await createSession(store, { conversationId: 'd' })
      const { endedAt: _, ...record } = viewAfter(ended).record
      const view: SessionView = { ...viewAfter(ended), record: { ...record, status: { state: 'running' } } }
      const block = { ...blockOf(ended, 2, 3, false), view }
      const active = { sessionId: blocking, conversationId: 'd' }
      assert.deepEqual(await detailsOf(expectError('SESSION_ACTIVE', store.imports.write(block))), active)
      assert.deepEqual(await loadView(store, ended), viewAfter(ended, 2))
      await endSession(store, blocking)
      await store.imports.write(block)
      assert.equal((await store.create(createRequest({ conversationId: 'd' }))).outcome, 'blocked')
    },
  },
  {
    id: 'T5',
    title: 'pages through pending imports by owner, and discards one completely',
    async check(db) {
      const store = await db.connect()
      const owners = [ADA, { ...ADA, userId: 'bob' }, { ...ADA, tenant: 'other' }, ADA]
      const lives = owners.map((owner) => foreignSession({ ...owner, conversationId: 'c' }, [...WORK, ...endSteps(1)]))
      const ids = lives.map(({ sessionId }) => sessionId)
      for (const life of lives.toReversed()) await store.imports.write(blockOf(life, 0, 5))
      const there = await createSession(store)
      const begun = (query: object = {}) => store.imports.unfinished({ limit: 9, ...query })
      assert.deepEqual(await begun(), ids.toSorted())
      assert.deepEqual(await begun({ limit: 2 }), ids.toSorted().slice(0, 2))
      assert.deepEqual(await begun({ after: ids.toSorted()[1] }), ids.toSorted().slice(2))
      assert.deepEqual(await begun({ within: ADA }), [ids[0], ids[3]].toSorted())
      assert.deepEqual(await begun({ within: { tenant: 'local' } }), [ids[0], ids[1], ids[3]].toSorted())
      assert.deepEqual(await begun({ within: { tenant: 'none' } }), [])

      const [life] = lives
      assert(life)
      assert.equal(await store.imports.discard(life), 5)
      assert.equal(await store.imports.discard(life), 0)
      assert.equal(await store.imports.discard({ sessionId: there }), 0)
      assert.equal(await store.imports.discard({ sessionId: uuid7() }), 0)
      assert.equal(await store.imports.find(life.sessionId), undefined)
      assert.deepEqual(await begun(), ids.slice(1).sort())
      // a new session with the same id inherits nothing
      const { outcome } = await store.create(createRequest({ id: life.sessionId }))
      assert.equal(outcome, 'created')
      assert.deepEqual(await store.edges(life, { limit: 9 }), [])
      assert.deepEqual(await store.read(life, { order: 'asc', limit: 9, types: ['work_committed'] }), [])
      await store.purge(life, NOON)
      const other = foreignSession({ id: life.sessionId }, [['x.other']])
      await importSession(store, other)
      assert.deepEqual(await readChecksummedLog(store, other.sessionId), other.events)
      assert.deepEqual(await readLog(store, there).then((log) => log.length), 1)
      for (const each of lives.slice(1, 3)) await store.imports.write(blockOf(each, 5))
      assert.deepEqual(await begun(), [ids[3]])
    },
  },
  {
    id: 'T6',
    title: 'rejects create and fork with the id of a pending import',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({ conversationId: 'c' }, WORK)
      const { sessionId } = life
      await store.imports.write(blockOf(life, 0, 2))
      const source = await createSession(store)
      const details = { sessionId }
      for (const reuse of ['none', 'conversation', 'any'] as const) {
        const creating = store.create(createRequest({ id: sessionId, conversationId: 'c', reuse }))
        assert.deepEqual(await detailsOf(expectError('IDEMPOTENCY_MISMATCH', creating)), details)
      }
      const { event, view } = createRequest({ id: sessionId })
      const fork = () => store.fork({ source: { sessionId: source, sequence: 1 }, event, at: NOON, view })
      assert.deepEqual(await detailsOf(expectError('IDEMPOTENCY_MISMATCH', fork())), details)
      assert.deepEqual(await store.imports.find(sessionId), expectedImport(life, 2, true))
      assert.deepEqual(await store.sessionIds({ limit: 9 }), [source])
      await store.imports.discard({ sessionId })
      assert.equal((await fork()).outcome, 'created')
    },
  },
  {
    id: 'T7',
    title: 'rejects an import with an id of another owner',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({}, WORK)
      const { sessionId } = life
      const strangers = [{ userId: 'bob' }, { tenant: 'other' }].map((owner) =>
        foreignSession({ id: sessionId, ...owner }, WORK),
      )
      const conflicts = async (head: number) => {
        for (const stranger of strangers) {
          for (const after of [0, head]) {
            const refusal = expectError('IMPORT_CONFLICT', store.imports.write(blockOf(stranger, after)))
            assert.deepEqual(await detailsOf(refusal), { sessionId, reason: 'owner' })
          }
        }
        assert.deepEqual(await store.imports.find(sessionId), expectedImport(life, head, head < 9))
      }
      await store.imports.write(blockOf(life, 0, 3))
      await conflicts(3)
      await store.imports.write(blockOf(life, 3))
      await conflicts(9)
      assert.deepEqual(await readChecksummedLog(store, sessionId), life.events)
    },
  },
  {
    id: 'S22',
    title: 'purges an imported session like one written here',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({ conversationId: 'c' }, [...WORK, ...endSteps(1)])
      const { sessionId } = life
      await importSession(store, life, 3)
      assert.deepEqual(await store.purge({ sessionId }, NOON), { events: 11, keys: 0 })
      assert.equal(await store.imports.find(sessionId), undefined)
      assert.deepEqual(await store.imports.unfinished({ limit: 9 }), [])
      assert.deepEqual(await store.envelopes.page({ limit: 9 }), [])
      await expectError('SEQUENCE_CONFLICT', store.imports.write(blockOf(life, 5)))
      await createSession(store, { id: sessionId })
      assert.deepEqual(await store.edges({ sessionId }, { limit: 9 }), [])
      assert.equal((await readLog(store, sessionId)).length, 1)
    },
  },
  {
    id: 'S20',
    title: 'rejects import calls after close',
    async check(db) {
      const store = await db.connect()
      await store.close()
      const life = foreignSession()
      await expectError('STORAGE', store.imports.find(life.sessionId))
      await expectError('STORAGE', store.imports.write(blockOf(life)))
      await expectError('STORAGE', store.imports.unfinished({ limit: 1 }))
      await expectError('STORAGE', store.imports.discard(life))
    },
  },
]
