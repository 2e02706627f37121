import assert from 'node:assert/strict'
import { LIMITS } from '../../domain/limits.ts'
import { type Memory, sourceKey } from '../../domain/memory/memory.ts'
import { decodePostings } from '../../domain/recall/postings.ts'
import { LONG_MESSAGE_TERMS } from '../../domain/recall/weights.ts'
import { uuid7 } from '../../ids.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { Store } from '../../ports/store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  ADA,
  createSession,
  describeTerms,
  NOON,
  noonPlus,
  putRequest,
  someMemory,
  someMessage,
  upTo,
} from './samples.ts'

const BOB: UserKey = { tenant: 'local', userId: 'bob' }
const OTHER_ADA: UserKey = { tenant: 'other', userId: 'ada' }
const MEMORIES = { ...ADA, corpus: 'memories' } as const
const MESSAGES = { ...ADA, corpus: 'messages' } as const

const words = (...terms: string[]) => ({ description: describeTerms(terms), version: 1 })
const created = { at: NOON, change: 'created', confidence: 0.8 } as const
const removing = (ids: readonly string[], user = ADA) =>
  putRequest([], { ...user, decide: () => ({ puts: [], removals: ids }) })

/** Memories with ascending ids. */
const inOrder = (given: readonly Partial<Memory>[]) => {
  const ids = given.map(() => uuid7()).sort()
  return given.map((each, i) => someMemory({ id: ids[i] ?? '', ...each }))
}

const sorted = (memories: readonly Memory[]) => memories.map(({ id }) => id).sort()

async function countPostings(store: Store, ...terms: string[]): Promise<number[]> {
  const { frequencies } = await store.index.lookup(MEMORIES, terms)
  return terms.map((term) => frequencies.get(term) ?? 0)
}

