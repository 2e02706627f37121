import assert from 'node:assert/strict'
import type { TextAnalysis } from '../../domain/recall/analyze.ts'
import { blockOfTurn, decodePostings } from '../../domain/recall/postings.ts'
import type { Posting } from '../../domain/recall/term-matches.ts'
import { uuid7 } from '../../ids.ts'
import type { AddRequest, BehindQuery, IndexMark, NewMessage } from '../../ports/recall-index.ts'
import type { Store } from '../../ports/store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  ADA,
  appendRequest,
  brokenDescription,
  createSession,
  describeTerms,
  endSession,
  forkSession,
  NOON,
  noonPlus,
  someEvents,
  someMessage,
  upTo,
} from './samples.ts'

const MESSAGES = { ...ADA, corpus: 'messages' } as const

/** An index request for a session, by default from 0 to its first event. */
function addRequest(sessionId: string, messages: readonly NewMessage[], given: Partial<AddRequest> = {}): AddRequest {
  return { sessionId, from: 0, to: 1, version: 1, messages, ...given }
}

/** Decoded postings of a term, in the returned order. */
async function readPostings(store: Store, term: string): Promise<Posting[]> {
  const blocks = await store.index.postings(MESSAGES, [term], 1000)
  return blocks.flatMap(({ session, block, data }) => decodePostings(session, block, data))
}

function posting(session: string, turn: number, { places, length, asks }: TextAnalysis, term: string): Posting {
  return { session, turn, length, asks, places: places.get(term) ?? [] }
}

/** A mark without its version, which means nothing before there are entries. */
function progress(mark: IndexMark | undefined) {
  assert(mark)
  const { version: _, ...rest } = mark
  return rest
}

const idsOf = (marks: readonly IndexMark[]) => marks.map(({ sessionId }) => sessionId)

