import assert from 'node:assert/strict'
import { LIMITS } from '../../domain/limits.ts'
import { decodePostings } from '../../domain/recall/postings.ts'
import { LONG_MESSAGE_TERMS } from '../../domain/recall/weights.ts'
import { uuid7 } from '../../ids.ts'
import type { FactsQuery, IndexedFacts, IndexPartition, NewMessage, UserKey } from '../../ports/recall-index.ts'
import type { Store } from '../../ports/store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  ADA,
  appendRequest,
  createRequest,
  createSession,
  describeTerms,
  expectError,
  NOON,
  putRequest,
  readLog,
  someEvent,
  someEvents,
  someMemory,
  someMessage,
  upTo,
} from './samples.ts'

const BOB: UserKey = { tenant: 'local', userId: 'bob' }
/** Ada of another tenant. */
const OTHER_ADA: UserKey = { tenant: 'other', userId: 'ada' }

const messagesOf = (user: UserKey): IndexPartition => ({ ...user, corpus: 'messages' })
const memoriesOf = (user: UserKey): IndexPartition => ({ ...user, corpus: 'memories' })

/** A session of the user with these messages in the index. */
async function createIndexed(store: Store, messages: readonly NewMessage[], user = ADA, id = uuid7()): Promise<string> {
  const sessionId = await createSession(store, { ...user, id })
  assert.equal(await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages }), true)
  return sessionId
}

/** `count` sessions with these messages, by id; created in reverse order. */
async function createIndexedSessions(store: Store, count: number, messages: readonly NewMessage[]): Promise<string[]> {
  const ids = upTo(count)
    .map(() => uuid7())
    .sort()
  for (const id of ids.toReversed()) await createIndexed(store, messages, ADA, id)
  return ids
}

/** Counts of a partition, with 0 for each missing term. */
async function countsOf(store: Store, partition: IndexPartition, terms: readonly string[] = []) {
  const { frequencies, ...counts } = await store.index.lookup(partition, terms)
  return { ...counts, frequencies: terms.map((term) => frequencies.get(term) ?? 0) }
}

const NOTHING = { messages: 0, terms: 0, longMessages: 0, speakers: [] }

async function placesOf(store: Store, query: Partial<FactsQuery>, user = ADA) {
  const facts = await store.index.facts(user, { places: [], sessions: [], perSession: 0, ...query })
  return facts.map(({ session, turn }) => ({ session, turn }))
}

