import assert from 'node:assert/strict'
import type { DeriveRequest, SessionStore, StoredEdge } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  expectError,
  NOON,
  someEvent,
  upTo,
} from './samples.ts'

const edge = (from: string, sequence: number, evidence = '{"tool":"Read","confidence":1}'): StoredEdge => ({
  from,
  label: 'references',
  to: 'file:a',
  sequence,
  evidence,
})

function request(sessionId: string, from: number, to: number, more: Partial<DeriveRequest> = {}): DeriveRequest {
  return { sessionId, tools: 't', from, to, state: `{"read":${to}}`, edges: [edge(`n${to}`, to)], ...more }
}

const starts = async (store: SessionStore, sessionId: string, tools?: string) => {
  const found = await store.edges({ sessionId }, { limit: 100, ...(tools !== undefined && { tools }) })
  return found.map(({ from, sequence }) => `${from} ${sequence}`)
}

/** A session with so many events. */
async function sessionOf(store: SessionStore, events: number): Promise<string> {
  const id = await createSession(store)
  for (const _ of upTo(events - 1)) await store.append(appendRequest(id))
  return id
}

/** A work commit that states an edge. */
async function state(store: SessionStore, sessionId: string, from: string): Promise<void> {
  const { sequence: _, ...stated } = edge(from, 0, '{}')
  await store.decide({
    sessionId,
    at: NOON,
    decide: (view) => ({
      events: [someEvent('', 'work_committed')],
      view: advanceView(view, 1),
      edges: [{ ...stated, event: 0 }],
    }),
  })
}

