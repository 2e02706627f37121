import assert from 'node:assert/strict'
import type { Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, NOON, upTo } from './samples.ts'

const DAY = 86_400_000

/** Contents that a search finds, best first; records no use. */
async function searchContents(tl: Throughline, query: string, rest: object = {}): Promise<string[]> {
  const { items } = await tl.memories.search({ userId: 'ada', query, record: false, ...rest })
  return items.map(({ content }) => content)
}

/** Evidence about a memory in order (+ or -), and the confidence after each. */
const SEQUENCES: readonly [says: string, confidences: readonly number[]][] = [
  ['+', [0.8, 0.85]],
  ['++++', [0.8, 0.85, 0.89, 0.92, 0.94]],
  ['-', [0.8, 0.4]],
  ['---', [0.8, 0.4, 0.2, 0.1]],
  ['+-+', [0.8, 0.85, 0.43, 0.57]],
  ['--++', [0.8, 0.4, 0.2, 0.4, 0.55]],
]

/** A22 memories: storage, confidence and search. */
export const apiMemoryRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A22',
    title: 'stores a memory with its source and returns it',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'I take my tea without milk' })
      const source = { sessionId: session.id, from: 2, to: 2 }
      const kept = await tl.memories.remember({
        userId: 'ada',
        content: 'Takes tea without milk ☕',
        category: 'preferences',
        source,
        scope: 'kitchen',
        metadata: { z: 1, a: [1.5, null] },
      })
      const { outcome, ...memory } = kept
      assert.equal(outcome, 'created')
      assert.deepEqual(memory, {
        id: kept.id,
        tenant: 'local',
        userId: 'ada',
        category: 'preferences',
        content: 'Takes tea without milk ☕',
        scope: 'kitchen',
        sourceType: 'explicit',
        confidence: 0.8,
        lineage: [{ relation: 'origin', ...source, at: NOON, sourceType: 'explicit', confidence: 0.8 }],
        useCount: 0,
        createdAt: NOON,
        metadata: { z: 1, a: [1.5, null] },
      })
      const stored = await tl.memories.get(kept.id)
      assert.deepEqual(stored, memory)
      assert.equal(JSON.stringify(stored.metadata), '{"z":1,"a":[1.5,null]}')
      assert.deepEqual(await tl.memories.history(kept.id), [
        { version: 1, at: NOON, change: 'created', confidence: 0.8, source },
      ])
      await expectError('MEMORY_NOT_FOUND', tl.memories.get(uuid7()))
      await expectError('MEMORY_NOT_FOUND', tl.memories.history('no id'))
    },
  },
  {
    id: 'A22',
    title: 'names the invalid field, and stores nothing of a list that has one',
    async check(db) {
      const tl = await db.connect()
      const good = { userId: 'ada', content: 'Plays chess' }
      const session = await tl.sessions.create({ userId: 'bob' })
      const wrong: [input: object, field: string][] = [
        [{ content: '  ' }, 'content'],
        [{ userId: '' }, 'userId'],
        [{ category: 'moods' }, 'category'],
        [{ confidence: 1.5 }, 'confidence'],
        [{ sourceType: 'hearsay' }, 'sourceType'],
        [{ id: 'mine' }, 'id'],
        [{ source: { from: 2 } }, 'source.sessionId'],
        [{ source: { sessionId: session.id, from: 3, to: 2 } }, 'source.to'],
        [{ source: { sessionId: session.id, source: 'tool' } }, 'source.source'],
        [{ expiresAt: '9999-12-31T23:59:59-05:00' }, 'expiresAt'],
        [{ expiresAt: 'tomorrow' }, 'expiresAt'],
        [{ metadata: [] }, 'metadata'],
        [{ colour: 'red' }, 'colour'],
        [{ content: 'a\0b' }, 'content'],
      ]
      for (const [input, field] of wrong) {
        const error = await expectError('VALIDATION', tl.memories.remember({ ...good, ...input }))
        assert.equal(error.field, field)
      }
      await expectError('TOO_LARGE', tl.memories.remember({ ...good, content: 'x'.repeat(20_000) }))
      await expectError('SESSION_NOT_FOUND', tl.memories.remember({ ...good, source: { sessionId: session.id } }))
      const beyond = { userId: 'bob', content: 'x', source: { sessionId: session.id, from: 1, to: 2 } }
      assert.equal((await expectError('VALIDATION', tl.memories.remember(beyond))).field, 'source.to')
      const list = [good, { ...good, content: '' }]
      assert.equal((await expectError('VALIDATION', tl.memories.remember(list))).field, 'memories[1].content')
      assert.equal((await expectError('VALIDATION', tl.memories.remember([]))).field, 'memories')
      await expectError('VALIDATION', tl.memories.remember([good, { ...good, userId: 'bob' }]))
      assert.deepEqual(await tl.memories.list({ userId: 'ada' }), { items: [] })
    },
  },
  ...SEQUENCES.map(
    ([says, confidences]): Rule<ApiDatabase> => ({
      id: 'A22',
      title: `rates the confidence of a memory ${confidences.join(', ')} after ${says}`,
      async check(db) {
        const tl = await db.connect({ clock: fixedClock() })
        const { id } = await tl.memories.remember({ userId: 'ada', content: 'Lives in Lisbon' })
        const seen = [0.8]
        for (const [i, sign] of [...says].entries()) {
          const evidence = { source: `witness ${i}`, note: `note ${i}` }
          const call = sign === '+' ? 'corroborate' : 'contradict'
          seen.push((await tl.memories[call](id, evidence)).confidence)
          // repeated evidence changes nothing
          assert.equal((await tl.memories[call](id, evidence)).confidence, seen.at(-1))
        }
        assert.deepEqual(seen, confidences)
        const { lineage, confidence } = await tl.memories.get(id)
        const relations = ['origin', ...[...says].map((sign) => (sign === '+' ? 'corroborates' : 'contradicts'))]
        assert.deepEqual([confidence, lineage.map(({ relation }) => relation)], [seen.at(-1), relations])
        assert.deepEqual(
          (await tl.memories.history(id)).map(({ version, confidence: after, note }) => [version, after, note]),
          seen.map((after, i) => [i + 1, after, i === 0 ? undefined : `note ${i - 1}`]),
        )
      },
    }),
  ),
  {
    id: 'A22',
    title: 'replaces a memory by a contradicting one and never returns the old one',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const old = await tl.memories.remember({ userId: 'ada', content: 'Lives in Lisbon', scope: 'home' })
      const replaced = await tl.memories.contradict(old.id, { content: 'Lives in Porto', note: 'moved' })
      assert.equal(replaced.confidence, 0.4)
      const next = await tl.memories.get(replaced.supersededBy ?? '')
      assert.deepEqual(
        [next.content, next.scope, next.confidence, replaced.supersededAt],
        ['Lives in Porto', 'home', 0.8, NOON],
      )
      assert.deepEqual(
        (await tl.memories.history(old.id)).map(({ change, by, note }) => [change, by, note]),
        [
          ['created', undefined, undefined],
          ['contradicted', undefined, 'moved'],
          ['superseded', next.id, undefined],
        ],
      )
      assert.deepEqual(await searchContents(tl, 'lives Lisbon Porto'), ['Lives in Porto'])
      // a retry after a lost response changes nothing
      const retried = { source: 'letter', content: 'Lives in Porto' }
      const [once, twice] = [
        await tl.memories.contradict(old.id, retried),
        await tl.memories.contradict(old.id, retried),
      ]
      assert.deepEqual([once.supersededBy, twice], [next.id, once])
      await expectError('VALIDATION', tl.memories.contradict(old.id, { content: 'Lives in Rome' }))
      // the old content again makes a new memory; the superseded one stays superseded
      const again = await tl.memories.remember({ userId: 'ada', content: 'Lives in Lisbon', scope: 'home' })
      assert.deepEqual([again.outcome, again.id === old.id], ['created', false])
      const by = await tl.memories.contradict(next.id, { supersededBy: again.id })
      assert.equal(by.supersededBy, again.id)
      assert.deepEqual(await searchContents(tl, 'Porto'), [])
      await expectError('MEMORY_NOT_FOUND', tl.memories.contradict(again.id, { supersededBy: uuid7() }))
      await expectError('VALIDATION', tl.memories.contradict(again.id, { supersededBy: again.id }))
      await expectError('VALIDATION', tl.memories.contradict(again.id, { supersededBy: next.id, content: 'Both' }))
      assert.equal((await tl.memories.get(again.id)).confidence, 0.8)
    },
  },
  {
    id: 'A22',
    title: 'merges memories that say the same, and no others',
    async check(db) {
      const tl = await db.connect()
      const say = (content: string, rest: object = {}) => tl.memories.remember({ userId: 'ada', content, ...rest })
      const first = await say('The deploy script needs Node 22 and a token')
      for (const same of [
        'the deploy scripts need Node 22 and a token!',
        'The deploy script: needs Node 22, and a token',
      ]) {
        const merged = await say(same, { source: { source: same } })
        assert.deepEqual([merged.id, merged.outcome], [first.id, 'merged'], same)
      }
      assert.equal((await tl.memories.get(first.id)).confidence, 0.89)
      assert.equal(
        (await say('The deploy script needs Node 22 and a token', { source: { source: 'The' } })).outcome,
        'merged',
      )
      for (const other of [
        'The deploy script needs Node 24 and a token',
        "The deploy script doesn't need Node 22 and a token",
        'The build script needs Python and a key',
        'A token and Node 22 need the deploy script',
      ]) {
        assert.equal((await say(other)).outcome, 'created', other)
      }
      assert.equal((await say('The deploy script needs Node 22 and a token', { scope: 'other' })).outcome, 'created')
      const id = uuid7()
      const own = { id, metadata: { n: 1 } }
      assert.equal((await say('The deploy script needs Node 22 and a token', own)).outcome, 'created')
      assert.equal((await say('The deploy script needs Node 22 and a token', own)).outcome, 'unchanged')
      await expectError('VALIDATION', say('Something else', { id }))
      const [one, two] = await tl.memories.remember([
        { userId: 'ada', content: 'Two of a kind' },
        { userId: 'ada', content: 'two of a kind' },
      ])
      assert.deepEqual([one?.outcome, two?.outcome, one?.id], ['created', 'merged', two?.id])
    },
  },
  {
    id: 'A22',
    title: 'merges concurrent equal memories into one',
    async check(db) {
      const [a, b] = [await db.connect(), await db.connect()]
      const all = upTo(16).map((n) =>
        [a, b][n % 2]?.memories.remember({ userId: 'ada', content: 'Runs at dawn', source: { source: `s${n}` } }),
      )
      const outcomes = (await Promise.all(all)).map((one) => one?.outcome)
      assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1)
      const { items } = await a.memories.list({ userId: 'ada' })
      assert.deepEqual([items.length, items[0]?.lineage.length], [1, 16])
    },
  },
  {
    id: 'A22',
    title: 'finds words in any form, filters, and treats search syntax as words',
    async check(db) {
      const tl = await db.connect()
      const say = (content: string, rest: object = {}) => tl.memories.remember({ userId: 'ada', content, ...rest })
      await say('Prefers tabs over spaces in Python', { category: 'preferences', scope: 'code' })
      await say('Always run the linter before committing', { category: 'rules', confidence: 0.5 })
      await say('The wiki says the linter is optional', { sourceType: 'tool_output', source: { source: 'wiki' } })
      await tl.memories.remember({ userId: 'bob', content: 'Linters are for others' })
      assert.deepEqual(await searchContents(tl, 'What does she prefer, a tab or a space?'), [
        'Prefers tabs over spaces in Python',
      ])
      assert.equal((await searchContents(tl, 'linters')).length, 2)
      assert.deepEqual(await searchContents(tl, 'the of and'), [])
      assert.deepEqual(await searchContents(tl, 'linter', { category: 'rules' }), [
        'Always run the linter before committing',
      ])
      assert.deepEqual(await searchContents(tl, 'linter', { category: ['preferences', 'skills'] }), [])
      assert.deepEqual(await searchContents(tl, 'linter', { minConfidence: 0.6 }), [
        'The wiki says the linter is optional',
      ])
      await say('Prefers rye in the kitchen', { scope: 'kitchen' })
      // memories without a scope match every scope
      assert.equal((await searchContents(tl, 'linter prefers', { scope: 'code' })).length, 3)
      assert.deepEqual(await searchContents(tl, 'linter', { sourceTypes: ['explicit', 'implicit'] }), [
        'Always run the linter before committing',
      ])
      assert.equal((await searchContents(tl, 'linter', { limit: 1 })).length, 1)
      const hostile = [
        '"linter',
        'linter" OR 1=1; drop table memories; --',
        "linter' & (tabs | !spaces):* <-> NEAR(x, 5)",
        'content:linter AND NOT *',
        `linter ${'(((("'.repeat(2000)}`,
        `linter ${'a OR b NOT c '.repeat(900)}`,
      ]
      for (const query of hostile) assert((await searchContents(tl, query)).length >= 2, query.slice(0, 40))
      for (const query of ['""', '***', '%', '_', '\\', '((((', '\u{1F600}'])
        assert.deepEqual(await searchContents(tl, query), [])
      await expectError('VALIDATION', tl.memories.search({ userId: 'ada', query: '' }))
      await expectError('TOO_LARGE', tl.memories.search({ userId: 'ada', query: 'x'.repeat(70_000) }))
    },
  },
  {
    id: 'A22',
    title: 'ranks by confidence, age and use, and counts each use',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const say = (content: string, rest: object = {}) => tl.memories.remember({ userId: 'ada', content, ...rest })
      await say('Meeting room Alpha is booked', { confidence: 0.3 })
      await say('Meeting room Beta is booked', { confidence: 0.9 })
      assert.deepEqual(await searchContents(tl, 'meeting room'), [
        'Meeting room Beta is booked',
        'Meeting room Alpha is booked',
      ])
      clock.advance(365 * DAY)
      await say('Meeting room Gamma is booked', { confidence: 0.9 })
      assert.equal((await searchContents(tl, 'meeting room'))[0], 'Meeting room Gamma is booked')
      for (const _ of upTo(100)) await tl.memories.search({ userId: 'ada', query: 'Delta', limit: 1 })
      await say('Standup notes live in the wiki')
      await say('Standup notes live in the drive')
      const used = await tl.memories.search({ userId: 'ada', query: 'drive', limit: 1 })
      assert.equal(used.items[0]?.useCount, 0)
      const { useCount, lastUsedAt } = await tl.memories.get(used.items[0]?.id ?? '')
      assert.deepEqual([useCount, lastUsedAt], [1, new Date(clock.now()).toISOString()])
      assert.equal((await searchContents(tl, 'standup notes'))[0], 'Standup notes live in the drive')
    },
  },
  {
    id: 'A22',
    title: 'never returns expired memories, and a sweep removes them',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const { id } = await tl.memories.remember({ userId: 'ada', content: 'On leave this week', expiresInMs: 7 * DAY })
      const stays = { userId: 'ada', content: 'On leave every August', expiresAt: '2030-01-01' }
      await tl.memories.remember(stays)
      assert.equal((await searchContents(tl, 'leave')).length, 2)
      clock.advance(7 * DAY)
      assert.deepEqual(await searchContents(tl, 'leave'), ['On leave every August'])
      assert.deepEqual(
        (await tl.recall({ userId: 'ada', query: 'leave' })).items.map(({ content }) => content),
        ['On leave every August'],
      )
      assert.equal((await tl.memories.get(id)).content, 'On leave this week')
      const again = await tl.memories.remember({ userId: 'ada', content: 'On leave this week' })
      assert.equal(again.outcome, 'created')
      assert.equal((await tl.sweep()).forgotten, 1)
      // remembered again without an expiry, it has none
      const brief = { userId: 'ada', content: 'The wifi code is banana' }
      await tl.memories.remember({ ...brief, expiresInMs: DAY })
      const lasting = await tl.memories.remember(brief)
      assert.deepEqual([lasting.outcome, lasting.expiresAt], ['merged', undefined])
      clock.advance(2 * DAY)
      assert.deepEqual(await searchContents(tl, 'wifi'), ['The wifi code is banana'])
      await expectError('MEMORY_NOT_FOUND', tl.memories.get(id))
      assert.equal((await searchContents(tl, 'leave')).length, 2)
    },
  },
]
