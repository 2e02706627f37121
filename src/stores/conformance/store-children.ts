import assert from 'node:assert/strict'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { uuid7 } from '../../ids.ts'
import type { ListQuery, SessionStore } from '../../ports/session-store.ts'
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
  putRequest,
  someEvent,
  upTo,
} from './samples.ts'

const OWNER = { tenant: 'local', userId: 'ada' }

const ended = (view: SessionView) => ({
  events: [someEvent('over', 'status_changed')],
  view: advanceView(view, 1, { endedAt: noonPlus(1), status: { state: 'complete' as const } }),
})

async function idsOf(store: SessionStore, query: Partial<ListQuery>): Promise<string[]> {
  const records = await store.list({ ...OWNER, limit: 100, ...query })
  return records.map(({ id }) => id)
}

/** S31 to S33, S11 and S12 of children, M2 and S22 of several sessions. */
export const childRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S31',
    title: 'stores a child of a live parent with its link',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const parents = [{ sessionId, sequence: 1 }, { sessionId }]
      for (const parent of parents) {
        const request = createRequest({ parent })
        assert.deepEqual(await store.create(request), { outcome: 'created', record: request.view.record })
        const key = { sessionId: request.view.record.id }
        assert.deepEqual((await store.record(key))?.parent, parent)
        assert.deepEqual(await store.load(key), request.view)
        assert.equal((await store.create(request)).outcome, 'same-id')
      }
    },
  },
  {
    id: 'S31',
    title: 'refuses a parent that is missing, of another owner, ended or expired, and creates nothing',
    async check(db) {
      const store = await db.connect()
      const refused = async (code: 'SESSION_NOT_FOUND' | 'SESSION_ENDED', sessionId: string, given = {}) => {
        const request = createRequest({ parent: { sessionId }, ...given })
        assert.equal((await expectError(code, store.create(request))).details.sessionId, sessionId)
        assert.equal(await store.record({ sessionId: request.view.record.id }), undefined)
      }
      await refused('SESSION_NOT_FOUND', uuid7())
      await refused('SESSION_NOT_FOUND', await createSession(store, { userId: 'bob' }))
      await refused('SESSION_NOT_FOUND', await createSession(store, { tenant: 'other' }))
      const over = await createSession(store)
      await store.decide({ sessionId: over, at: noonPlus(1), decide: ended })
      await refused('SESSION_ENDED', over)
      const expiring = await createSession(store, { expiresAt: noonPlus(10) })
      await refused('SESSION_ENDED', expiring, { at: noonPlus(10) })
      assert(await createSession(store, { parent: { sessionId: expiring }, at: noonPlus(9) }))
    },
  },
  {
    id: 'S31',
    title: 'lets no child start after the end of its parent, whoever comes first',
    async check(db) {
      const [one, other] = await Promise.all([db.connect(), db.connect()])
      for (const _ of upTo(6)) {
        const sessionId = await createSession(one)
        const child = createRequest({ parent: { sessionId } })
        const [created] = await Promise.allSettled([
          other.create(child),
          one.decide({ sessionId, at: NOON, decide: ended }),
        ])
        const children = await idsOf(one, { parent: sessionId })
        assert.deepEqual(children, created.status === 'fulfilled' ? [child.view.record.id] : [])
        await expectError('SESSION_ENDED', other.create(createRequest({ parent: { sessionId } })))
      }
    },
  },
  {
    id: 'S11',
    title: 'finds a child by its conversation only',
    async check(db) {
      const store = await db.connect()
      const scope = { ...OWNER, chatmode: 'default', at: NOON }
      const sessionId = await createSession(store)
      const child = await createSession(store, { parent: { sessionId }, conversationId: 'c', at: noonPlus(1) })
      assert.equal((await store.active(scope))?.id, sessionId)
      assert.equal((await store.active({ ...scope, conversationId: 'c' }))?.id, child)
      const reuse = await store.create(createRequest({ reuse: 'any' }))
      assert.deepEqual([reuse.outcome, reuse.record.id], ['found', sessionId])
      const same = await store.create(createRequest({ reuse: 'conversation', conversationId: 'c' }))
      assert.deepEqual([same.outcome, same.record.id], ['found', child])
      await store.decide({ sessionId, at: NOON, decide: ended })
      assert.equal(await store.active(scope), undefined)
    },
  },
  {
    id: 'S12',
    title: 'lists the children of a session, page by page and with other filters',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const ids = []
      for (const n of upTo(5)) ids.unshift(await createSession(store, { parent: { sessionId }, at: noonPlus(n) }))
      const [newest = '', second = ''] = ids
      await createSession(store, { parent: { sessionId: newest } })
      assert.deepEqual(await idsOf(store, { parent: sessionId }), ids)
      assert.deepEqual(await idsOf(store, { parent: sessionId, limit: 2 }), [newest, second])
      const cursor = { lastActivityAt: noonPlus(4), id: second }
      assert.deepEqual(await idsOf(store, { parent: sessionId, cursor }), ids.slice(2))
      assert.deepEqual(await idsOf(store, { parent: sessionId, state: 'complete' }), [])
      assert.deepEqual(await idsOf(store, { parent: sessionId, userId: 'bob' }), [])
      assert.deepEqual(await idsOf(store, { parent: sessionId, tenant: 'other' }), [])
    },
  },
  {
    id: 'S12',
    title: 'lists sessions by id in the order of their activity',
    async check(db) {
      const store = await db.connect()
      const ids = []
      for (const n of upTo(4)) ids.unshift(await createSession(store, { at: noonPlus(n) }))
      const [a = '', b = '', c = '', d = ''] = ids
      assert.deepEqual(await idsOf(store, { ids: [d, a, uuid7()] }), [a, d])
      assert.deepEqual(await idsOf(store, { ids: [c, b], limit: 1 }), [b])
      assert.deepEqual(await idsOf(store, { ids: [a], userId: 'bob' }), [])
      assert.deepEqual(await idsOf(store, { ids: [] }), [])
    },
  },
  {
    id: 'S32',
    title: 'returns all sessions below a session, but no fork of them',
    async check(db) {
      const store = await db.connect()
      const root = await createSession(store)
      const one = await createSession(store, { parent: { sessionId: root } })
      const two = await createSession(store, { parent: { sessionId: root } })
      const below = await createSession(store, { parent: { sessionId: one } })
      await forkSession(store, one, 1)
      const sorted = async (sessionId: string) => (await store.descendants({ sessionId, within: OWNER })).sort()
      assert.deepEqual(await sorted(root), [one, two, below].sort())
      assert.deepEqual(await sorted(one), [below])
      assert.deepEqual(await sorted(below), [])
      await expectError('SESSION_NOT_FOUND', store.descendants({ sessionId: uuid7() }))
      const within = { tenant: 'local', userId: 'bob' }
      await expectError('SESSION_NOT_FOUND', store.descendants({ sessionId: root, within }))
    },
  },
  {
    id: 'S33',
    title: 'finds sessions by a member of their metadata, and follows each change of it',
    async check(db) {
      const store = await db.connect()
      const metadata = { project: 'x', size: 3, list: [1] }
      const first = await createSession(store, { metadata })
      const second = await createSession(store, { metadata: { project: 'x' }, userId: 'bob' })
      const find = async (label: string, given: { userId?: string; tenant?: string; limit?: number } = {}) =>
        (await store.labelled({ tenant: 'local', limit: 9, label, ...given })).sort()
      assert.deepEqual(await find('["project","x"]'), [first, second].sort())
      assert.deepEqual(await find('["project","x"]', { userId: 'ada' }), [first])
      assert.deepEqual(await find('["project","x"]', { tenant: 'other' }), [])
      assert.equal((await find('["project","x"]', { limit: 1 })).length, 1)
      assert.deepEqual(await find('["size",3]'), [first])
      assert.deepEqual(await find('["size","3"]'), [])
      const change = { project: 'y', size: 3 }
      await store.decide({
        sessionId: first,
        at: NOON,
        decide: (view) => ({
          events: [someEvent('changed', 'envelope_updated')],
          view: advanceView(view, 1, { metadata: change }),
        }),
      })
      assert.deepEqual(await find('["project","x"]'), [second])
      assert.deepEqual(await find('["project","y"]'), [first])
      assert.deepEqual(await find('["size",3]'), [first])
      const fork = await forkSession(store, first, 2)
      assert.deepEqual(await find('["project","y"]'), [first, fork].sort())
      await store.purge({ sessionId: first }, NOON)
      assert.deepEqual(await find('["project","y"]'), [fork])
    },
  },
  {
    id: 'S33',
    title: 'keeps the labels when events and other decisions change the session',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { metadata: { project: 'x' } })
      await store.append(appendRequest(sessionId))
      await store.decide({ sessionId, at: NOON, decide: ended })
      const view = await store.load({ sessionId })
      assert(view)
      assert.equal(await store.repair({ sessionId }, view.record.head, view, []), true)
      const query = { tenant: 'local', label: '["project","x"]', limit: 9 }
      assert.deepEqual(await store.labelled(query), [sessionId])
      const metadata = { project: 'z' }
      const repaired = { ...view, record: { ...view.record, metadata } }
      assert.equal(await store.repair({ sessionId }, view.record.head, repaired, []), true)
      assert.deepEqual(await store.labelled(query), [])
    },
  },
  {
    id: 'S19',
    title: 'restores the link to the parent',
    async check(db) {
      const store = await db.connect()
      const parent = { sessionId: await createSession(store) }
      const sessionId = await createSession(store)
      const view = await store.load({ sessionId })
      assert(view)
      await store.repair({ sessionId }, 1, { ...view, record: { ...view.record, parent } }, [])
      assert.deepEqual((await store.record({ sessionId }))?.parent, parent)
      assert.deepEqual(await idsOf(store, { parent: parent.sessionId }), [sessionId])
    },
  },
  {
    id: 'S10',
    title: 'makes the fork of a child nobody’s child',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const child = await createSession(store, { parent: { sessionId } })
      const view = await store.load({ sessionId: child })
      assert(view)
      const id = uuid7()
      const parts = { from: { sessionId: child, sequence: 1 }, conversationId: 'f', chatmode: 'default', metadata: {} }
      const event = someEvent('forked', 'session_forked', { parts: JSON.stringify(parts) })
      const { checksum: _sum, parts: _text, ...fields } = event
      const placed = { ...fields, sessionId: id, sequence: 2, createdAt: NOON, parts, type: 'session_forked' as const }
      const forked = evolve(view, { ...placed, role: 'system' })
      await store.fork({ source: { sessionId: child, sequence: 1 }, event, at: NOON, view: forked })
      assert.equal((await store.record({ sessionId: id }))?.parent, undefined)
      assert.deepEqual(await idsOf(store, { parent: sessionId }), [child])
    },
  },
  {
    id: 'M2',
    title: 'purges several sessions in one step, and none while one has another child',
    async check(db) {
      const store = await db.connect()
      const root = await createSession(store)
      const child = await createSession(store, { parent: { sessionId: root } })
      const below = await createSession(store, { parent: { sessionId: child } })
      const bystander = await createSession(store)
      await store.append(appendRequest(below, { idempotency: { key: 'k', fingerprint: 'f' } }))
      for (const purge of [[root], [root, child], [root, below]]) {
        const { outcome, purged } = await store.memories.change(putRequest([], { purge }))
        assert.deepEqual([outcome, purged], ['stale', undefined])
      }
      for (const sessionId of [root, child, below]) assert(await store.record({ sessionId }))
      const purge = [root, child, below]
      const { outcome, purged } = await store.memories.change(putRequest([], { purge }))
      assert.deepEqual([outcome, purged], ['written', { events: 4, keys: 1 }])
      for (const sessionId of purge) assert.equal(await store.record({ sessionId }), undefined)
      assert.deepEqual(await store.totals(undefined), { sessions: 1, events: 1 })
      assert(await store.record({ sessionId: bystander }))
    },
  },
]
