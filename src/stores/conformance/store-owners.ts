import assert from 'node:assert/strict'
import { uuid7 } from '../../ids.ts'
import type { SessionKey, SessionStore } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  expectError,
  NOON,
  readLog,
  someEvent,
  someEvents,
  upTo,
} from './samples.ts'

/** Every call that takes a session key, each expected to fail. */
const KEYED: readonly [name: string, call: (store: SessionStore, key: SessionKey) => Promise<unknown>][] = [
  ['append', (store, key) => store.append({ ...appendRequest(key.sessionId), ...key })],
  [
    'append again with a key',
    (store, key) => store.append({ ...appendRequest(key.sessionId), ...key, idempotency: STAMP }),
  ],
  [
    'decide',
    (store, key) =>
      store.decide({ ...key, at: NOON, decide: (view) => ({ events: [someEvent()], view: advanceView(view, 1) }) }),
  ],
  ['read', (store, key) => store.read(key, { order: 'asc', limit: 9 })],
  ['read by type', (store, key) => store.read(key, { order: 'asc', limit: 9, types: ['user_message'] })],
  ['read turns', (store, key) => store.read(key, { order: 'desc', limit: 9, turns: 1 })],
  ['checksums', (store, key) => store.checksums(key, { after: 0, before: 9 })],
  ['edges', (store, key) => store.edges(key, { limit: 9 })],
  [
    'fork',
    (store, key) => {
      const { event, view } = createRequest({ tenant: 'acme', userId: 'ada' })
      return store.fork({ source: { ...key, sequence: 1 }, event, at: NOON, view })
    },
  ],
  [
    'repair',
    async (store, key) => {
      const view = await store.load({ sessionId: key.sessionId })
      assert(view)
      return await store.repair(key, view.record.head, view, [])
    },
  ],
  ['purge', (store, key) => store.purge(key, NOON)],
]

const STAMP = { key: 'k', fingerprint: 'f' }

/** S21 and S22. */
export const ownerRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S21',
    title: 'hides a session from callers outside its owner in every call',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { tenant: 'acme', userId: 'ada' })
      await store.append(appendRequest(sessionId, { idempotency: STAMP }))
      const before = await readLog(store, sessionId)
      for (const within of [
        { tenant: 'acme', userId: 'bob' },
        { tenant: 'other', userId: 'ada' },
        { tenant: 'other' },
      ]) {
        for (const [name, call] of KEYED) {
          await expectError('SESSION_NOT_FOUND', call(store, { sessionId, within })).catch((error) => {
            assert.fail(`${name} as ${JSON.stringify(within)}: ${error.message}`)
          })
        }
        for (const look of ['load', 'record', 'state'] as const) {
          assert.equal(await store[look]({ sessionId, within }), undefined, look)
        }
        assert.deepEqual(await store.sessionIds({ limit: 9, within }), [])
        assert.deepEqual(await store.totals(within), { sessions: 0, events: 0 })
      }
      assert.deepEqual(await readLog(store, sessionId), before)
    },
  },
  {
    id: 'S21',
    title: 'rejects a foreign write in a batch that writes to the same session',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { tenant: 'acme' })
      const writes = upTo(20).map((n) =>
        store.append({ ...appendRequest(sessionId), within: { tenant: n % 2 ? 'acme' : 'other' } }),
      )
      const results = await Promise.allSettled(writes)
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 10)
      assert.equal((await readLog(store, sessionId)).length, 11)
    },
  },
  {
    id: 'S21',
    title: 'allows everything to the owner, by user or by tenant',
    async check(db) {
      const store = await db.connect()
      for (const within of [{ tenant: 'acme', userId: 'ada' }, { tenant: 'acme' }]) {
        const sessionId = await createSession(store, { tenant: 'acme', userId: 'ada' })
        for (const [, call] of KEYED) await call(store, { sessionId, within })
        assert.equal(await store.load({ sessionId }), undefined)
      }
      const mine = await createSession(store, { tenant: 'emca', userId: 'ada' })
      await createSession(store, { tenant: 'emca', userId: 'bob' })
      await createSession(store, { tenant: 'other', userId: 'ada' })
      const within = { tenant: 'emca', userId: 'ada' }
      assert.deepEqual(await store.sessionIds({ limit: 9, within }), [mine])
      assert.deepEqual(await store.totals(within), { sessions: 1, events: 1 })
      assert.equal((await store.sessionIds({ limit: 9, within: { tenant: 'emca' } })).length, 2)
    },
  },
  {
    id: 'S22',
    title: 'removes a session completely, returns the counts, and leaves other sessions unchanged',
    async check(db) {
      const store = await db.connect()
      const request = createRequest({ conversationId: 'c' })
      await store.create(request)
      const sessionId = request.view.record.id
      const other = await createSession(store)
      await store.append(appendRequest(sessionId, { events: someEvents(300) }))
      await store.append(appendRequest(sessionId, { idempotency: STAMP }))
      await store.append(appendRequest(other, { idempotency: STAMP }))
      const waiting = store.append(appendRequest(sessionId))
      const landed = waiting.then(
        () => 1,
        () => 0,
      )
      const counts = await store.purge({ sessionId }, NOON)
      assert.deepEqual(counts, { events: 302 + (await landed), keys: 1 })
      assert.equal(await store.load({ sessionId }), undefined)
      await expectError('SESSION_NOT_FOUND', store.append(appendRequest(sessionId, { idempotency: STAMP })))
      await expectError('SESSION_NOT_FOUND', store.purge({ sessionId }, NOON))
      assert.equal(await store.erase(), true)
      assert.deepEqual(await store.sessionIds({ limit: 9 }), [other])
      assert.equal(await store.active({ ...request.view.record, at: NOON }), undefined)
      assert.equal((await readLog(store, other)).length, 2)

      assert.equal((await store.create(request)).outcome, 'created')
      assert.equal((await readLog(store, sessionId)).length, 1)
      assert.equal((await store.append(appendRequest(sessionId, { idempotency: STAMP }))).replayed, false)
      assert.deepEqual(await store.read({ sessionId }, { order: 'asc', limit: 9, types: ['x.none'] }), [])
    },
  },
  {
    id: 'S22',
    title: 'wakes watchers of a purged session',
    async check(db) {
      const [store, watcher] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      let stop = () => {}
      const woken = new Promise<void>((resolve) => {
        stop = watcher.watch(sessionId, resolve)
      })
      await store.purge({ sessionId }, NOON)
      await woken
      stop()
      assert.equal((await store.create(createRequest({ id: uuid7() }))).outcome, 'created')
    },
  },
]
