import assert from 'node:assert/strict'
import type { SessionView } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { DecideRequest, EdgesQuery, NewEdge, SessionStore, StoredEdge } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { advanceView, appendRequest, createRequest, createSession, NOON, someEvent, upTo } from './samples.ts'

/** An edge from the first event of its decision, unless another is given. */
function edge(from: string, label: string, to: string, given: Partial<NewEdge> = {}): NewEdge {
  return { from, label, to, evidence: '{}', event: 0, ...given }
}

/** A decision with these edges and the events they come from. */
function edgeRequest(sessionId: string, edges: readonly NewEdge[], change: Partial<SessionView> = {}): DecideRequest {
  const count = Math.max(0, ...edges.map(({ event }) => event)) + 1
  return {
    sessionId,
    at: NOON,
    decide: (view) => ({
      events: upTo(count).map(() => someEvent('work', 'work_committed')),
      view: { ...advanceView(view, count), ...change },
      edges,
    }),
  }
}

const all = (store: SessionStore, sessionId: string, query: Partial<EdgesQuery> = {}) =>
  store.edges({ sessionId }, { limit: 1000, ...query })

const named = ({ from, label, to, sequence }: StoredEdge) => `${from} ${label} ${to} ${sequence}`

/** S23, and S28 of edges. */
export const edgeRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S23',
    title: 'stores edges with the sequence of their event and exact evidence, and the first of equal ones',
    async check(db) {
      const store = await db.connect()
      const [id, other] = [await createSession(store), await createSession(store)]
      const evidence = '{"b": 1.50,"a":"\\u0041 ünï 😀","c":[]}'
      const edges = [
        edge('file:b', 'updatedIn', 'task:t', { event: 1, evidence }),
        edge('file:b', 'updatedIn', 'task:t', { event: 1, evidence: '{"later":true}' }),
        edge('file:b', 'updatedIn', 'task:t'),
      ]
      await store.decide(edgeRequest(id, edges, { lastWork: 'w1' }))
      const stored = [
        { from: 'file:b', label: 'updatedIn', to: 'task:t', sequence: 2, evidence: '{}' },
        { from: 'file:b', label: 'updatedIn', to: 'task:t', sequence: 3, evidence },
      ]
      assert.deepEqual(await all(store, id), stored)
      assert.deepEqual(await all(store, other), [])
      assert.equal((await store.load({ sessionId: id }))?.lastWork, 'w1')
      // a decision without edges changes none
      await store.decide({
        sessionId: id,
        at: NOON,
        decide: (view) => ({ events: [someEvent()], view: advanceView(view, 1, { task: 'other' }) }),
      })
      await store.append(appendRequest(id))
      assert.deepEqual(await all(store, id), stored)
      assert.equal((await store.load({ sessionId: id }))?.lastWork, 'w1')
    },
  },
  {
    id: 'S23',
    title: 'stores no edges of a decision that refuses, writes nothing, or is replayed',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const request = { ...edgeRequest(id, [edge('a', 'l', 'b')]), idempotency: { key: 'k', fingerprint: 'f' } }
      await store.decide(request)
      assert.equal((await store.decide(request)).replayed, true)
      const refusal = store.decide({
        ...request,
        idempotency: { key: 'other', fingerprint: 'f' },
        decide: () => {
          throw new RangeError('no')
        },
      })
      await assert.rejects(refusal, RangeError)
      await store.decide({
        sessionId: id,
        at: NOON,
        decide: (view) => ({ events: [], view, edges: [edge('x', 'l', 'y')] }),
      })
      assert.deepEqual((await all(store, id)).map(named), ['a l b 2'])
    },
  },
  {
    id: 'S23',
    title: 'sorts by code points and pages without gaps or repeats',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const texts = [
        'a',
        'B',
        'a b',
        'a-b',
        'ab',
        'é',
        'e\u0301',
        'z',
        '\uFF5E',
        '漢',
        '😀',
        '😀a',
        'Z',
        'file:a/b',
        '~',
      ]
      const edges = texts.flatMap((from, i) => [
        edge(from, 'l', texts[(i + 4) % texts.length] ?? ''),
        edge(from, 'L', 'a', { event: i % 3 }),
        edge(from, 'L', '😀', { event: 1 }),
      ])
      await store.decide(edgeRequest(id, edges))
      const bytes = ({ from, label, to, sequence }: StoredEdge) => Buffer.from([from, label, to, sequence].join('\0'))
      const found = await all(store, id)
      assert.equal(found.length, 45)
      assert.deepEqual(
        found,
        [...found].sort((a, b) => Buffer.compare(bytes(a), bytes(b))),
      )
      for (const query of [{}, { nodes: texts }, { nodes: texts, direction: 'in' as const, labels: ['L'] }]) {
        const whole = await all(store, id, query)
        const paged: StoredEdge[] = []
        for (let after: StoredEdge | undefined; ; ) {
          const page = await store.edges({ sessionId: id }, defined({ ...query, limit: 4, after }))
          assert(page.length <= 4)
          paged.push(...page)
          after = page.at(-1)
          if (after === undefined) break
        }
        assert.deepEqual(paged, whole)
      }
    },
  },
  {
    id: 'S28',
    title: 'ends a page of edges with the one that fills it',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const evidence = JSON.stringify({ text: '漢'.repeat(Math.ceil(LIMITS.pageSize / 3)) })
      const given = ['a', 'b', 'c', 'd', 'e'].map((from) => edge(from, 'l', 'node', { evidence }))
      await store.decide(edgeRequest(id, given))
      const starts = async (query: Partial<EdgesQuery>) =>
        (await all(store, id, query)).map(({ from }) => from).join('')
      assert.equal(await starts({}), 'abc')
      assert.equal(await starts({ limit: 2 }), 'ab')
      assert.equal(await starts({ nodes: ['node'], direction: 'in' }), 'abc')
      assert.equal(await starts({ nodes: ['a', 'b', 'd', 'e', 'f'], direction: 'out' }), 'abd')
      assert.equal(await starts({ nodes: ['node', 'a'] }), 'abc')
      const after = { from: 'c', label: 'l', to: 'node', sequence: 2 }
      assert.equal(await starts({ after }), 'de')
    },
  },
  {
    id: 'S23',
    title: 'returns each edge at the given nodes once, by direction and label',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const edges = [
        edge('a', 'x', 'b'),
        edge('b', 'x', 'a'),
        edge('a', 'y', 'a'),
        edge('b', 'y', 'c'),
        edge('c', 'x', 'd'),
        edge('c', 'x', 'd', { event: 1 }),
        edge("d'", 'x', 'a,b'),
      ]
      await store.decide(edgeRequest(id, edges))
      const at = async (query: Partial<EdgesQuery>) => (await all(store, id, query)).map(named)
      assert.deepEqual(await at({ nodes: ['a'], direction: 'out' }), ['a x b 2', 'a y a 2'])
      assert.deepEqual(await at({ nodes: ['a'], direction: 'in' }), ['a y a 2', 'b x a 2'])
      assert.deepEqual(await at({ nodes: ['a'], direction: 'both' }), ['a x b 2', 'a y a 2', 'b x a 2'])
      assert.deepEqual(await at({ nodes: ['a', 'b', 'a'] }), ['a x b 2', 'a y a 2', 'b x a 2', 'b y c 2'])
      assert.deepEqual(await at({ nodes: ['c', 'd'], direction: 'in' }), ['b y c 2', 'c x d 2', 'c x d 3'])
      assert.deepEqual(await at({ nodes: ['a'], labels: ['y', 'none'] }), ['a y a 2'])
      assert.deepEqual(await at({ labels: ['x'], limit: 2 }), ['a x b 2', 'b x a 2'])
      assert.deepEqual(await at({ nodes: ["d'"] }), ["d' x a,b 2"])
      assert.deepEqual(await at({ nodes: [] }), [])
      assert.deepEqual(await at({ labels: [] }), [])
    },
  },
  {
    id: 'S23',
    title: 'distinguishes nodes of 4,000 characters with a common prefix',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      // incompressible
      const long = Array.from({ length: 4000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919 + i * i) % 20_000)))
      const [one, two] = [`${long.join('')}1`, `${long.join('')}2`]
      await store.decide(edgeRequest(id, [edge(two, 'x', one), edge(one, 'x', two), edge(one, 'x', one)]))
      const pairs = async (query: Partial<EdgesQuery>) =>
        (await all(store, id, query)).map(({ from, to }) => [from === one ? 1 : 2, to === one ? 1 : 2])
      const [first] = await all(store, id, { limit: 1 })
      assert(first)
      assert.deepEqual(await pairs({}), [[1, 1], [1, 2], [2, 1]]) // biome-ignore format: pairs
      assert.deepEqual(await pairs({ after: first }), [[1, 2], [2, 1]]) // biome-ignore format: pairs
      assert.deepEqual(await pairs({ nodes: [two], direction: 'in' }), [[1, 2]])
      assert.deepEqual(await pairs({ nodes: [two], direction: 'out' }), [[2, 1]])
    },
  },
  {
    id: 'S23',
    title: 'assigns every edge to its own event while forty decisions and plain appends race',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await createSession(first)
      const writes = upTo(40).flatMap((n) => [
        stores[n % 4]?.decide({
          sessionId: id,
          at: NOON,
          decide: (view) => ({
            events: [someEvent('before', 'x.before'), someEvent(`n${n}`, 'work_committed')],
            view: { ...advanceView(view, 2), lastWork: `n${n}` },
            edges: [edge(`n${n}`, 'of', 'task:t', { event: 1 })],
          }),
        }),
        stores[(n + 1) % 4]?.append(appendRequest(id)),
      ])
      await Promise.all(writes)
      const works = await first.read({ sessionId: id }, { types: ['work_committed'], order: 'asc', limit: 100 })
      const edges = await all(first, id, { nodes: ['task:t'], direction: 'in' })
      assert.equal(edges.length, 40)
      assert.deepEqual(
        edges.map(({ from, sequence }) => [from, sequence]).sort((a, b) => Number(a[1]) - Number(b[1])),
        works.map(({ content, sequence }) => [content, sequence]),
      )
      assert.equal((await first.load({ sessionId: id }))?.lastWork, works.at(-1)?.content)
    },
  },
  {
    id: 'S23',
    title: 'copies edges up to the fork point, and a repair replaces all edges',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      for (const n of upTo(3))
        await store.decide(edgeRequest(id, [edge(`n${n}`, 'l', 'm', { evidence: `{"n":${n}}` })]))
      const { event, view } = createRequest()
      const forked = { ...advanceView(view, 3), lastWork: 'w2' }
      await store.fork({ source: { sessionId: id, sequence: 3 }, event, at: NOON, view: forked })
      const fork = view.record.id
      const before = await all(store, id)
      assert.deepEqual(await all(store, fork), before.slice(0, 2))
      assert.deepEqual(await store.load({ sessionId: fork }), forked)

      const right = [{ from: 'z', label: 'l', to: 'é', sequence: 2, evidence: '{}' }, before[0] as StoredEdge]
      const { lastWork: _none, ...without } = forked
      const mended = { ...without, commit: { id: 'c', position: 1 } }
      assert.equal(await store.repair({ sessionId: fork }, 3, mended, right), false)
      assert.deepEqual(await all(store, fork), before.slice(0, 2))
      assert.equal(await store.repair({ sessionId: fork }, 4, mended, right), true)
      assert.deepEqual(await all(store, fork), right.toReversed())
      assert.deepEqual(await store.load({ sessionId: fork }), mended)
      assert.deepEqual(await all(store, id), before)

      await store.purge({ sessionId: id }, NOON)
      assert.equal((await all(store, fork)).length, 2)
      await createSession(store, { id })
      assert.deepEqual(await all(store, id), [])
    },
  },
]
