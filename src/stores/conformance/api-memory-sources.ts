import assert from 'node:assert/strict'
import type { Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { fixedClock, refused } from './samples.ts'

/** Contents of all memories of a user. */
async function contents(tl: Throughline, userId = 'ada'): Promise<string[]> {
  const { items } = await tl.memories.list({ userId })
  return items.map(({ content }) => content).sort()
}

/** A session with these words of the user in it. */
async function saying(tl: Throughline, words: readonly string[], userId = 'ada') {
  const session = await tl.sessions.create({ userId })
  for (const content of words) await session.append({ type: 'user_message', content })
  return session
}

/** A23 where memories come from: extraction, forgetting, owners, purge. */
export const memorySourceRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A23',
    title: 'gathers memories from a session, each once however often it is asked, and leaves the events alone',
    async check(db) {
      const tl = await db.connect()
      const session = await saying(tl, ['I prefer tabs over spaces.', 'What time is it?', 'My name is Ada Lovelace.'])
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
      // said again elsewhere: known, and believed more
      const other = await saying(tl, ['I live in Lisbon.'])
      const known = await tl.memories.extract(other.id)
      assert.deepEqual([known.created, known.merged], [0, 1])
      assert((known.memories[0]?.confidence ?? 0) > (more.memories[0]?.confidence ?? 1))
      await refused('SESSION_NOT_FOUND', tl.memories.extract(uuid7()))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A23',
    title: 'gathers from sessions that have ended when the logs are read, also by two at once',
    async check(db) {
      const [a, b] = [await db.connect(), await db.connect()]
      const live = await saying(a, ['I prefer tea over coffee.'])
      const ended = await saying(a, ['I prefer trains over planes.', 'I prefer rye over wheat.'])
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
    title: 'takes what a caller’s function gathers, and marks what came from a tool whatever it says',
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
      const session = await saying(tl, ['the user said this'])
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
    title: 'forgets one memory, or all that comes from a source, and what has other support loses only that',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const say = (content: string, source: string) =>
        tl.memories.remember({ userId: 'ada', content, sourceType: 'tool_output', source: { source } })
      const gone = await say('The moon is made of cheese', 'web:bad')
      const kept = await say('Water boils at a hundred degrees', 'web:good')
      await tl.memories.corroborate(kept.id, { source: 'web:bad' })
      const one = await say('Grass is green', 'web:good')
      await tl.memories.forget(one.id)
      await refused('MEMORY_NOT_FOUND', tl.memories.get(one.id))
      await refused('MEMORY_NOT_FOUND', tl.memories.forget(one.id))
      assert.deepEqual(await tl.memories.forget({ userId: 'ada', source: 'web:bad' }), { forgotten: 1, kept: 1 })
      await refused('MEMORY_NOT_FOUND', tl.memories.history(gone.id))
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
      await refused('VALIDATION', tl.memories.forget({ userId: 'ada' }))
      await refused('VALIDATION', tl.memories.forget({ userId: 'ada', source: 'a', sessionId: uuid7() }))
    },
  },
  {
    id: 'A23',
    title: 'purges a session out of every lineage, and memories that nothing else supports',
    async check(db) {
      const tl = await db.connect()
      const [one, two] = [await saying(tl, ['hello']), await saying(tl, ['hello'])]
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
      await refused('MEMORY_NOT_FOUND', tl.memories.get(only.id))
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
    title: 'purges a user with all that is remembered, from every index, and nobody else',
    async check(db) {
      const tl = await db.connect()
      for (const userId of ['ada', 'bob']) {
        const session = await saying(tl, ['The secret word is xylophone.'], userId)
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
      // a user of the same name begins anew
      await saying(tl, ['xylophone lessons'])
      assert.equal((await tl.recall({ userId: 'ada', query: 'xylophone' })).items.length, 1)
    },
  },
  {
    id: 'A23',
    title: 'shows a user nothing of what is remembered of others',
    async check(db) {
      const tl = await db.connect()
      const [ada, bob] = [tl.as({ tenant: 'acme', userId: 'ada' }), tl.as({ tenant: 'acme', userId: 'bob' })]
      const session = await saying(ada, ['I keep bees.'])
      const { id } = await ada.memories.remember({ userId: 'ada', content: 'Keeps bees' })
      for (const other of [bob, tl.as({ tenant: 'other', userId: 'ada' }), tl.as({ tenant: 'other' })]) {
        await refused('MEMORY_NOT_FOUND', other.memories.get(id))
        await refused('MEMORY_NOT_FOUND', other.memories.history(id))
        await refused('MEMORY_NOT_FOUND', other.memories.corroborate(id))
        await refused('MEMORY_NOT_FOUND', other.memories.contradict(id))
        await refused('MEMORY_NOT_FOUND', other.memories.forget(id))
        await refused('SESSION_NOT_FOUND', other.memories.extract(session.id))
        const scope = { tenant: 'acme', userId: 'ada' }
        await refused('VALIDATION', other.memories.remember({ ...scope, content: 'x' }))
        await refused('VALIDATION', other.memories.search({ ...scope, query: 'bees' }))
        await refused('VALIDATION', other.memories.list(scope))
        await refused('VALIDATION', other.memories.forget({ ...scope, source: 's' }))
        await refused('VALIDATION', other.recall({ ...scope, query: 'bees' }))
      }
      await refused(
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
    title:
      'holds again what was superseded on the word of a source that is forgotten, and trusts no more than that source',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const { id } = await tl.memories.remember({ userId: 'ada', content: 'The server runs in Paris' })
      clock.advance(1000)
      const evil = { source: 'tool:evil', sourceType: 'tool_output', content: 'The server runs in Moscow' } as const
      const { supersededBy = '' } = await tl.memories.contradict(id, evil)
      assert.equal((await tl.memories.get(supersededBy)).sourceType, 'tool_output')
      const look = async (sourceTypes?: readonly ['explicit']) => {
        const query = { userId: 'ada', query: 'server runs', record: false, ...(sourceTypes && { sourceTypes }) }
        return (await tl.memories.search(query)).items.map(({ content }) => content)
      }
      assert.deepEqual([await look(), await look(['explicit'])], [['The server runs in Moscow'], []])
      await refused('VALIDATION', tl.memories.contradict(id, { content: 'The server runs in Rome' }))
      assert.deepEqual(await tl.memories.forget({ userId: 'ada', source: 'tool:evil' }), { forgotten: 1, kept: 1 })
      const restored = await tl.memories.get(id)
      assert.deepEqual([restored.confidence, restored.supersededBy, restored.supersededAt], [0.8, undefined, undefined])
      assert.deepEqual(await look(), ['The server runs in Paris'])
      assert.equal((await tl.memories.history(id)).at(-1)?.change, 'restored')
    },
  },
  {
    id: 'A23',
    title: 'says whose memory is meant before it takes one of two with the same id',
    async check(db) {
      const tl = await db.connect()
      const id = uuid7()
      for (const userId of ['ada', 'bob']) await tl.memories.remember({ userId, content: `Of ${userId}`, id })
      for (const call of ['get', 'history', 'corroborate', 'contradict', 'forget'] as const) {
        await refused('VALIDATION', tl.memories[call](id))
      }
      const bob = tl.as({ tenant: 'local', userId: 'bob' })
      assert.equal((await bob.memories.history(id)).length, 1)
      await bob.memories.forget(id)
      assert.equal((await tl.memories.get(id)).content, 'Of ada')
      await refused('MEMORY_NOT_FOUND', tl.memories.get('x'.repeat(10_000)))
    },
  },
]
