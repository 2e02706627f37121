import assert from 'node:assert/strict'
import type { RecallItem, RecallQuery, Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { startWorker } from './processes.ts'
import { expectError, fixedClock, upTo } from './samples.ts'

const characters = { name: 'characters', count: (text: string) => text.length }

/** A talk of two people over three sessions, with fixed ids and times. */
const TALK: readonly { id: string; at: string; lines: readonly [who: string, said: string][] }[] = [
  {
    id: '0198c000-0000-7000-8000-000000000001',
    at: '2026-01-05T10:00:00Z',
    lines: [
      ['Ann', 'Hi Bob! How was the trip to Norway?'],
      ['Bob', 'Great! We hiked to a glacier and my sister took photos.'],
      ['Ann', 'What did you eat there?'],
      ['Bob', 'Mostly fish soup, and a lot of waffles.'],
      ['Ann', 'I started a pottery class yesterday.'],
    ],
  },
  {
    id: '0198c000-0000-7000-8000-000000000002',
    at: '2026-02-14T18:30:00Z',
    lines: [
      ['Bob', 'My new job begins in March, at the hospital.'],
      ['Ann', 'Congratulations! What will you do?'],
      ['Bob', 'I will look after the servers.'],
      ['Ann', 'My bowl cracked in the kiln, I was so sad.'],
    ],
  },
  {
    id: '0198c000-0000-7000-8000-000000000003',
    at: '2026-04-02T08:00:00Z',
    lines: [
      ['Ann', 'Did the database at the hospital crash again?'],
      ['Bob', 'Yes, twice. I restored it from the backup.'],
      ['Ann', 'I bought a kayak last weekend!'],
    ],
  },
]

async function writeTalk(tl: Throughline): Promise<void> {
  for (const { id, at, lines } of TALK) {
    const session = await tl.sessions.create({ id, userId: 'ann' })
    await session.append(
      lines.map(([agentId, content], i) => ({
        type: i % 2 === 0 ? 'user_message' : 'model_message',
        content,
        agentId,
        occurredAt: at,
      })),
    )
  }
}

const recalled = async (tl: Throughline, query: string, rest: Partial<RecallQuery> = {}) =>
  (await tl.recall({ userId: 'ann', query, ...rest })).items

const texts = (items: readonly RecallItem[]) => items.map(({ content }) => content)

/** Questions, and the content of the first hit. */
const QUESTIONS: readonly [question: string, first: string][] = [
  ['What does Bob eat?', 'Mostly fish soup, and a lot of waffles.'],
  ['What happened to the bowl?', 'My bowl cracked in the kiln, I was so sad.'],
  ['When did Ann buy a kayak?', 'I bought a kayak last weekend!'],
  ['Where does Bob work?', 'My new job begins in March, at the hospital.'],
]

/** A24 recall. */
export const recallRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A24',
    title: 'finds a message of any session immediately, with its position in the log',
    async check(db) {
      const [tl, other] = [await db.connect(), await db.connect()]
      await writeTalk(tl)
      for (const [question, first] of QUESTIONS)
        assert.equal(texts(await recalled(other, question))[0], first, question)
      const [hit] = await recalled(tl, 'kayak')
      const { score, id, ...rest } = hit as RecallItem
      assert.deepEqual(rest, {
        kind: 'event',
        sessionId: TALK[2]?.id,
        sequence: 4,
        content: 'I bought a kayak last weekend!',
        at: '2026-04-02T08:00:00Z',
        role: 'user',
        agentId: 'Ann',
      })
      const session = await tl.sessions.get(TALK[2]?.id ?? '')
      assert.equal((await session.events({ after: 3, limit: 1 }))[0]?.id, id)
      assert(score > 0)
      await session.append({ type: 'user_message', content: 'The kayak leaks.', agentId: 'Ann' })
      assert(texts(await recalled(other, 'kayak leak')).includes('The kayak leaks.'))
      assert.deepEqual(await recalled(tl, 'kayak', { userId: 'bob' }), [])
    },
  },
  {
    id: 'A24',
    title: 'returns exactly the list that the memory store returns',
    async check(db) {
      const [here, there] = [
        await db.connect({ clock: fixedClock() }),
        await open({ url: 'memory:', clock: fixedClock() }),
      ]
      const ids = upTo(6).map(() => uuid7())
      for (const tl of [here, there]) {
        await writeTalk(tl)
        for (const [i, content] of ['Ann likes pottery', 'Bob restores databases', 'Kayaks are boats'].entries()) {
          await tl.memories.remember({ userId: 'ann', content, id: ids[i] as string })
        }
        const last = await tl.sessions.create({ userId: 'ann', id: ids[5] as string })
        await last.append({ type: 'user_message', content: 'Tell me about the hospital database' })
        await last.end()
        await last.compact('The database of the hospital was talked about')
      }
      const shape = (items: readonly RecallItem[]) =>
        items.map(({ kind, sessionId, sequence, content, score }) => [kind, sessionId, sequence, content, score])
      const questions = [...QUESTIONS.map(([question]) => question), 'hospital database backup', 'pottery', 'In March']
      for (const query of questions) {
        assert.deepEqual(shape(await recalled(here, query)), shape(await recalled(there, query)), query)
      }
      const [one, two] = await Promise.all(
        [here, there].map((tl) =>
          tl.memories.search({ userId: 'ann', query: 'boats pottery databases', record: false }),
        ),
      )
      assert.deepEqual(
        one?.items.map(({ id, score }) => [id, score]),
        two?.items.map(({ id, score }) => [id, score]),
      )
    },
  },
  {
    id: 'A24',
    title: 'recalls messages, summaries and memories by kind, time and size',
    async check(db) {
      const tl = await db.connect({ tokenizer: characters, clock: fixedClock('2026-05-01T00:00:00Z') })
      await writeTalk(tl)
      const session = await tl.sessions.get(TALK[1]?.id ?? '')
      await session.end()
      const commit = await session.compact('Bob begins at the hospital; the bowl cracked')
      const memory = await tl.memories.remember({ userId: 'ann', content: 'Bob works at the hospital' })
      const kinds = (items: readonly RecallItem[]) => [...new Set(items.map(({ kind }) => kind))].sort()
      const all = await recalled(tl, 'hospital')
      assert.deepEqual(kinds(all), ['commit', 'event', 'memory'])
      assert(all.some(({ kind, id }) => kind === 'commit' && id === commit.id))
      assert(all.some(({ kind, id, sourceType }) => kind === 'memory' && id === memory.id && sourceType === 'explicit'))
      for (const kind of ['commit', 'event', 'memory'] as const) {
        assert.deepEqual(kinds(await recalled(tl, 'hospital', { kinds: [kind] })), [kind])
      }
      assert.deepEqual(await recalled(tl, 'hospital', { kinds: ['memory'], sourceTypes: ['tool_output'] }), [])
      const said = { kinds: ['event'] } as const
      const spring = await recalled(tl, 'hospital', { ...said, since: '2026-04-01' })
      assert(spring.length > 0 && spring.every(({ sessionId }) => sessionId === TALK[2]?.id))
      const winter = await recalled(tl, 'hospital', { ...said, until: '2026-04-01' })
      assert(winter.length > 0 && winter.every(({ sessionId }) => sessionId !== TALK[2]?.id))
      assert.equal((await recalled(tl, 'hospital', { limit: 2 })).length, 2)
      const { items, tokens } = await tl.recall({ userId: 'ann', query: 'hospital', maxTokens: 100 })
      assert(tokens > 0 && tokens <= 100)
      assert.equal(tokens, texts(items).join('').length)
      assert.deepEqual((await tl.recall({ userId: 'ann', query: 'hospital', maxTokens: 0 })).items, [])
    },
  },
  {
    id: 'A24',
    title: 'treats hostile queries as words, and names invalid arguments',
    async check(db) {
      const tl = await db.connect()
      await writeTalk(tl)
      for (const query of ['"kayak', "kayak' OR 1=1 --", 'kayak:* & !x | (', `kayak ${'"((*'.repeat(2500)}`]) {
        assert.equal(texts(await recalled(tl, query))[0], 'I bought a kayak last weekend!', query.slice(0, 30))
      }
      const wrong: [Partial<RecallQuery> & object, string][] = [
        [{ query: '' }, 'query'],
        [{ limit: 501 }, 'limit'],
        [{ kinds: ['dream' as never] }, 'kinds[0]'],
        [{ since: 'May' }, 'since'],
        [{ maxTokens: -1 }, 'maxTokens'],
        [{ userId: undefined as never }, 'userId'],
      ]
      for (const [input, field] of wrong) {
        const error = await expectError('VALIDATION', tl.recall({ userId: 'ann', query: 'x', ...input }))
        assert.equal(error.field, field)
      }
    },
  },
  {
    id: 'A24',
    title: 'finds copied events of a fork once, and its own events',
    async check(db) {
      const tl = await db.connect()
      await writeTalk(tl)
      const fork = await (await tl.sessions.get(TALK[2]?.id ?? '')).fork()
      await fork.append({ type: 'user_message', content: 'Sold the kayak.', agentId: 'Ann' })
      const hits = (await recalled(tl, 'kayak')).filter(({ content }) => content.includes('kayak'))
      assert.deepEqual(texts(hits).sort(), ['I bought a kayak last weekend!', 'Sold the kayak.'])
    },
  },
  {
    id: 'A9',
    title: 'indexes each message once with any number of processes',
    async check(db) {
      // background indexing is off, so the four processes index everything
      const tl = await db.connect({ index: false })
      await writeTalk(tl)
      const before = (await recalled(tl, 'hospital kayak')).map(({ score }) => score)
      const long = await tl.sessions.create({ userId: 'eve' })
      await long.append(upTo(600).map((n) => ({ type: 'user_message', content: `Word${n} and another` })))
      const workers = upTo(4).map(() => startWorker(db.target, { do: 'index' }))
      const reports = (await Promise.all(workers.map(({ done }) => done))).flat() as { messages: number }[]
      assert.equal(
        reports.reduce((sum, { messages }) => sum + messages, 0),
        600,
      )
      assert.deepEqual(
        (await recalled(tl, 'hospital kayak')).map(({ score }) => score),
        before,
      )
      const hits = await recalled(tl, 'word599', { userId: 'eve', limit: 1 })
      assert.deepEqual([hits[0]?.sequence, await tl.index()], [600, { sessions: 0, messages: 0 }])
    },
  },
  {
    id: 'A24',
    title: 'adds recalled items to the context of a session, and logs them',
    async check(db) {
      const tl = await db.connect({ tokenizer: characters })
      await writeTalk(tl)
      const memory = await tl.memories.remember({ userId: 'ann', content: 'The kiln is at the community centre' })
      const session = await tl.sessions.create({ userId: 'ann', task: 'Plan the week' })
      await session.append({ type: 'user_message', content: 'Where was the kiln again?' })
      const plain = await session.context({ maxTokens: 4000 })
      assert.equal(plain.recalled, undefined)
      const looked = await session.context({ maxTokens: 4000, recall: true, record: false })
      assert.equal((await session.record()).head, 2)
      const { messages, recalled: items = [], tokens } = await session.context({ maxTokens: 4000, recall: true })
      assert.deepEqual(looked.messages, messages)
      assert(tokens <= 4000)
      const told = messages.map(({ content }) => content).join('\n')
      assert(told.includes('community centre') && told.includes('My bowl cracked in the kiln'))
      assert.equal(told.split('Where was the kiln again?').length, 2)
      const [logged] = await session.events({ types: ['memory_recall'] })
      const parts = logged?.parts as unknown as { query: string; items: { kind: string; id: string }[] }
      assert.deepEqual(
        parts.items.map(({ kind, id }) => [kind, id]),
        items.map(({ kind, id }) => [kind, id]),
      )
      assert(parts.query.includes('Where was the kiln again?'))
      assert.equal((await tl.memories.get(memory.id)).useCount, 1)
      const tight = await session.context({ maxTokens: 60, recall: true })
      assert(tight.tokens <= 60)
      assert.equal((await session.messages()).length, 1)
      const own = await session.context({ maxTokens: 4000, recall: { query: 'waffles', kinds: ['event'], limit: 1 } })
      assert.deepEqual(texts(own.recalled ?? []), ['Mostly fish soup, and a lot of waffles.'])
      await session.end()
      assert((await session.context({ maxTokens: 4000, recall: true })).recalled)
      await expectError('VALIDATION', session.context({ maxTokens: 10, recall: { limit: 0 } }))
    },
  },
  {
    id: 'A24',
    title: 'ignores an embedder that fails or whose vectors carry no meaning',
    async check(db) {
      const blind = await db.connect({ embed: (list) => list.map((text) => [text.length, 1, 0]) })
      await writeTalk(blind)
      const plain = await db.connect()
      const broken = await db.connect({ embed: () => Promise.reject(new Error('no')) })
      for (const [question] of QUESTIONS) {
        const expected = texts(await recalled(plain, question))
        for (const tl of [blind, broken]) assert.deepEqual(texts(await recalled(tl, question)), expected, question)
      }
    },
  },
  {
    id: 'A24',
    title: 'finds items that pass a filter even if many others match better',
    async check(db) {
      const tl = await db.connect({ index: false })
      const session = await tl.sessions.create({ userId: 'ann' })
      await session.append(upTo(600).map(() => ({ type: 'user_message', content: 'zebra', occurredAt: '2026-02-01' })))
      await session.append({ type: 'user_message', content: 'Saw a zebra at the zoo', occurredAt: '2020-05-01' })
      const ended = await tl.sessions.create({ userId: 'ann' })
      await ended.end()
      await ended.compact('Nothing much; a zebra was mentioned in passing, among other things')
      await tl.memories.remember(upTo(600).map(() => ({ userId: 'ann', content: 'zebra', id: uuid7() })))
      await tl.memories.remember({ userId: 'ann', content: 'A zebra for the birthday of Bob', scope: 'party' })
      const old = await recalled(tl, 'zebra', { kinds: ['event'], until: '2021-01-01' })
      assert.deepEqual(texts(old), ['Saw a zebra at the zoo'])
      assert.equal((await recalled(tl, 'zebra', { kinds: ['commit'] })).length, 1)
      const { items } = await tl.memories.search({ userId: 'ann', query: 'zebra', category: 'facts', limit: 500 })
      assert.equal(items.length, 500)
      const few = await tl.recall({ userId: 'ann', query: 'zebra zoo', kinds: ['event'], limit: 1, maxTokens: 2 })
      assert.deepEqual([texts(few.items), few.tokens <= 2], [['zebra'], true])
    },
  },
  {
    id: 'A24',
    title: 'indexes any number of unindexed sessions',
    async check(db) {
      const tl = await db.connect({ index: false })
      const sessions = []
      for (const n of upTo(210)) sessions.push(await tl.sessions.create({ userId: 'ann', conversationId: `c${n}` }))
      assert.deepEqual(await recalled(tl, 'walrus'), [])
      await Promise.all(sessions.map((session) => session.append({ type: 'user_message', content: 'walrus' })))
      assert.equal((await recalled(tl, 'walrus', { limit: 500 })).length, 210)
    },
  },
]
