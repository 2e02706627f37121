import assert from 'node:assert/strict'
import { LIMITS } from '../../domain/limits.ts'
import type { LineageEntry, Memory, MemoryChange } from '../../domain/memory/memory.ts'
import { uuid7 } from '../../ids.ts'
import type { MemoryWrites } from '../../ports/memory-store.ts'
import type { Store } from '../../ports/store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  ADA,
  appendRequest,
  brokenDescription,
  createSession,
  describeTerms,
  NOON,
  noonPlus,
  putRequest,
  someEvents,
  someMemory,
  upTo,
} from './samples.ts'

const MEMORIES = { ...ADA, corpus: 'memories' } as const

const words = (...terms: string[]) => ({ description: describeTerms(terms), version: 1 })

const created = { at: NOON, change: 'created', confidence: 0.8 } as const

async function one(store: Store, id: string): Promise<Memory> {
  const [memory] = await store.memories.get([id], undefined)
  assert(memory)
  return memory
}

const extracted = async (store: Store, id: string) => (await store.index.mark(id))?.extracted

/** A decision that adds evidence to a memory. */
function addEvidence([memory]: readonly Memory[], entry: LineageEntry): MemoryWrites {
  assert(memory)
  const change = { at: entry.at, change: 'corroborated' as const, confidence: memory.confidence }
  return { puts: [{ memory: { ...memory, lineage: [...memory.lineage, entry] }, changes: [change] }] }
}