/** I1 to I3. */
export const indexRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'I1',
    title: 'appends messages and moves the mark',
    async check(db) {
      const [store, reader] = [await db.connect(), await db.connect()]
      const id = await createSession(store)
      await store.append(appendRequest(id, { events: someEvents(400) }))
      const none = { ...ADA, sessionId: id, head: 401, indexed: 0, turns: 0, extracted: 0, copied: 0 }
      assert.deepEqual(progress(await reader.index.mark(id)), none)

      const words = describeTerms({ zürich: [2, 5, 127, 128, 129, 300, 70_000], word: [6] }, { length: 64, asks: true })
      const more = describeTerms({ zürich: [4] }, { length: 20_000 })
      const border = [254, 255, 256, 257].map((turn) => someMessage(turn, words))
      assert.equal(await store.index.add(addRequest(id, border, { to: 258 })), true)
      assert.deepEqual(await reader.index.mark(id), { ...none, indexed: 258, turns: 257, version: 1 })
      const later = [258, 511, 512].map((turn) => someMessage(turn, more))
      assert.equal(await store.index.add(addRequest(id, later, { from: 258, to: 300 })), true)
      // nothing but the mark
      assert.equal(await reader.index.add(addRequest(id, [], { from: 300, to: 350 })), true)
      assert.deepEqual(await reader.index.mark(id), { ...none, indexed: 350, turns: 512, version: 1 })

      const blocks = await reader.index.postings(MESSAGES, ['zürich'], 9)
      assert.deepEqual(
        blocks.map(({ term, session, block }) => [term, session, block]),
        [0, 1, 2].map((block) => ['zürich', id, block]),
      )
      assert.deepEqual(await readPostings(reader, 'zürich'), [
        ...border.map(({ turn }) => posting(id, turn, words, 'zürich')),
        ...later.map(({ turn }) => posting(id, turn, more, 'zürich')),
      ])
      assert.deepEqual(
        await readPostings(reader, 'word'),
        border.map(({ turn }) => posting(id, turn, words, 'word')),
      )
    },
  },
  {
    id: 'I1',
    title: 'distinguishes terms of every script and with any character',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const terms = [
        'zürich',
        'zurich',
        'Zürich',
        '東京',
        'жук',
        '😀',
        "o'neil",
        'a"b',
        'c\\d',
        '{e,f}',
        'null',
        '%_',
        '',
      ]
      const messages = terms.map((term, i) => someMessage(i + 1, [term]))
      assert.equal(await store.index.add(addRequest(id, messages)), true)
      const { frequencies } = await store.index.lookup(MESSAGES, terms)
      for (const [i, term] of terms.entries()) {
        assert.equal(frequencies.get(term), 1, term)
        const turns = (await readPostings(store, term)).map(({ turn }) => turn)
        assert.deepEqual(turns, [i + 1], term)
      }
      const blocks = await store.index.postings(MESSAGES, terms, 9)
      assert.deepEqual(blocks.map(({ term }) => term).sort(), [...terms].sort())
    },
  },
  {
    id: 'I1',
    title: 'writes nothing if the mark has moved, the session is missing, or the input cannot be read',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      await store.append(appendRequest(id, { events: someEvents(20) }))
      await store.index.add(addRequest(id, [someMessage(1, ['old'])], { to: 10 }))
      const [mark, counts] = [await store.index.mark(id), await store.index.lookup(MESSAGES, ['old', 'new'])]
      const message = someMessage(2, ['new', 'old'])
      for (const from of [0, 9, 11])
        assert.equal(await store.index.add(addRequest(id, [message], { from, to: 20 })), false)
      const missing = uuid7()
      assert.equal(await store.index.add(addRequest(missing, [message])), false)
      assert.equal(await store.index.mark(missing), undefined)
      const broken = addRequest(id, [message, someMessage(3, brokenDescription())], { from: 10, to: 20 })
      await assert.rejects(async () => await store.index.add(broken))
      assert.deepEqual(await store.index.mark(id), mark)
      assert.deepEqual(await store.index.lookup(MESSAGES, ['old', 'new']), counts)
      assert.deepEqual(await readPostings(store, 'new'), [])
      assert.equal((await readPostings(store, 'old')).length, 1)
      const facts = await store.index.facts(ADA, { places: [], sessions: [id, missing], perSession: 9 })
      assert.equal(facts.length, 1)
      assert.equal(await store.index.add(addRequest(id, [message], { from: 10, to: 20 })), true)
    },
  },
  {
    id: 'I1',
    title: 'lets one of two racing indexers add, repeatedly',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const id = await createSession(stores[0])
      await stores[0].append(appendRequest(id, { events: someEvents(40) }))
      for (const n of upTo(20)) {
        const request = addRequest(id, [someMessage(n, ['shared', `by${n}`])], { from: n - 1, to: n })
        const added = await Promise.all(stores.map(({ index }) => index.add(request)))
        assert.deepEqual(added.sort(), [false, true])
      }
      const { messages, terms, frequencies } = await stores[1].index.lookup(MESSAGES, ['shared', 'by7'])
      assert.deepEqual([messages, terms, frequencies.get('shared'), frequencies.get('by7')], [20, 40, 20, 1])
      const turns = (await readPostings(stores[0], 'shared')).map(({ turn }) => turn)
      assert.deepEqual(turns, upTo(20))
    },
  },
  {
    id: 'I1',
    title: 'loses no term when many sessions of one user are indexed concurrently with the same words',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const vocabulary = upTo(60).map((n) => `term${n}`)
      const ids = await Promise.all(upTo(24).map((n) => createSession(stores[n % 2] as Store)))
      const added = await Promise.all(
        ids.map((id, n) => {
          const words = n % 3 === 0 ? vocabulary.toReversed() : vocabulary
          const messages = upTo(4).map((turn) => someMessage(turn, words.slice(n % 7), { speaker: `s${turn}` }))
          return stores[n % 2]?.index.add(addRequest(id, messages))
        }),
      )
      assert(added.every((each) => each === true))
      const { messages, terms, longMessages, frequencies } = await stores[0].index.lookup(MESSAGES, vocabulary)
      const lengths = ids.map((_, n) => 60 - (n % 7))
      assert.deepEqual([messages, longMessages], [96, 96])
      assert.equal(terms, 4 * lengths.reduce((sum, length) => sum + length, 0))
      const holding = (place: number) => ids.filter((_, n) => (n % 3 === 0 ? 59 - place : place) >= n % 7).length
      for (const [place, term] of vocabulary.entries()) assert.equal(frequencies.get(term), 4 * holding(place), term)
    },
  },
  {
    id: 'I1',
    title: 'adds a thousand messages in one call',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      await store.append(appendRequest(id, { events: someEvents(1000) }))
      const messages = upTo(1000).map((turn) => someMessage(turn, ['every', `mod${turn % 10}`, `own${turn}`]))
      assert.equal(await store.index.add(addRequest(id, messages, { to: 1001 })), true)
      const found = await store.index.lookup(MESSAGES, ['every', 'mod3', 'own777'])
      assert.deepEqual([found.messages, found.terms], [1000, 3000])
      assert.deepEqual(
        ['every', 'mod3', 'own777'].map((term) => found.frequencies.get(term)),
        [1000, 100, 1],
      )
      const held = await readPostings(store, 'every')
      assert.deepEqual(
        held.map(({ turn }) => turn),
        upTo(1000),
      )
      assert.equal((await store.index.postings(MESSAGES, ['every'], 99)).length, blockOfTurn(1000) + 1)
    },
  },
  {
    id: 'I2',
    title: 'returns marks of sessions that are behind, newest activity first',
    async check(db) {
      const store = await db.connect()
      const made: string[] = []
      for (const n of upTo(4)) made.push(await createSession(store, { at: noonPlus(n) }))
      const [a = '', b = '', c = '', d = ''] = made
      await store.append(appendRequest(a, { at: noonPlus(10) }))
      for (const given of [{ userId: 'bob' }, { tenant: 'other' }])
        await createSession(store, { ...given, at: noonPlus(20) })
      const marks = async (version = 1, newest?: number) => idsOf(await store.index.marks(ADA, version, newest))
      assert.deepEqual(await marks(), [a, d, c, b])

      await store.index.add(addRequest(d, [someMessage(1, ['word'])]))
      await store.index.add(addRequest(a, [someMessage(1, ['word'])]))
      assert.deepEqual(await marks(), [a, c, b])
      assert.deepEqual(await store.index.marks(ADA, 1, 1), [
        { ...ADA, sessionId: a, head: 2, indexed: 1, turns: 1, version: 1, extracted: 0, copied: 0 },
      ])
      await store.index.add(addRequest(a, [], { from: 1, to: 2 }))
      assert.deepEqual(await marks(), [c, b])
      // of the newest three sessions, not three that are behind
      assert.deepEqual(await marks(1, 3), [c])
      assert.deepEqual(await marks(1, 2), [])
      // entries of another version count as behind
      assert.deepEqual(await marks(2), [a, d, c, b])
      assert.deepEqual(await marks(2, 2), [a, d])
      await store.append(appendRequest(b, { at: noonPlus(30) }))
      assert.deepEqual(await marks(1, 2), [b])
      for (const stranger of [
        { ...ADA, userId: 'bob' },
        { ...ADA, tenant: 'other' },
      ]) {
        const [mark, ...more] = await store.index.marks(stranger, 1)
        assert.deepEqual([mark?.tenant, mark?.userId, more], [stranger.tenant, stranger.userId, []])
      }
      assert.deepEqual(await store.index.marks({ ...ADA, userId: 'nobody' }, 1), [])
    },
  },
  {
    id: 'I2',
    title: 'reports the copied events of a fork, and does not copy the index',
    async check(db) {
      const store = await db.connect()
      const source = await createSession(store)
      await store.append(appendRequest(source, { events: someEvents(9) }))
      const messages = upTo(9).map((turn) => someMessage(turn, ['word']))
      await store.index.add(addRequest(source, messages, { to: 10 }))
      await store.memories.change({
        ...ADA,
        at: NOON,
        mark: { sessionId: source, from: 0, to: 9 },
        decide: () => ({ puts: [] }),
      })
      const fork = await forkSession(store, source, 6)
      const expected = { ...ADA, sessionId: fork, head: 7, indexed: 0, turns: 0, extracted: 0, copied: 6 }
      assert.deepEqual(progress(await store.index.mark(fork)), expected)
      assert.deepEqual((await store.index.marks(ADA, 1)).map(progress), [expected])
      assert.equal((await store.index.lookup(MESSAGES, [])).messages, 9)
    },
  },
  {
    id: 'I3',
    title: 'pages through sessions of all users that are behind',
    async check(db) {
      const store = await db.connect()
      const ids = upTo(9)
        .map(() => uuid7())
        .sort()
      for (const [n, id] of ids.toReversed().entries()) {
        await createSession(store, n % 2 ? { id } : { id, tenant: 'other', userId: 'bob' })
      }
      const behind = (given: Partial<BehindQuery> = {}) => store.index.behind({ version: 1, limit: 100, ...given })
      assert.deepEqual(await behind(), ids)
      assert.deepEqual(await behind({ limit: 4 }), ids.slice(0, 4))
      assert.deepEqual(await behind({ after: ids[3] ?? '', limit: 4 }), ids.slice(4, 8))
      assert.deepEqual(await behind({ after: ids[8] ?? '' }), [])
      const bobs = ids
        .toReversed()
        .filter((_, n) => n % 2 === 0)
        .toSorted()
      for (const within of [{ tenant: 'other' }, { tenant: 'other', userId: 'bob' }]) {
        assert.deepEqual(await behind({ within }), bobs)
        assert.deepEqual(await behind({ within, limit: 2 }), bobs.slice(0, 2))
        assert.deepEqual(await behind({ within, after: bobs[1] ?? '' }), bobs.slice(2))
      }
      assert.deepEqual(await behind({ within: { tenant: 'other', userId: 'ada' } }), [])

      const [first = '', second = '', third = '', ...others] = ids
      for (const id of [first, second, third]) await store.index.add(addRequest(id, [someMessage(1, ['word'])]))
      assert.deepEqual(await behind(), others)
      assert.deepEqual(await behind({ version: 2 }), ids)
      await store.append(appendRequest(second))
      assert.deepEqual(await behind(), [second, ...others])
      await store.index.drop(first)
      assert.deepEqual(await behind({ limit: 2 }), [first, second])
    },
  },
  {
    id: 'I3',
    title: 'includes ended sessions with unextracted events, but not live ones',
    async check(db) {
      const store = await db.connect()
      const [live, over] = [await createSession(store), await createSession(store, { tenant: 'other' })]
      await store.append(appendRequest(live))
      await endSession(store, over)
      for (const id of [live, over]) await store.index.add(addRequest(id, [], { to: 2 }))
      const behind = () => store.index.behind({ version: 1, limit: 9 })
      assert.deepEqual(await behind(), [over])
      const extract = (from: number, to: number) =>
        store.memories.change({
          ...ADA,
          tenant: 'other',
          at: NOON,
          mark: { sessionId: over, from, to },
          decide: () => ({ puts: [] }),
        })
      await extract(0, 1)
      assert.deepEqual(await behind(), [over])
      await extract(1, 2)
      assert.deepEqual(await behind(), [])
    },
  },
]