/** I4 to I9, and S20 for the calls of both ports. */
export const lookupRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'I4',
    title: 'counts messages, terms, long messages and the messages of each term',
    async check(db) {
      const store = await db.connect()
      assert.deepEqual(await countsOf(store, messagesOf(ADA), ['tea']), { ...NOTHING, frequencies: [0] })
      const lengths = [LONG_MESSAGE_TERMS - 1, LONG_MESSAGE_TERMS, LONG_MESSAGE_TERMS + 1, 9000]
      const long = lengths.map((length, i) => someMessage(i + 3, describeTerms({ tea: [2, 4, 6] }, { length })))
      const [first] = [
        await createIndexed(store, [someMessage(1, ['tea', 'cup']), someMessage(2, []), ...long]),
        await createIndexed(store, [someMessage(1, ['cup'], { kind: 'commit' })]),
      ]
      const terms = ['cup', 'tea', 'never']
      const all = lengths.reduce((sum, length) => sum + length, 0)
      const counted = { messages: 7, terms: all + 3, longMessages: 2, speakers: ['user'] }
      assert.deepEqual(await countsOf(store, messagesOf(ADA), terms), { ...counted, frequencies: [2, 5, 0] })
      assert.deepEqual(await countsOf(store, messagesOf(ADA)), { ...counted, frequencies: [] })
      // only the requested terms
      assert.equal((await store.index.lookup(messagesOf(ADA), ['cup'])).frequencies.has('tea'), false)
      await store.index.drop(first)
      const left = { messages: 1, terms: 1, longMessages: 0, speakers: ['user'], frequencies: [1, 0, 0] }
      assert.deepEqual(await countsOf(store, messagesOf(ADA), terms), left)
    },
  },
  {
    id: 'I4',
    title: 'returns at most 500 speakers, most messages first, ties by name',
    async check(db) {
      const store = await db.connect()
      const by = (speakers: readonly string[]) =>
        speakers.map((speaker, i) => someMessage(i + 1, ['word'], { speaker }))
      const first = await createIndexed(store, by(['b', 'zoë', 'b', 'a', 'B', 'Zoe']))
      await createIndexed(store, by(['c', 'c', 'b', 'zoë']))
      const speakers = async () => (await store.index.lookup(messagesOf(ADA), [])).speakers
      assert.deepEqual(await speakers(), ['b', 'c', 'zoë', 'B', 'Zoe', 'a'])
      await store.index.drop(first)
      assert.deepEqual(await speakers(), ['c', 'b', 'zoë'])
      const many = upTo(510).map((n) => `d${String(n).padStart(3, '0')}`)
      await createIndexed(store, by([...many, 'd510']))
      assert.deepEqual(await speakers(), ['c', 'd510', 'b', ...many.slice(0, 497)])
    },
  },
  {
    id: 'I5',
    title: 'returns the blocks of each term by session and block, and the last ones beyond the limit',
    async check(db) {
      const store = await db.connect()
      const turns = [1, 300, 301, 3000].map((turn) => someMessage(turn, ['often']))
      const ids = await createIndexedSessions(store, 3, [...turns, someMessage(3001, ['seldom', 'often'])])
      const all = ids.flatMap((id) => [0, 1, 11].map((block) => `${id} ${block}`))
      const blocks = async (terms: string[], term: string, limit: number) => {
        const found = (await store.index.postings(messagesOf(ADA), terms, limit)).filter((each) => each.term === term)
        return found.map(({ session, block }) => `${session} ${block}`)
      }
      assert.deepEqual(await blocks(['often'], 'often', 100), all)
      assert.deepEqual(await blocks(['seldom', 'often', 'never'], 'often', 9), all)
      assert.deepEqual(await blocks(['seldom', 'often'], 'often', 8), all.slice(1))
      assert.deepEqual(await blocks(['seldom', 'often'], 'often', 2), all.slice(7))
      assert.deepEqual(
        await blocks(['often', 'seldom'], 'seldom', 2),
        ids.slice(1).map((id) => `${id} 11`),
      )
      assert.deepEqual(await store.index.postings(messagesOf(ADA), ['never'], 9), [])
      assert.deepEqual(await store.index.postings(messagesOf(ADA), [], 9), [])
      const [last] = (await store.index.postings(messagesOf(ADA), ['often'], 1)).map(({ session, block, data }) =>
        decodePostings(session, block, data),
      )
      const expected = { session: ids[2], asks: false }
      assert.deepEqual(last, [
        { ...expected, turn: 3000, length: 1, places: [2] },
        { ...expected, turn: 3001, length: 2, places: [4] },
      ])
    },
  },
  {
    id: 'I6',
    title: 'returns all facts of a message',
    async check(db) {
      const store = await db.connect()
      const words = describeTerms({ tea: [2, 5] }, { length: 70_000, asked: 300, specifics: 9, times: 3, counts: true })
      const rich = someMessage(2, words, {
        sequence: 400,
        kind: 'commit',
        speaker: 'Zoë 😀 "',
        time: 1_772_366_400_123,
      })
      const before1970 = someMessage(40_000, [], { sequence: 2_000_000, speaker: '', time: -86_400_001 })
      const session = await createIndexed(store, [rich, before1970])
      const facts: IndexedFacts[] = [rich, before1970].map(
        ({ words: { length, asked, specifics, times, counts }, ...m }) => {
          return { session, ...m, length, asked, specifics, times, counts }
        },
      )
      const query = { places: [], sessions: [session], perSession: 2 }
      assert.deepEqual(await store.index.facts(ADA, query), facts)
    },
  },
  {
    id: 'I6',
    title: 'returns messages by place, the last of sessions and the last of a span, each once, by session and turn',
    async check(db) {
      const store = await db.connect()
      const at = Date.parse(NOON)
      const messages = upTo(6).map((turn) => someMessage(turn, ['word'], { time: at + Math.floor(turn / 2) * 10 }))
      const ids = await createIndexedSessions(store, 3, messages)
      const [a = '', b = '', c = ''] = ids
      const place = (session: string, ...turns: number[]) => turns.map((turn) => ({ session, turn }))

      assert.deepEqual(await placesOf(store, {}), [])
      const asked = [...place(c, 2), ...place(a, 5, 3, 5, 7, 0), ...place(uuid7(), 1), ...place(c, 2)]
      assert.deepEqual(await placesOf(store, { places: asked }), [...place(a, 3, 5), ...place(c, 2)])
      const sessions = [c, uuid7(), a, c]
      assert.deepEqual(await placesOf(store, { sessions, perSession: 2 }), [...place(a, 5, 6), ...place(c, 5, 6)])
      assert.deepEqual((await placesOf(store, { sessions: [b], perSession: 100 })).length, 6)

      // times of the six turns: +0, +10, +10, +20, +20, +30
      const span = (from: number, to: number, limit: number) =>
        placesOf(store, { span: { from: at + from, to: at + to, limit } })
      assert.deepEqual(
        await span(10, 20, 100),
        ids.flatMap((id) => place(id, 2, 3)),
      )
      assert.deepEqual(
        await span(20, 30, 100),
        ids.flatMap((id) => place(id, 4, 5)),
      )
      assert.deepEqual(await span(11, 20, 100), [])
      // last by time, then by session, then by turn
      assert.deepEqual(await span(0, 31, 4), [...place(a, 6), ...place(b, 6), ...place(c, 5, 6)])
      assert.deepEqual(await span(0, 31, 6), [...place(a, 6), ...place(b, 5, 6), ...place(c, 4, 5, 6)])
      assert.deepEqual(await span(-100, 10, 2), [...place(b, 1), ...place(c, 1)])

      const together = await placesOf(store, {
        places: [...place(b, 6, 1), ...place(a, 6)],
        sessions: [b],
        perSession: 1,
        span: { from: at + 30, to: at + 31, limit: 2 },
      })
      assert.deepEqual(together, [...place(a, 6), ...place(b, 1, 6), ...place(c, 6)])
    },
  },
  {
    id: 'I7',
    title: 'returns events in the requested order and omits missing ones',
    async check(db) {
      const store = await db.connect()
      const [a, b, gone] = [await createSession(store), await createSession(store), await createSession(store)]
      const given = { parts: '{"b":1.50,"a":"\\u0041"}', agentId: 'x', occurredAt: NOON }
      const rich = someEvent('ünï 漢字 😀', 'user_message', given)
      await store.append(appendRequest(a, { events: [...someEvents(300), rich] }))
      await store.purge({ sessionId: gone }, NOON)
      const places = [
        { session: a, sequence: 302 },
        { session: b, sequence: 1 },
        { session: a, sequence: 303 },
        { session: gone, sequence: 1 },
        { session: a, sequence: 2 },
        { session: a, sequence: 0 },
        { session: uuid7(), sequence: 1 },
        { session: a, sequence: 257 },
      ]
      const [ofA, ofB] = [await readLog(store, a), await readLog(store, b)]
      assert.deepEqual(await store.index.events(ADA, places), [
        { session: a, event: ofA[301] },
        { session: b, event: ofB[0] },
        { session: a, event: ofA[1] },
        { session: a, event: ofA[256] },
      ])
      assert.deepEqual(await store.index.events(ADA, []), [])
    },
  },
  {
    id: 'I7',
    title: 'ends with the event that fills the page',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const third = '漢'.repeat(Math.ceil(LIMITS.pageSize / 3))
      for (let i = 0; i < 4; i++) await store.append(appendRequest(id, { events: [someEvent(third)] }))
      const places = [5, 2, 99, 4, 3].map((sequence) => ({ session: id, sequence }))
      const sequencesOf = async (wanted: typeof places) =>
        (await store.index.events(ADA, wanted)).map(({ event }) => event.sequence)
      assert.deepEqual(await sequencesOf(places), [5, 2, 4])
      assert.deepEqual(await sequencesOf(places.slice(4)), [3])
    },
  },
  {
    id: 'I8',
    title: 'drops one session from the index, so it can be indexed again',
    async check(db) {
      const [store, reader] = [await db.connect(), await db.connect()]
      const messages = [1, 255, 256, 600].map((turn) => someMessage(turn, ['shared', `own${turn}`], { speaker: 'x' }))
      const [kept, id] = [await createIndexed(store, messages), await createIndexed(store, messages)]
      const terms = ['shared', 'own256']
      const before = await countsOf(reader, messagesOf(ADA), terms)
      await store.index.drop(id)
      const half = { messages: 4, terms: 8, longMessages: 0, speakers: ['x'], frequencies: [4, 1] }
      assert.deepEqual(await countsOf(reader, messagesOf(ADA), terms), half)
      const postings = await reader.index.postings(messagesOf(ADA), terms, 99)
      assert.deepEqual(new Set(postings.map(({ session }) => session)), new Set([kept]))
      assert.deepEqual(await placesOf(reader, { sessions: [id], perSession: 9 }), [])
      assert.deepEqual((await placesOf(reader, { span: { from: 0, to: 1e15, limit: 99 } })).length, 4)
      const mark = await reader.index.mark(id)
      assert.deepEqual([mark?.head, mark?.indexed, mark?.turns], [1, 0, 0])
      // dropping again, or an unknown session, changes nothing
      await store.index.drop(id)
      await store.index.drop(uuid7())
      assert.deepEqual(await countsOf(reader, messagesOf(ADA), terms), half)

      assert.equal(await store.index.add({ sessionId: id, from: 0, to: 1, version: 2, messages }), true)
      assert.deepEqual(await countsOf(reader, messagesOf(ADA), terms), before)
      assert.equal((await reader.index.mark(id))?.version, 2)
    },
  },
  {
    id: 'I8',
    title: 'a purge removes a session from the index, and a new session with its id starts empty',
    async check(db) {
      const store = await db.connect()
      const messages = upTo(3).map((turn) => someMessage(turn, ['shared', 'word']))
      await createIndexed(store, messages)
      const before = await countsOf(store, messagesOf(ADA), ['shared', 'word'])
      const request = createRequest()
      await store.create(request)
      const sessionId = request.view.record.id
      await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages })
      await store.purge({ sessionId }, NOON)
      assert.equal(await store.index.mark(sessionId), undefined)
      assert.deepEqual(await countsOf(store, messagesOf(ADA), ['shared', 'word']), before)
      const rows = await store.index.postings(messagesOf(ADA), ['shared', 'word'], 99)
      assert(rows.every(({ session }) => session !== sessionId))

      await store.create(request)
      assert.equal((await store.index.mark(sessionId))?.indexed, 0)
      assert.equal((await store.index.mark(sessionId))?.extracted, 0)
      assert.deepEqual(await countsOf(store, messagesOf(ADA), ['shared', 'word']), before)
      assert.deepEqual(await placesOf(store, { sessions: [sessionId], perSession: 9 }), [])
    },
  },
  {
    id: 'I8',
    title: 'keeps nothing of sessions that are purged during indexing',
    async check(db) {
      const [store, indexer] = [await db.connect(), await db.connect()]
      const ids = await Promise.all(upTo(20).map(() => createSession(store)))
      const messages = upTo(5).map((turn) => someMessage(turn, ['shared', `own${turn}`]))
      await Promise.all(
        ids.flatMap((sessionId, i) => {
          const add = () => indexer.index.add({ sessionId, from: 0, to: 1, version: 1, messages })
          const purge = () => store.purge({ sessionId }, NOON)
          return i % 2 ? [add(), purge()] : [purge(), add()]
        }),
      )
      assert.deepEqual(await countsOf(store, messagesOf(ADA), ['shared']), { ...NOTHING, frequencies: [0] })
      assert.deepEqual(await store.index.postings(messagesOf(ADA), ['shared', 'own5'], 99), [])
    },
  },
  {
    id: 'I9',
    title: 'shows nothing of another user, tenant or corpus',
    async check(db) {
      const store = await db.connect()
      const sessions = new Map<UserKey, string>()
      for (const [i, user] of [ADA, BOB, OTHER_ADA].entries()) {
        const messages = upTo(i + 1).map((turn) => someMessage(turn, ['shared'], { speaker: `of ${i}` }))
        sessions.set(user, await createIndexed(store, messages, user))
        const puts = upTo(i + 4).map(() => ({
          memory: someMemory({ ...user }),
          words: { description: describeTerms(['shared', 'kept']), version: 1 },
        }))
        await store.memories.change(putRequest(puts, user))
      }
      for (const [i, [user, own]] of [...sessions].entries()) {
        const terms = ['shared', 'kept']
        const frequencies = [i + 1, 0]
        const counts = { messages: i + 1, terms: i + 1, longMessages: 0, speakers: [`of ${i}`], frequencies }
        assert.deepEqual(await countsOf(store, messagesOf(user), terms), counts)
        const kept = await countsOf(store, memoriesOf(user), terms)
        assert.deepEqual([kept.messages, kept.terms, kept.frequencies], [i + 4, 2 * (i + 4), [i + 4, i + 4]])
        const blocks = await store.index.postings(messagesOf(user), terms, 99)
        assert.deepEqual(
          blocks.map(({ session }) => session),
          [own],
        )
        assert.equal((await store.index.postings(memoriesOf(user), ['shared'], 99)).length, i + 4)

        const everyone = [...sessions.values()]
        const mine = upTo(i + 1).map((turn) => ({ session: own, turn }))
        const places = everyone.flatMap((session) => upTo(3).map((turn) => ({ session, turn })))
        assert.deepEqual(await placesOf(store, { places }, user), mine)
        assert.deepEqual(await placesOf(store, { sessions: everyone, perSession: 9 }, user), mine)
        assert.deepEqual(await placesOf(store, { span: { from: 0, to: 1e15, limit: 99 } }, user), mine)
        const events = await store.index.events(
          user,
          everyone.map((session) => ({ session, sequence: 1 })),
        )
        assert.deepEqual(
          events.map(({ session }) => session),
          [own],
        )
      }
      await store.index.drop(sessions.get(BOB) ?? '')
      assert.equal((await countsOf(store, messagesOf(ADA), ['shared'])).messages, 1)
      assert.equal((await countsOf(store, memoriesOf(BOB), ['shared'])).messages, 5)
    },
  },
  {
    id: 'S20',
    title: 'rejects memory and index calls after close',
    async check(db) {
      const store = await db.connect()
      const { index, memories } = store
      const id = await createSession(store)
      await store.close()
      await expectError('STORAGE', index.mark(id))
      await expectError('STORAGE', index.lookup(messagesOf(ADA), []))
      await expectError('STORAGE', index.add({ sessionId: id, from: 0, to: 1, version: 1, messages: [] }))
      await expectError('STORAGE', memories.list({ ...ADA, limit: 1 }))
      await expectError('STORAGE', memories.change(putRequest([{ memory: someMemory() }])))
      await expectError('STORAGE', memories.findResponse({ key: 'k', fingerprint: 'f' }, ADA))
      await expectError('STORAGE', memories.purge(ADA))
    },
  },
]
