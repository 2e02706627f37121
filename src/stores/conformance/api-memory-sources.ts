import assert from 'node:assert/strict'
import type { Throughline } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock } from './samples.ts'

/** Contents of all memories of a user. */
async function contents(tl: Throughline, userId = 'ada'): Promise<string[]> {
  const { items } = await tl.memories.list({ userId })
  return items.map(({ content }) => content).sort()
}

/** A session with these user messages. */
async function createSessionSaying(tl: Throughline, words: readonly string[], userId = 'ada') {
  const session = await tl.sessions.create({ userId })
  for (const content of words) await session.append({ type: 'user_message', content })
  return session
}

/** A23 sources of memories: extraction, forgetting, owners, purge. */
export const memorySourceRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A23',
    title: 'extracts each memory of a session once, even if asked again, and changes no events',
    async check(db) {
      const tl = await db.connect()
      const session = await createSessionSaying(tl, [
        'I prefer tabs over spaces.',
        'What time is it?',
        'My name is Ada Lovelace.',
      ])
      const before = await session.events()
      const first = await tl.memories.extract(session.id)
      assert.deepEqual([first.from, first.to, first.merged], [1, 4, 0])
      assert(first.created >= 2, `gathered ${first.created}`)
      for (const { lineage, sourceType } of first.memories) {
        assert.deepEqual([lineage[0]?.sessionId, sourceType === 'tool_output'], [session.id, false])
      }
      const again = await tl.memories.extract(session.id)
      assert.deepEqual([again.created, again.merged, again.memories], [0, 0, []])
      assert.deepEqual(await session.events(), before)
      await session.append({ type: 'user_message', content: 'I live in Lisbon.' })
      const more = await tl.memories.extract(session.id)
      assert.deepEqual([more.from, more.to, more.created], [5, 5, 1])
      // said again in another session: the confidence rises
      const other = await createSessionSaying(tl, ['I live in Lisbon.'])
      const known = await tl.memories.extract(other.id)
      assert.deepEqual([known.created, known.merged], [0, 1])
      assert((known.memories[0]?.confidence ?? 0) > (more.memories[0]?.confidence ?? 1))
      await expectError('SESSION_NOT_FOUND', tl.memories.extract(uuid7()))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A23',
    title: 'indexing extracts memories from ended sessions, also with two concurrent indexers',
    async check(db) {
      const [a, b] = [await db.connect(), await db.connect()]
      const live = await createSessionSaying(a, ['I prefer tea over coffee.'])
      const ended = await createSessionSaying(a, ['I prefer trains over planes.', 'I prefer rye over wheat.'])
      await ended.end()
      await Promise.all([a.index(), b.index(), b.memories.extract(ended.id)])
      assert.deepEqual(await contents(a), ['I prefer rye over wheat', 'I prefer trains over planes'])
      const { items } = await a.memories.list({ userId: 'ada' })
      assert.deepEqual(
        items.map(({ lineage, confidence }) => [lineage.length, confidence]),
        items.map(() => [1, items[0]?.confidence]),
      )
      await live.end()
      await b.index()
      assert.equal((await contents(b)).length, 3)
    },
  },
  {
    id: 'A23',
    title: 'accepts memories from a custom extractor, and always marks those that come from a tool',
    async check(db) {
      const tl = await db.connect({
        extract: ({ events }) =>
          events
            .filter(({ type }) => type === 'tool_result' || type === 'user_message')
            .map(({ content, sequence }) => ({
              category: 'facts',
              content: `Noted: ${content}`,
              sourceType: 'explicit',
              confidence: 0.6,
              from: sequence,
              to: sequence,
            })),
      })
      const session = await createSessionSaying(tl, ['the user said this'])
      await session.append([
        { type: 'tool_call', parts: { id: 'c', name: 'web', arguments: {} } },
        { type: 'tool_result', content: 'a page said that', parts: { toolCallId: 'c' } },
      ])
      const { memories } = await tl.memories.extract(session.id)
      assert.deepEqual(
        memories.map(({ content, sourceType, confidence }) => [content, sourceType, confidence]),
        [
          ['Noted: the user said this', 'explicit', 0.6],
          ['Noted: a page said that', 'tool_output', 0.6],
        ],
      )
    },
  },
  {
    id: 'A23',
    title: 'forgets one memory or all of a source; memories with other sources only lose this one',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const say = (content: string, source: string) =>
        tl.memories.remember({ userId: 'ada', content, sourceType: 'tool_output', source: { source } })
      const gone = await say('The moon is made of cheese', 'web:bad')
      const kept = await say('Water boils at a hundred degrees', 'web:good')
      await tl.memories.corroborate(kept.id, { source: 'web:bad' })
      const one = await say('Grass is green', 'web:good')
      await tl.memories.forget(one.id)
      await expectError('MEMORY_NOT_FOUND', tl.memories.get(one.id))
      await expectError('MEMORY_NOT_FOUND', tl.memories.forget(one.id))
      assert.deepEqual(await tl.memories.forget({ userId: 'ada', source: 'web:bad' }), { forgotten: 1, kept: 1 })
      await expectError('MEMORY_NOT_FOUND', tl.memories.history(gone.id))
      const { confidence, lineage } = await tl.memories.get(kept.id)
      assert.deepEqual([confidence, lineage.map(({ source }) => source)], [0.8, ['web:good']])
      assert.deepEqual(
        (await tl.memories.history(kept.id)).map(({ change }) => change),
        ['created', 'corroborated', 'source_removed'],
      )
      for (const query of ['moon cheese', 'grass green']) {
        assert.deepEqual((await tl.memories.search({ userId: 'ada', query })).items, [])
        assert.deepEqual((await tl.recall({ userId: 'ada', query })).items, [])
      }
      await expectError('VALIDATION', tl.memories.forget({ userId: 'ada' }))
      await expectError('VALIDATION', tl.memories.forget({ userId: 'ada', source: 'a', sessionId: uuid7() }))
    },
  },
  {
    id: 'A23',
    title: 'a purge of a session removes it from every lineage, and memories without another source',
    async check(db) {
      const tl = await db.connect()
      const [one, two] = [await createSessionSaying(tl, ['hello']), await createSessionSaying(tl, ['hello'])]
      const from = ({ id }: { id: string }) => ({ sessionId: id, from: 2, to: 2 })
      const say = (content: string, source: object) => tl.memories.remember({ userId: 'ada', content, source })
      const only = await say('Only the first says so', from(one))
      const both = await say('Both of them say so', from(one))
      await tl.memories.corroborate(both.id, from(two))
      const denied = await say('The first says it and the second denies it', from(one))
      await tl.memories.contradict(denied.id, from(two))
      await say('The second alone says so', from(two))
      const receipt = await tl.sessions.purge(one.id)
      assert.deepEqual([receipt.sessions, receipt.memories], [1, 2])
      await expectError('MEMORY_NOT_FOUND', tl.memories.get(only.id))
      const { lineage, confidence } = await tl.memories.get(both.id)
      assert.deepEqual(
        [lineage.length, lineage[0]?.relation, lineage[0]?.sessionId, confidence],
        [1, 'origin', two.id, 0.8],
      )
      assert.deepEqual(await contents(tl), ['Both of them say so', 'The second alone says so'])
      assert.deepEqual(
        (await tl.recall({ userId: 'ada', query: 'first denies' })).items.map(({ content }) => content),
        [],
      )
    },
  },
  {
    id: 'A23',
    title: 'a purge of a user removes all their memories from every index, and nobody else’s',
    async check(db) {
      const tl = await db.connect()
      for (const userId of ['ada', 'bob']) {
        const session = await createSessionSaying(tl, ['The secret word is xylophone.'], userId)
        await tl.memories.remember({ userId, content: 'Plays the xylophone' })
        await session.end()
      }
      await tl.index()
      const { sessions, memories } = await tl.users.purge('ada')
      assert.equal(sessions, 1)
      assert(memories >= 1)
      assert.deepEqual(await contents(tl), [])
      assert.deepEqual((await tl.recall({ userId: 'ada', query: 'xylophone' })).items, [])
      assert.deepEqual((await tl.memories.search({ userId: 'ada', query: 'xylophone' })).items, [])
      assert((await tl.recall({ userId: 'bob', query: 'xylophone' })).items.length >= 2)
      // a new user with the same id starts empty
      await createSessionSaying(tl, ['xylophone lessons'])
      assert.equal((await tl.recall({ userId: 'ada', query: 'xylophone' })).items.length, 1)
    },
  },
  {
    id: 'A23',
    title: 'shows a user no memories of others',
    async check(db) {
      const tl = await db.connect()
      const [ada, bob] = [tl.as({ tenant: 'acme', userId: 'ada' }), tl.as({ tenant: 'acme', userId: 'bob' })]
      const session = await createSessionSaying(ada, ['I keep bees.'])
      const { id } = await ada.memories.remember({ userId: 'ada', content: 'Keeps bees' })
      for (const other of [bob, tl.as({ tenant: 'other', userId: 'ada' }), tl.as({ tenant: 'other' })]) {
        await expectError('MEMORY_NOT_FOUND', other.memories.get(id))
        await expectError('MEMORY_NOT_FOUND', other.memories.history(id))
        await expectError('MEMORY_NOT_FOUND', other.memories.corroborate(id))
        await expectError('MEMORY_NOT_FOUND', other.memories.contradict(id))
        await expectError('MEMORY_NOT_FOUND', other.memories.forget(id))
        await expectError('SESSION_NOT_FOUND', other.memories.extract(session.id))
        const scope = { tenant: 'acme', userId: 'ada' }
        await expectError('VALIDATION', other.memories.remember({ ...scope, content: 'x' }))
        await expectError('VALIDATION', other.memories.search({ ...scope, query: 'bees' }))
        await expectError('VALIDATION', other.memories.list(scope))
        await expectError('VALIDATION', other.memories.forget({ ...scope, source: 's' }))
        await expectError('VALIDATION', other.recall({ ...scope, query: 'bees' }))
      }
      await expectError(
        'SESSION_NOT_FOUND',
        bob.memories.remember({ userId: 'bob', content: 'x', source: { sessionId: session.id } }),
      )
      assert.equal((await bob.memories.remember({ userId: 'bob', content: 'Keeps bees' })).outcome, 'created')
      assert.equal((await bob.memories.remember({ userId: 'bob', content: 'Has my id', id })).outcome, 'created')
      assert.equal((await ada.memories.get(id)).content, 'Keeps bees')
      for (const userId of ['ada', 'bob']) {
        assert.deepEqual((await tl.memories.search({ userId, query: 'bees' })).items, [])
      }
      assert.equal((await ada.recall({ userId: 'ada', query: 'bees' })).items.length, 2)
      assert.equal((await bob.recall({ userId: 'bob', query: 'bees' })).items.length, 1)
    },
  },
  {
    id: 'A23',
    title: 'forgetting a source restores the memories it superseded, with no more confidence than that source',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const { id } = await tl.memories.remember({ userId: 'ada', content: 'The server runs in Paris' })
      clock.advance(1000)
      const evil = { source: 'tool:evil', sourceType: 'tool_output', content: 'The server runs in Moscow' } as const
      const { supersededBy = '' } = await tl.memories.contradict(id, evil)
      assert.equal((await tl.memories.get(supersededBy)).sourceType, 'tool_output')
      const look = async (sourceTypes?: readonly ['explicit']) => {
        const query = defined({ userId: 'ada', query: 'server runs', record: false, sourceTypes })
        return (await tl.memories.search(query)).items.map(({ content }) => content)
      }
      assert.deepEqual([await look(), await look(['explicit'])], [['The server runs in Moscow'], []])
      await expectError('VALIDATION', tl.memories.contradict(id, { content: 'The server runs in Rome' }))
      assert.deepEqual(await tl.memories.forget({ userId: 'ada', source: 'tool:evil' }), { forgotten: 1, kept: 1 })
      const restored = await tl.memories.get(id)
      assert.deepEqual([restored.confidence, restored.supersededBy, restored.supersededAt], [0.8, undefined, undefined])
      assert.deepEqual(await look(), ['The server runs in Paris'])
      assert.equal((await tl.memories.history(id)).at(-1)?.change, 'restored')
    },
  },
  {
    id: 'A23',
    title: 'asks for the user if two users have a memory with the same id',
    async check(db) {
      const tl = await db.connect()
      const id = uuid7()
      for (const userId of ['ada', 'bob']) await tl.memories.remember({ userId, content: `Of ${userId}`, id })
      for (const call of ['get', 'history', 'corroborate', 'contradict', 'forget'] as const) {
        await expectError('VALIDATION', tl.memories[call](id))
      }
      const bob = tl.as({ tenant: 'local', userId: 'bob' })
      assert.equal((await bob.memories.history(id)).length, 1)
      await bob.memories.forget(id)
      assert.equal((await tl.memories.get(id)).content, 'Of ada')
      await expectError('MEMORY_NOT_FOUND', tl.memories.get('x'.repeat(10_000)))
    },
  },
]