/** M5 to M11. */
export const memoryMaintenanceRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'M5',
    title: 'pages through a user’s memories by id, including expired and superseded ones',
    async check(db) {
      const store = await db.connect()
      const mine = inOrder([{}, { expiresAt: noonPlus(-9) }, {}, { supersededBy: uuid7(), supersededAt: NOON }, {}])
      await store.memories.change(putRequest(mine.toReversed().map((memory) => ({ memory }))))
      for (const user of [BOB, OTHER_ADA]) {
        await store.memories.change(putRequest([{ memory: someMemory({ ...user }) }], user))
      }
      assert.deepEqual(await store.memories.list({ ...ADA, limit: 99 }), mine)
      assert.deepEqual(await store.memories.list({ ...ADA, limit: 2 }), mine.slice(0, 2))
      assert.deepEqual(await store.memories.list({ ...ADA, after: mine[1]?.id ?? '', limit: 2 }), mine.slice(2, 4))
      assert.deepEqual(await store.memories.list({ ...ADA, after: mine[4]?.id ?? '', limit: 2 }), [])
      assert.deepEqual(await store.memories.list({ ...ADA, userId: 'nobody', limit: 2 }), [])
      const ids = mine.map(({ id }) => id)
      assert.deepEqual(sorted(await store.memories.get([...ids, uuid7()], undefined)), ids)
      assert.deepEqual(await store.memories.get([], undefined), [])
    },
  },
  {
    id: 'M5',
    title: 'ends every list with the memory that fills it',
    async check(db) {
      const store = await db.connect()
      const third = Math.ceil(LIMITS.pageSize / 3)
      const origin = { relation: 'origin' as const, at: NOON, source: 'tool' }
      const expiring = { expiresAt: NOON, lineage: [origin] }
      const metadata = { text: 'ö'.repeat(third) }
      const mine = inOrder([
        { ...expiring, content: '漢'.repeat(third) },
        { ...expiring, metadata },
        { ...expiring, lineage: [origin, { ...origin, relation: 'corroborates', source: 'x'.repeat(third) }] },
        { ...expiring, metadata },
        expiring,
      ])
      for (const memory of mine) await store.memories.change(putRequest([{ memory }]))
      const lists: ((limit: number) => Promise<Memory[]>)[] = [
        (limit) => store.memories.list({ ...ADA, limit }),
        (limit) => store.memories.fromSource({ ...ADA, key: 'source:tool', limit }),
        (limit) => store.memories.expired(NOON, limit, undefined),
        (limit) => store.memories.expired(NOON, limit, ADA),
      ]
      const lengths = await Promise.all(lists.map(async (list) => [(await list(99)).length, (await list(2)).length]))
      assert.deepEqual(
        lengths,
        lists.map(() => [3, 2]),
      )
      const after = mine[2]?.id ?? ''
      assert.deepEqual(await store.memories.list({ ...ADA, after, limit: 99 }), mine.slice(3))
      assert.deepEqual(await store.memories.fromSource({ ...ADA, key: 'source:tool', after, limit: 99 }), mine.slice(3))
      // in any order
      const unindexed = await store.memories.unindexed(ADA, 1, 99)
      assert(unindexed.length === 3 || unindexed.length === 4)
    },
  },
  {
    id: 'M5',
    title: 'returns memories in the order of the ids, up to the one that fills the page',
    async check(db) {
      const store = await db.connect()
      const third = Math.ceil(LIMITS.pageSize / 3)
      const mine = inOrder([{}, {}, {}, {}, {}]).map((memory) => ({ ...memory, content: 'ö'.repeat(third) }))
      for (const memory of mine) await store.memories.change(putRequest([{ memory }]))
      const wanted = [mine[3], mine[0], mine[4], mine[1], mine[2]] as Memory[]
      const ids = wanted.map(({ id }) => id)
      for (const within of [ADA, undefined]) {
        assert.deepEqual(await store.memories.get([uuid7(), ...ids], within), wanted.slice(0, 3))
        assert.deepEqual(await store.memories.get(ids.slice(3), within), wanted.slice(3))
      }
    },
  },
  {
    id: 'M6',
    title: 'finds every memory whose lineage names a source',
    async check(db) {
      const store = await db.connect()
      const sessionId = uuid7()
      const origin = { relation: 'origin' as const, at: NOON }
      const support = { relation: 'corroborates' as const, at: NOON }
      const [a, b, c, d] = inOrder([
        { lineage: [{ ...origin, sessionId, from: 1, to: 2 }] },
        {
          lineage: [
            origin,
            { ...support, source: 'tool' },
            { ...support, sessionId },
            { ...support, sessionId, from: 8 },
          ],
        },
        { lineage: [{ ...origin, source: sessionId }] },
        { lineage: [origin, { ...support, relation: 'contradicts', sessionId, source: 'tool' }] },
      ]) as [Memory, Memory, Memory, Memory]
      await store.memories.change(putRequest([a, b, c, d].map((memory) => ({ memory }))))
      const stranger = someMemory({ ...BOB, lineage: a.lineage })
      await store.memories.change(putRequest([{ memory: stranger }], BOB))
      const from = (key: string | undefined, given: { after?: string; limit?: number } = {}) =>
        store.memories.fromSource({ ...ADA, key: key ?? '', limit: 99, ...given })
      const session = sourceKey({ sessionId })
      assert.deepEqual(await from(session), [a, b, d])
      assert.deepEqual(await from(session, { limit: 2 }), [a, b])
      assert.deepEqual(await from(session, { after: a.id, limit: 1 }), [b])
      assert.deepEqual(await from(sourceKey({ source: 'tool' })), [b])
      assert.deepEqual(await from(sourceKey({ source: sessionId })), [c])
      assert.deepEqual(await from(sourceKey({ source: 'never' })), [])

      await store.memories.change(putRequest([{ memory: { ...a, lineage: [origin] } }]))
      await store.memories.change(removing([b.id]))
      assert.deepEqual(await from(session), [d])
      assert.deepEqual(await from(sourceKey({ source: 'tool' })), [])
    },
  },
  {
    id: 'M7',
    title: 'indexes memories in their own corpus, each as turn 1 under its id',
    async check(db) {
      const store = await db.connect()
      const [a, b] = inOrder([{}, {}]) as [Memory, Memory]
      const long = describeTerms({ tea: [4, 9, 300] }, { length: LONG_MESSAGE_TERMS + 1, asks: true })
      const puts = [
        { memory: a, words: { description: long, version: 1 } },
        { memory: b, words: words('tea', '東京') },
      ]
      await store.memories.change(putRequest(puts))
      assert.deepEqual(await store.index.lookup(MEMORIES, ['tea', '東京']), {
        messages: 2,
        terms: LONG_MESSAGE_TERMS + 3,
        longMessages: 1,
        speakers: [],
        frequencies: new Map([
          ['tea', 2],
          ['東京', 1],
        ]),
      })
      const postings = async (term: string, limit = 9) => {
        const blocks = await store.index.postings(MEMORIES, [term], limit)
        return blocks.flatMap(({ session, block, data }) => decodePostings(session, block, data))
      }
      const ofA = { session: a.id, turn: 1, length: LONG_MESSAGE_TERMS + 1, asks: true, places: [4, 9, 300] }
      const ofB = { session: b.id, turn: 1, length: 2, asks: false, places: [2] }
      assert.deepEqual(await postings('tea'), [ofA, ofB])
      assert.deepEqual(await postings('tea', 1), [ofB])
      assert.deepEqual(await postings('東京'), [{ ...ofB, places: [4] }])
      assert.equal((await store.index.lookup(MESSAGES, ['tea'])).messages, 0)
      assert.deepEqual(
        await store.index.facts(ADA, {
          places: [],
          sessions: [a.id],
          perSession: 9,
          span: { from: 0, to: 1e15, limit: 9 },
        }),
        [],
      )
    },
  },
  {
    id: 'M7',
    title: 'removes the words of a removed memory, of one with words `null`, and replaced words',
    async check(db) {
      const store = await db.connect()
      const [a, b, c] = [someMemory(), someMemory(), someMemory()]
      const puts = [a, b, c].map((memory) => ({ memory, words: words('tea', 'cup'), changes: [created] }))
      await store.memories.change(putRequest(puts))
      await store.memories.change(putRequest([{ memory: { ...a, useCount: 7 } }]))
      assert.deepEqual(await countPostings(store, 'tea', 'cup', 'jug'), [3, 3, 0])
      await store.memories.change(putRequest([{ memory: a, words: words('tea', 'jug', 'pot') }]))
      assert.deepEqual(await countPostings(store, 'tea', 'cup', 'jug'), [3, 2, 1])
      assert.equal((await store.index.lookup(MEMORIES, [])).terms, 7)
      await store.memories.change(putRequest([{ memory: b, words: null }]))
      await store.memories.change(putRequest([{ memory: b, words: null }]))
      assert.deepEqual(await countPostings(store, 'tea', 'cup'), [2, 1])
      await store.memories.change(removing([c.id, uuid7()]))
      assert.deepEqual(await countPostings(store, 'tea', 'cup'), [1, 0])
      const blocks = await store.index.postings(MEMORIES, ['tea', 'cup', 'jug'], 9)
      assert.deepEqual(
        blocks.map(({ session }) => session),
        [a.id, a.id],
      )
      const { messages, terms } = await store.index.lookup(MEMORIES, [])
      assert.deepEqual([messages, terms], [1, 3])
      assert.deepEqual(sorted(await store.memories.list({ ...ADA, limit: 9 })), sorted([a, b]))
      assert.deepEqual(await store.memories.get([c.id], undefined), [])
      assert.deepEqual(await store.memories.history(c.id, undefined), [])
      await store.memories.change(putRequest([{ memory: b, words: words('cup') }]))
      assert.deepEqual(await countPostings(store, 'tea', 'cup'), [1, 1])
      // a reused id starts a new history
      await store.memories.change(putRequest([{ memory: c, changes: [created] }]))
      assert.deepEqual(await store.memories.history(c.id, undefined), [{ version: 1, ...created }])
      assert.deepEqual(await countPostings(store, 'tea', 'cup'), [1, 1])
    },
  },
  {
    id: 'M8',
    title: 'counts uses of the user’s memories and changes nothing else',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const [a, b] = [someMemory({ useCount: 2 }), someMemory()]
      const stranger = someMemory({ ...BOB })
      const puts = [a, b].map((memory) => ({ memory, words: words('tea'), changes: [created], fingerprint: 'f' }))
      await store.memories.change(putRequest(puts))
      await store.memories.change(putRequest([{ memory: stranger }], BOB))
      await store.memories.markUsed(ADA, [a.id, stranger.id, uuid7()], noonPlus(5))
      assert.deepEqual(await store.memories.get([a.id], undefined), [{ ...a, useCount: 3, lastUsedAt: noonPlus(5) }])
      assert.deepEqual(await store.memories.get([b.id], undefined), [b])
      assert.deepEqual(await store.memories.get([stranger.id], undefined), [stranger])
      await store.memories.markUsed(ADA, [], noonPlus(6))
      await Promise.all(
        upTo(20).map((n) =>
          (n % 2 ? store : other).memories.markUsed(ADA, n % 3 ? [a.id, b.id] : [b.id, a.id], noonPlus(7)),
        ),
      )
      const both = await store.memories.get([a.id, b.id], undefined)
      assert.deepEqual(both.map(({ useCount }) => useCount).sort(), [20, 23])
      assert.deepEqual(await countPostings(store, 'tea'), [2])
      assert.equal((await store.memories.history(a.id, undefined)).length, 1)
    },
  },
  {
    id: 'M9',
    title: 'removes all memories of a user and the words of both corpora, and nobody else’s',
    async check(db) {
      const store = await db.connect()
      const kept = new Map<UserKey, Memory>()
      for (const user of [ADA, BOB, OTHER_ADA]) {
        const sessionId = await createSession(store, { ...user })
        const messages = [someMessage(1, ['tea'])]
        await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages })
        const memory = someMemory({ ...user, lineage: [{ relation: 'origin', at: NOON, source: 'tool' }] })
        kept.set(user, memory)
        const puts = [memory, someMemory({ ...user })].map((each) => ({
          memory: each,
          fingerprint: 'f',
          words: words('tea'),
          changes: [created],
        }))
        await store.memories.change(putRequest(puts, user))
      }
      assert.deepEqual(await store.memories.purge(ADA), { memories: 2, keys: 0 })
      assert.deepEqual(await store.memories.purge(ADA), { memories: 0, keys: 0 })
      for (const [user, { id }] of kept) {
        const left = user === ADA ? 0 : 1
        assert.equal((await store.memories.get([id], undefined)).length, left)
        assert.equal((await store.memories.list({ ...user, limit: 9 })).length, 2 * left)
        assert.equal((await store.memories.history(id, undefined)).length, left)
        assert.equal((await store.memories.fromSource({ ...user, key: 'source:tool', limit: 9 })).length, left)
        for (const [corpus, count] of [
          ['messages', left],
          ['memories', 2 * left],
        ] as const) {
          const { messages, terms, speakers, frequencies } = await store.index.lookup({ ...user, corpus }, ['tea'])
          assert.deepEqual([messages, terms, frequencies.get('tea') ?? 0], [count, count, count])
          assert.equal(speakers.length, corpus === 'messages' ? left : 0)
          assert.equal((await store.index.postings({ ...user, corpus }, ['tea'], 9)).length, count)
        }
        const span = { from: 0, to: 1e15, limit: 9 }
        assert.equal((await store.index.facts(user, { places: [], sessions: [], perSession: 0, span })).length, left)
      }
      // the sessions remain and can be indexed again
      assert.equal((await store.index.marks(ADA, 1)).length, 1)
      const decide = (found: readonly Memory[]) => {
        assert.deepEqual(found, [])
        return { puts: [] }
      }
      await store.memories.change(putRequest([], { fingerprints: ['f'], decide }))
    },
  },
  {
    id: 'M10',
    title: 'returns current memories whose words are missing or of an older version',
    async check(db) {
      const store = await db.connect()
      const [bare, older, current, out] = [someMemory(), someMemory(), someMemory(), someMemory()]
      const puts = [
        { memory: bare },
        { memory: older, words: words('tea') },
        { memory: current, words: { ...words('tea'), version: 2 } },
        { memory: out, words: words('tea') },
        { memory: someMemory({ supersededBy: current.id, supersededAt: NOON }) },
      ]
      await store.memories.change(putRequest(puts))
      await store.memories.change(putRequest([{ memory: someMemory({ ...BOB }) }], BOB))
      await store.memories.change(putRequest([{ memory: out, words: null }]))
      const unread = (version: number, limit = 9, user = ADA) => store.memories.unindexed(user, version, limit)
      assert.deepEqual(sorted(await unread(2)), sorted([bare, older, out]))
      assert.deepEqual(sorted(await unread(1)), sorted([bare, out]))
      assert.equal((await unread(2, 2)).length, 2)
      const [first] = await unread(2, 1)
      assert(first)
      assert.deepEqual(
        first,
        [bare, older, out].find(({ id }) => id === first.id),
      )
      await store.memories.change(putRequest([{ memory: first, words: { ...words('cup'), version: 2 } }]))
      assert.deepEqual(sorted(await unread(2)), sorted([bare, older, out].filter(({ id }) => id !== first.id)))
      assert.equal((await unread(2, 9, BOB)).length, 1)
      assert.deepEqual(await unread(2, 9, OTHER_ADA), [])
    },
  },
  {
    id: 'M11',
    title: 'hides a memory from callers outside its owner in every call',
    async check(db) {
      const store = await db.connect()
      const memory = someMemory({ expiresAt: NOON })
      const put = { memory, fingerprint: 'f', words: words('tea'), changes: [created] }
      await store.memories.change(putRequest([put]))
      for (const within of [BOB, OTHER_ADA, { tenant: 'other' }]) {
        assert.deepEqual(await store.memories.get([memory.id], within), [])
        assert.deepEqual(await store.memories.history(memory.id, within), [])
        assert.deepEqual(await store.memories.expired(noonPlus(9), 9, within), [])
      }
      for (const within of [ADA, { tenant: 'local' }, undefined]) {
        assert.deepEqual(await store.memories.get([memory.id], within), [memory])
        assert.equal((await store.memories.history(memory.id, within)).length, 1)
        assert.deepEqual(await store.memories.expired(noonPlus(9), 9, within), [memory])
      }
      for (const user of [BOB, OTHER_ADA]) {
        const decide = (found: readonly Memory[]) => {
          assert.deepEqual(found, [])
          return { puts: [], removals: [memory.id] }
        }
        await store.memories.change(putRequest([], { ...user, ids: [memory.id], fingerprints: ['f'], decide }))
      }
      assert.deepEqual(await store.memories.list({ ...ADA, limit: 9 }), [memory])
      assert.equal((await store.memories.history(memory.id, ADA)).length, 1)
      assert.deepEqual(await countPostings(store, 'tea'), [1])
    },
  },
  {
    id: 'M11',
    title: 'separates memories of two users with the same id',
    async check(db) {
      const store = await db.connect()
      const mine = someMemory()
      const theirs = [BOB, OTHER_ADA].map((user) => someMemory({ ...user, id: mine.id, content: `of ${user.userId}` }))
      const put = (memory: Memory, term: string) => [
        { memory, words: words(term), changes: [created], fingerprint: 'f' },
      ]
      await store.memories.change(putRequest(put(mine, 'tea')))
      for (const memory of theirs) {
        const { tenant, userId } = memory
        const user = { tenant, userId }
        assert.equal((await store.memories.change(putRequest(put(memory, 'cup'), user))).outcome, 'written')
        assert.deepEqual(await store.memories.get([mine.id], user), [memory])
        await store.memories.markUsed(user, [mine.id], NOON)
        await store.memories.change(putRequest([{ memory, changes: [created] }], user))
        assert.equal((await store.memories.history(mine.id, user)).length, 2)
        assert.deepEqual(await store.memories.get([mine.id], ADA), [mine])
        assert.deepEqual(await store.memories.history(mine.id, ADA), [{ version: 1, ...created }])
        assert.deepEqual(await countPostings(store, 'tea', 'cup'), [1, 0])
        await store.memories.change(removing([mine.id], user))
        assert.deepEqual(await store.memories.get([mine.id], user), [])
      }
      assert.deepEqual(await store.memories.get([mine.id], undefined), [mine])
      assert.equal((await store.memories.history(mine.id, ADA)).length, 1)
      assert.deepEqual(await countPostings(store, 'tea', 'cup'), [1, 0])
    },
  },
  {
    id: 'M11',
    title: 'returns memories that expired by a time, within the given owner',
    async check(db) {
      const store = await db.connect()
      const times = [-1, 0, 1].map(noonPlus)
      const mine = times.map((expiresAt) => someMemory({ expiresAt }))
      const bobs = times.map((expiresAt) => someMemory({ ...BOB, expiresAt }))
      await store.memories.change(putRequest([...mine, someMemory()].map((memory) => ({ memory }))))
      await store.memories.change(
        putRequest(
          bobs.map((memory) => ({ memory })),
          BOB,
        ),
      )
      const expired = async (
        at: string,
        limit = 99,
        within: { tenant: string; userId?: string } | undefined = undefined,
      ) => sorted(await store.memories.expired(at, limit, within))
      assert.deepEqual(await expired(NOON, 99, ADA), sorted(mine.slice(0, 2)))
      assert.deepEqual(await expired(NOON), sorted([...mine.slice(0, 2), ...bobs.slice(0, 2)]))
      assert.deepEqual(await expired(noonPlus(1), 99, { tenant: 'local' }), sorted([...mine, ...bobs]))
      assert.equal((await expired(noonPlus(1), 4)).length, 4)
      assert.deepEqual(await expired(noonPlus(-2)), [])
    },
  },
]