/** S36 to S38: work derived from tool calls. */
export const derivedWorkRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S36',
    title: 'stores derived edges with the mark, only from where it stands and up to the head',
    async check(db) {
      const store = await db.connect()
      const id = await sessionOf(store, 5)
      const before = await store.load({ sessionId: id })
      const first = { ...request(id, 0, 3), edges: [edge('a', 2), edge('b', 3), edge('b', 3, '{"later":true}')] }
      assert.equal(await store.deriveWork(first), true)
      assert.deepEqual(await store.workMark({ sessionId: id }, 't'), { head: 5, at: 3, state: '{"read":3}' })
      const stored = [edge('a', 2), edge('b', 3)]
      assert.deepEqual(await store.edges({ sessionId: id }, { limit: 9, tools: 't' }), stored)
      for (const refused of [request(id, 0, 3), request(id, 2, 4), request(id, 4, 5), request(id, 3, 6)]) {
        assert.equal(await store.deriveWork(refused), false)
      }
      assert.deepEqual(await store.edges({ sessionId: id }, { limit: 9, tools: 't' }), stored)
      assert.equal(await store.deriveWork({ ...request(id, 3, 5), edges: [], state: '' }), true)
      assert.deepEqual(await store.workMark({ sessionId: id }, 't'), { head: 5, at: 5, state: '' })
      assert.deepEqual(await store.load({ sessionId: id }), before)
      const changed = { ...request(id, 5, 6), edges: [edge('c', 6)] }
      await store.append(appendRequest(id))
      assert.equal(await store.deriveWork(changed), true)
      Object.assign(changed.edges[0] as object, { from: 'other' })
      assert.deepEqual(await starts(store, id, 't'), ['a 2', 'b 3', 'c 6'])
    },
  },
  {
    id: 'S36',
    title: 'lets one of several connections move a mark, and refuses sessions that do not exist',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await sessionOf(first, 20)
      for (const from of upTo(19)) {
        const all = stores.map((store) => store.deriveWork(request(id, from - 1, from)))
        const moved = (await Promise.all(all)).filter(Boolean)
        assert.equal(moved.length, 1)
      }
      assert.equal((await starts(first, id, 't')).length, 19)
      await first.purge({ sessionId: id }, NOON)
      for (const key of [{ sessionId: id }, { sessionId: '0198f000-0000-7000-8000-00000000abcd' }]) {
        await expectError('SESSION_NOT_FOUND', first.workMark(key, 't'))
        await expectError('SESSION_NOT_FOUND', first.deriveWork(request(key.sessionId, 0, 1)))
      }
    },
  },
  {
    id: 'S37',
    title: 'keeps marks and edges of different tools apart',
    async check(db) {
      const store = await db.connect()
      const id = await sessionOf(store, 5)
      assert.deepEqual(await store.workMark({ sessionId: id }, 't'), { head: 5, at: 0, state: '' })
      await store.deriveWork(request(id, 0, 4))
      await store.deriveWork(request(id, 0, 2, { tools: 'u' }))
      await store.deriveWork(request(id, 2, 4, { tools: 'u', edges: [edge('n4', 4, '{"by":"u"}')] }))
      assert.deepEqual(await starts(store, id, 't'), ['n4 4'])
      assert.deepEqual(await starts(store, id, 'u'), ['n2 2', 'n4 4'])
      assert.deepEqual(await store.workMark({ sessionId: id }, 'u'), { head: 5, at: 4, state: '{"read":4}' })
      assert.deepEqual(await store.workMark({ sessionId: id }, 'v'), { head: 5, at: 0, state: '' })
      const other = await sessionOf(store, 2)
      assert.deepEqual(await store.workMark({ sessionId: other }, 't'), { head: 2, at: 0, state: '' })
      const within = { tenant: 'other' }
      await expectError('SESSION_NOT_FOUND', store.workMark({ sessionId: id, within }, 't'))
      await expectError('SESSION_NOT_FOUND', store.deriveWork(request(id, 4, 5, { within })))
    },
  },
  {
    id: 'S38',
    title: 'returns derived edges among those that are stated, in their order, only on request',
    async check(db) {
      const store = await db.connect()
      const id = await sessionOf(store, 3)
      await state(store, id, 'm')
      await store.deriveWork(request(id, 0, 4, { edges: [edge('a', 2), edge('m', 3), edge('z', 3)] }))
      assert.deepEqual(await starts(store, id), ['m 4'])
      assert.deepEqual(await starts(store, id, 'u'), ['m 4'])
      assert.deepEqual(await starts(store, id, 't'), ['a 2', 'm 3', 'm 4', 'z 3'])
      const query = { tools: 't', limit: 2, nodes: ['file:a'], direction: 'in' } as const
      const page = await store.edges({ sessionId: id }, query)
      const after = page.at(-1)
      assert(after)
      const rest = await store.edges({ sessionId: id }, { ...query, after })
      assert.deepEqual(
        [...page, ...rest].map(({ from, sequence }) => `${from} ${sequence}`),
        await starts(store, id, 't'),
      )
      const out = { tools: 't', limit: 9, nodes: ['m', 'z'], direction: 'out', labels: ['references'] } as const
      assert.equal((await store.edges({ sessionId: id }, out)).length, 3)
    },
  },
  {
    id: 'S38',
    title: 'copies no derived edges to a fork, and removes them with a repair and a purge',
    async check(db) {
      const store = await db.connect()
      const id = await sessionOf(store, 3)
      await state(store, id, 'm')
      await store.deriveWork(request(id, 0, 3))
      const { event, view } = createRequest()
      await store.fork({ source: { sessionId: id, sequence: 4 }, event, at: NOON, view: advanceView(view, 4) })
      const fork = view.record.id
      assert.deepEqual(await starts(store, fork, 't'), ['m 4'])
      assert.equal((await store.workMark({ sessionId: fork }, 't')).at, 0)

      const stored = await store.load({ sessionId: id })
      assert(stored)
      assert.equal(await store.repair({ sessionId: id }, 4, stored, [edge('m', 4, '{}')]), true)
      assert.deepEqual(await starts(store, id, 't'), ['m 4'])
      assert.deepEqual(await store.workMark({ sessionId: id }, 't'), { head: 4, at: 0, state: '' })

      await store.deriveWork(request(id, 0, 3))
      await store.purge({ sessionId: id }, NOON)
      await createSession(store, { id })
      assert.deepEqual(await starts(store, id, 't'), [])
      assert.deepEqual(await store.workMark({ sessionId: id }, 't'), { head: 1, at: 0, state: '' })
    },
  },
]