/** M1 to M4. */
export const memoryRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'M1',
    title: 'passes memories by id and by fingerprint to the decider, and stores its result',
    async check(db) {
      const [store, reader] = [await db.connect(), await db.connect()]
      const [a, b, c, d] = [someMemory(), someMemory(), someMemory(), someMemory({ supersededBy: uuid7() })]
      const puts = [
        { memory: a, fingerprint: 'plays guitar', words: words('guitar'), changes: [created] },
        { memory: b, fingerprint: 'lives in zürich' },
        { memory: c },
        { memory: d, fingerprint: 'plays guitar' },
      ]
      const changed = await store.memories.change(putRequest(puts))
      assert.deepEqual(changed, { outcome: 'written', memories: [a, b, c, d] })
      const seen = async (named: { ids?: string[]; fingerprints?: string[] }) => {
        let found: readonly Memory[] = []
        const decide = (memories: readonly Memory[]) => {
          found = memories
          return { puts: [] }
        }
        assert.deepEqual(await reader.memories.change(putRequest([], { ...named, decide })), {
          outcome: 'written',
          memories: [],
        })
        return [...found].sort((x, y) => (x.id < y.id ? -1 : 1))
      }
      const byId = (...memories: Memory[]) => memories.sort((x, y) => (x.id < y.id ? -1 : 1))
      assert.deepEqual(await seen({}), [])
      assert.deepEqual(await seen({ ids: [c.id, d.id, uuid7()] }), byId(c, d))
      // a superseded memory is not found by fingerprint
      assert.deepEqual(await seen({ fingerprints: ['plays guitar', 'never said', 'lives in zürich'] }), byId(a, b))
      assert.deepEqual(await seen({ ids: [a.id, c.id], fingerprints: ['plays guitar'] }), byId(a, c))

      // fields missing in a put stay unchanged
      await store.memories.change(putRequest([{ memory: { ...a, content: 'Ada plays the lute' } }]))
      assert.deepEqual(
        (await seen({ fingerprints: ['plays guitar'] })).map(({ content }) => content),
        ['Ada plays the lute'],
      )
      assert.equal((await reader.index.lookup(MEMORIES, ['guitar'])).frequencies.get('guitar'), 1)
      assert.equal((await reader.memories.history(a.id, undefined)).length, 1)
      await store.memories.change(putRequest([{ memory: a, fingerprint: 'plays lute' }]))
      assert.deepEqual(await seen({ fingerprints: ['plays guitar'] }), [])
    },
  },
  {
    id: 'M1',
    title: 'keeps each of 64 concurrent corroborations of one memory from two connections',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const memory = someMemory()
      await stores[0].memories.change(putRequest([{ memory, changes: [created] }]))
      const entry = (n: number) => ({ relation: 'corroborates' as const, at: noonPlus(n), source: `s${n}` })
      const results = await Promise.all(
        upTo(64).map((n) =>
          stores[n % 2]?.memories.change(
            putRequest([], { ids: [memory.id], decide: (found) => addEvidence(found, entry(n)) }),
          ),
        ),
      )
      assert(results.every((result) => result?.outcome === 'written'))
      const { lineage } = await one(stores[1], memory.id)
      assert.equal(lineage.length, 65)
      assert.deepEqual(new Set(lineage.slice(1).map(({ source }) => source)), new Set(upTo(64).map((n) => `s${n}`)))
      const history = await stores[0].memories.history(memory.id, undefined)
      assert.deepEqual(
        history.map(({ version }) => version),
        upTo(65),
      )
      // the history has the order of the lineage
      assert.deepEqual(
        history.map(({ at }) => at),
        lineage.map(({ at }) => at),
      )
    },
  },
  {
    id: 'M1',
    title: 'the second of two equal changes sees the memory of the first',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const learn = (store: Store, content: string) =>
        store.memories.change(
          putRequest([], {
            fingerprints: [content],
            decide: (found) =>
              found.length > 0
                ? addEvidence(found, { relation: 'corroborates', at: NOON })
                : { puts: [{ memory: someMemory({ content }), fingerprint: content }] },
          }),
        )
      for (const n of upTo(10)) await Promise.all(stores.map((store) => learn(store, `fact ${n}`)))
      const all = await stores[0].memories.list({ ...ADA, limit: 100 })
      assert.equal(all.length, 10)
      assert(all.every(({ lineage }) => lineage.length === 2))
    },
  },
  {
    id: 'M1',
    title: 'stores nothing if the decider throws or its words cannot be read',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const [old, fresh] = [someMemory(), someMemory()]
      await store.memories.change(putRequest([{ memory: old, words: words('old'), changes: [created] }]))
      const mark = { sessionId, from: 0, to: 1 }
      const fail = () => {
        throw new RangeError('no decision')
      }
      await assert.rejects(store.memories.change(putRequest([], { mark, decide: fail })), RangeError)
      const puts = [
        { memory: fresh, words: words('new'), changes: [created], fingerprint: 'f' },
        {
          memory: { ...old, content: 'x' },
          words: { description: brokenDescription(), version: 1 },
          changes: [created],
        },
      ]
      await assert.rejects(
        store.memories.change(putRequest([], { mark, decide: () => ({ puts, removals: [old.id] }) })),
      )
      assert.deepEqual(await store.memories.list({ ...ADA, limit: 9 }), [old])
      assert.equal((await store.memories.history(old.id, undefined)).length, 1)
      assert.deepEqual(await store.memories.history(fresh.id, undefined), [])
      const { messages, frequencies } = await store.index.lookup(MEMORIES, ['old', 'new'])
      assert.deepEqual([messages, frequencies.get('old'), frequencies.get('new') ?? 0], [1, 1, 0])
      assert.equal(await extracted(store, sessionId), 0)
      // the next change succeeds
      assert.equal((await store.memories.change(putRequest([{ memory: fresh }], { mark }))).outcome, 'written')
    },
  },
  {
    id: 'M2',
    title: 'writes only from the current mark, and moves it with the write',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.append(appendRequest(sessionId, { events: someEvents(20) }))
      const memory = someMemory()
      const write = (from: number, to: number, id = sessionId) =>
        store.memories.change(putRequest([{ memory }], { mark: { sessionId: id, from, to } }))
      assert.equal((await write(0, 10)).outcome, 'written')
      assert.equal(await extracted(store, sessionId), 10)

      const never = () => assert.fail('the decider was called')
      for (const [id, from, to] of [
        [sessionId, 0, 20],
        [sessionId, 9, 20],
        [sessionId, 11, 20],
        [sessionId, 10, 22],
        [uuid7(), 0, 1],
        [await createSession(store, { userId: 'bob' }), 0, 1],
      ] as const) {
        const mark = { sessionId: id, from, to }
        const { outcome, memories } = await store.memories.change(putRequest([], { mark, decide: never }))
        assert.deepEqual([outcome, memories], ['stale', []])
      }
      assert.equal(await extracted(store, sessionId), 10)
      // a change without a mark leaves it unchanged, and so does the index
      await store.memories.change(putRequest([{ memory }]))
      await store.index.add({ sessionId, from: 0, to: 21, version: 1, messages: [] })
      await store.index.drop(sessionId)
      assert.equal(await extracted(store, sessionId), 10)
      assert.equal((await write(10, 21)).outcome, 'written')
      assert.equal(await extracted(store, sessionId), 21)
      assert.equal((await store.index.mark(sessionId))?.indexed, 0)
      await store.purge({ sessionId }, NOON)
      assert.equal((await write(21, 22)).outcome, 'stale')
    },
  },
  {
    id: 'M2',
    title: 'writes only if the named sessions exist and belong to the user',
    async check(db) {
      const store = await db.connect()
      const [mine, gone, bobs] = [
        await createSession(store),
        await createSession(store),
        await createSession(store, { userId: 'bob' }),
      ]
      await store.purge({ sessionId: gone }, NOON)
      const never = () => assert.fail('the decider was called')
      for (const sessions of [[gone], [bobs], [mine, uuid7()]]) {
        assert.equal((await store.memories.change(putRequest([], { sessions, decide: never }))).outcome, 'stale')
      }
      for (const purge of [[gone], [bobs]]) {
        const { outcome, purged } = await store.memories.change(putRequest([], { purge, decide: never }))
        assert.deepEqual([outcome, purged], ['stale', undefined])
      }
      assert(await store.load({ sessionId: bobs }))
      const { outcome } = await store.memories.change(
        putRequest([{ memory: someMemory() }], { sessions: [mine, mine] }),
      )
      assert.equal(outcome, 'written')
    },
  },
  {
    id: 'M2',
    title: 'purges a session together with its removal from lineages',
    async check(db) {
      const store = await db.connect()
      const [sessionId, other] = [await createSession(store), await createSession(store)]
      await store.append(appendRequest(sessionId, { events: someEvents(4) }))
      const entry = (id: string) => ({ relation: 'origin' as const, at: NOON, sessionId: id })
      const [from, both, apart] = [
        someMemory({ lineage: [entry(sessionId)] }),
        someMemory({ lineage: [entry(other), { ...entry(sessionId), relation: 'corroborates' }] }),
        someMemory({ lineage: [entry(other)] }),
      ]
      await store.memories.change(putRequest([{ memory: from }, { memory: both }, { memory: apart }]))
      const at = noonPlus(5)
      const request = { ...ADA, at, sources: [`session:${sessionId}`], purge: [sessionId] }
      await assert.rejects(
        store.memories.change({
          ...request,
          decide() {
            throw new RangeError('no')
          },
        }),
        RangeError,
      )
      assert(await store.load({ sessionId }))
      const kept = { ...both, lineage: [entry(other)] }
      let seen: string[] = []
      const { purged } = await store.memories.change({
        ...request,
        decide(found) {
          seen = found.map(({ id }) => id)
          return { puts: [{ memory: kept }], removals: [from.id] }
        },
      })
      assert.deepEqual(seen.sort(), [from.id, both.id].sort())
      assert.deepEqual(purged, { events: 5, keys: 0 })
      assert.equal(await store.load({ sessionId }), undefined)
      assert(await store.load({ sessionId: other }))
      const left = await store.memories.list({ ...ADA, limit: 9 })
      assert.deepEqual(
        left.sort((a, b) => (a.id < b.id ? -1 : 1)),
        [kept, apart].sort((a, b) => (a.id < b.id ? -1 : 1)),
      )
    },
  },
  {
    id: 'M2',
    title: 'lets one of two racing extractions of the same events write',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const sessionId = await createSession(stores[0])
      await stores[0].append(appendRequest(sessionId, { events: someEvents(10) }))
      for (const n of upTo(10)) {
        const mark = { sessionId, from: n - 1, to: n }
        const results = await Promise.all(
          stores.map(({ memories }) => memories.change(putRequest([{ memory: someMemory() }], { mark }))),
        )
        assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ['stale', 'written'])
      }
      assert.equal((await stores[1].memories.list({ ...ADA, limit: 100 })).length, 10)
    },
  },
  {
    id: 'M3',
    title: 'numbers the changes of each memory 1, 2, 3 … and returns all their fields',
    async check(db) {
      const store = await db.connect()
      const [a, b] = [someMemory(), someMemory()]
      const changes: Omit<MemoryChange, 'version'>[] = [
        { at: NOON, change: 'created', confidence: 0.8, source: { sessionId: uuid7(), from: 2, to: 9 } },
        {
          at: noonPlus(1),
          change: 'corroborated',
          confidence: 0.85,
          source: { source: 'tool "x" — ünï' },
          note: 'Why?',
        },
        { at: noonPlus(2), change: 'contradicted', confidence: 0, source: {} },
        { at: noonPlus(2), change: 'superseded', confidence: 0.07, by: uuid7(), note: '' },
        { at: noonPlus(1), change: 'source_removed', confidence: 1 },
      ]
      const merged = { at: NOON, change: 'merged' as const, confidence: 0.9 }
      for (const change of changes) {
        await store.memories.change(putRequest([{ memory: a, changes: [change] }]))
        await store.memories.change(putRequest([{ memory: a }]))
      }
      await store.memories.change(
        putRequest([
          { memory: b, changes: [] },
          { memory: a, changes: [created, merged] },
        ]),
      )
      assert.deepEqual(await store.memories.history(a.id, undefined), [
        ...changes.map((change, i) => ({ version: i + 1, ...change })),
        { version: 6, ...created },
        { version: 7, ...merged },
      ])
      assert.deepEqual(await store.memories.history(b.id, undefined), [])
      await store.memories.change(putRequest([{ memory: b, changes: [created] }]))
      assert.deepEqual(await store.memories.history(b.id, undefined), [{ version: 1, ...created }])
      assert.deepEqual(await store.memories.history(uuid7(), undefined), [])
    },
  },
  {
    id: 'M3',
    title: 'returns the changes after a version, up to the one that fills the page',
    async check(db) {
      const store = await db.connect()
      const memory = someMemory()
      const changes = upTo(LIMITS.page + 2).map((n) => ({ ...created, at: noonPlus(n) }))
      await store.memories.change(putRequest([{ memory, changes }]))
      const versions = async (after?: number) =>
        (await store.memories.history(memory.id, ADA, after)).map(({ version }) => version)
      assert.deepEqual(await versions(), upTo(LIMITS.page))
      assert.deepEqual(await versions(LIMITS.page), [LIMITS.page + 1, LIMITS.page + 2])
      assert.deepEqual(await versions(LIMITS.page + 2), [])
      const long = upTo(5).map(() => ({ ...created, note: '漢'.repeat(Math.ceil(LIMITS.pageSize / 3)) }))
      await store.memories.change(putRequest([{ memory, changes: long }]))
      const last = LIMITS.page + 2
      assert.deepEqual(await versions(last), [last + 1, last + 2, last + 3])
      assert.deepEqual(await versions(last + 3), [last + 4, last + 5])
    },
  },
  {
    id: 'M4',
    title: 'returns every field of a memory unchanged, as a copy',
    async check(db) {
      const [store, reader] = [await db.connect(), await db.connect()]
      const rich = someMemory({
        category: 'skills',
        content: 'tab\tline\nquote\' " \\ ünï 漢字 😀 \u2028',
        scope: 'project ß',
        sourceType: 'tool_output',
        confidence: 0.07,
        lineage: [
          { relation: 'origin', at: NOON, confidence: 0.3, sessionId: uuid7(), from: 1, to: 70_000 },
          {
            relation: 'corroborates',
            at: noonPlus(1),
            sourceType: 'implicit',
            source: 'https://example.org/ü?a=1',
          },
          {
            relation: 'contradicts',
            at: noonPlus(1),
            sessionId: uuid7(),
            from: 3,
            to: 3,
            source: 'both',
            confidence: 0,
          },
        ],
        useCount: 3_000_000,
        createdAt: '2025-12-31T23:59:59.999Z',
        lastUsedAt: noonPlus(2),
        expiresAt: noonPlus(3),
        supersededBy: uuid7(),
        supersededAt: noonPlus(1),
        metadata: { z: 1.5, a: [null, { y: '', b: 'ünï 😀' }], m: 1e21, __x: false },
      })
      const plain = [0, 0.29, 0.57, 1].map((confidence) => someMemory({ confidence }))
      const odd = someMemory({ category: 'of an older table', content: '', scope: '', lineage: [], metadata: {} })
      const all = [rich, ...plain, odd]
      const given = structuredClone(all)
      await store.memories.change(putRequest(given.map((memory) => ({ memory }))))
      for (const memory of given) memory.content = 'changed by the caller'
      for (const memory of all) {
        const found = await one(reader, memory.id)
        assert.deepEqual(found, memory)
        assert.equal(JSON.stringify(found.metadata), JSON.stringify(memory.metadata))
        Object.assign(found, { content: 'changed by the reader' })
        found.lineage.push({ relation: 'contradicts', at: NOON })
        assert.deepEqual(await one(reader, memory.id), memory)
      }
      // optional fields missing in a later put are removed
      const bare = someMemory({ id: rich.id })
      await store.memories.change(putRequest([{ memory: bare }]))
      assert.deepEqual(await one(reader, rich.id), bare)
    },
  },
]
