import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventInput } from '../../api.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, upTo } from './samples.ts'

/** Counts characters, so budgets follow from the contents. */
const characters = { name: 'characters', count: (text: string) => text.length }

const user = (content: string): EventInput => ({ type: 'user_message', content })
const model = (content: string): EventInput => ({ type: 'model_message', content })
const call = (id: string): EventInput => ({
  type: 'tool_call',
  content: `c${id}`,
  parts: { id, name: '', arguments: '' },
})
const result = (id: string): EventInput => ({ type: 'tool_result', content: `r${id}`, parts: { toolCallId: id } })

/** A6 pages and windows, A7 verify and rebuild. */
export const apiReadRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A6',
    title: 'pages through a log forwards, backwards and by type',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append(upTo(250).map((n) => (n % 50 ? user(`${n}`) : { type: 'x.mark', content: `${n}` })))
      const sequences = async (query?: Parameters<typeof session.events>[0]) =>
        (await session.events(query)).map((event) => event.sequence)
      assert.deepEqual(await sequences(), upTo(100))
      assert.deepEqual(await sequences({ after: 249 }), [250, 251])
      assert.deepEqual(await sequences({ after: 3, before: 6 }), [4, 5])
      assert.deepEqual(await sequences({ order: 'desc', limit: 3 }), [251, 250, 249])
      assert.deepEqual(await sequences({ order: 'desc', before: 3 }), [2, 1])
      assert.deepEqual(await sequences({ types: ['x.mark'] }), [51, 101, 151, 201, 251])
      assert.deepEqual(await sequences({ types: ['session_started', 'x.mark'], order: 'desc', limit: 2 }), [251, 201])
      const paged: number[] = []
      for (let after = 0; ; after = paged.at(-1) ?? 0) {
        const page = await sequences({ after, limit: 60 })
        if (page.length === 0) break
        paged.push(...page)
      }
      assert.deepEqual(paged, upTo(251))
    },
  },
  {
    id: 'A6',
    title: 'returns the last turns, oldest first, without bookkeeping events',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      assert.deepEqual(await session.recent(), { events: [], dangling: [] })
      await session.append({ type: 'system_event', content: 'prompt' })
      for (const n of upTo(40)) await session.append([user(`u${n}`), model(`m${n}`)])
      const contents = async (options?: Parameters<typeof session.recent>[0]) =>
        (await session.recent(options)).events.map((event) => event.content)
      const whole = await contents()
      assert.deepEqual([whole.length, whole[0], whole.at(-1)], [60, 'u11', 'm40'])
      assert.deepEqual(await contents({ maxTurns: 2 }), ['u39', 'm39', 'u40', 'm40'])
      const all = await contents({ maxTurns: 100 })
      assert.deepEqual([all.length, all[0]], [81, 'prompt'])
      assert.equal('tokens' in (await session.recent()), false)
      await session.clear()
      assert.deepEqual(await contents(), [])
      await session.append(user('again'))
      assert.deepEqual(await contents(), ['again'])
      assert.equal((await session.events({ limit: 500 })).length, 84)
    },
  },
  {
    id: 'A6',
    title: 'returns exactly the requested number of turns of a long log',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const turn = (n: number) => [user(`u${n}`), ...upTo(4).map((i) => model(`m${n} ${i}`))]
      await session.append(upTo(100).flatMap(turn))
      for (const maxTurns of [1, 39, 40, 41, 80, 81, 100, 101]) {
        const { events } = await session.recent({ maxTurns })
        const expected = upTo(100).slice(-maxTurns).flatMap(turn)
        assert.deepEqual(
          events.map(({ content }) => content),
          expected.map(({ content }) => content),
        )
      }
    },
  },
  {
    id: 'A6',
    title: 'returns whole turns within the budget, then the end of the turn before, led by its user message',
    async check(db) {
      const tl = await db.connect({ tokenizer: characters })
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([user('aaaa'), model('bbbb'), user('cccc'), model('dddd'), model('eeee')])
      const recent = async (maxTokens: number) => {
        const { events, tokens, partial = false } = await session.recent({ maxTokens })
        return [events.map((event) => event.content[0]).join(''), tokens, partial]
      }
      assert.deepEqual(await recent(20), ['abcde', 20, false])
      assert.deepEqual(await recent(19), ['cde', 12, false])
      assert.deepEqual(await recent(12), ['cde', 12, false])
      assert.deepEqual(await recent(11), ['ce', 8, true])
      assert.deepEqual(await recent(4), ['e', 4, true])
      assert.deepEqual(await recent(0), ['', 0, false])
      await session.clear()
      await session.append([model('ffff'), model('gggg')])
      assert.deepEqual(await recent(7), ['g', 4, true])
    },
  },
  {
    id: 'A6',
    title: 'never separates a tool call from its result, and names calls without one',
    async check(db) {
      const tl = await db.connect({ tokenizer: characters })
      const session = await tl.sessions.create({ userId: 'ada' })
      const announce: EventInput = {
        type: 'model_message',
        content: '',
        parts: { toolCalls: ['2', '3'].map((id) => ({ id, name: '', arguments: '' })) },
      }
      await session.append([user('a'), call('1'), user('b'), result('1'), announce, result('3'), call('4'), model('z')])
      const all = await session.recent()
      assert.deepEqual(
        all.events.map((event) => event.content),
        ['a', 'c1', 'b', 'r1', '', 'r3', 'c4', 'z'],
      )
      assert.deepEqual(all.dangling, ['2', '4'])
      const last = await session.recent({ maxTurns: 1 })
      assert.deepEqual(
        last.events.map((event) => event.content),
        ['b', '', 'r3', 'c4', 'z'],
      )
      const tight = await session.recent({ maxTokens: 4 })
      assert.deepEqual(
        tight.events.map((event) => event.content),
        ['b', 'c4', 'z'],
      )
      assert.deepEqual([tight.dangling, tight.partial], [['4'], true])
    },
  },
  {
    id: 'A6',
    title: 'counts tokens exactly by default',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([user('hello world'), model('hello <|endoftext|> world')])
      assert.equal((await session.recent({ maxTokens: 100 })).tokens, 2 + 9)
    },
  },
  {
    id: 'A7',
    title: 'verifies sessions while they are written to, and finds nothing to repair',
    async check(db) {
      const tl = await db.connect()
      const sessions = await Promise.all(upTo(5).map(() => tl.sessions.create({ userId: 'ada' })))
      let writing = true
      const writers = sessions.map(async (session, n) => {
        for (let i = 0; writing || i < 20; i++) {
          await session.append([user('u'), call(`${i}`)])
          if (i % 7 === n) await session.clear()
          // a store in memory responds at once: without this, the writers would let nothing else run
          await nextTurn()
        }
      })
      let seen = 0
      for (const _ of upTo(5)) {
        const { differences } = await tl.verify(undefined, {
          onProgress({ events }) {
            seen = Math.max(seen, events)
          },
        })
        assert.deepEqual(differences, [])
        assert.deepEqual((await tl.rebuild()).repaired, [])
      }
      writing = false
      await Promise.all(writers)
      assert(seen > 0)
      const report = await tl.verify()
      const heads = await Promise.all(sessions.map(async (session) => (await session.record()).head))
      assert.deepEqual([report.sessions, report.events], [5, heads.reduce((sum, head) => sum + head, 0)])
      assert.equal((await tl.verify(sessions[0]?.id)).sessions, 1)
    },
  },
  {
    id: 'A7',
    title: 'reports its health, and rejects calls after close',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const health = await tl.health()
      assert.equal(health.ok, true)
      assert.notEqual(health.store, '')
      assert.equal((await tl.migrate()).schema, health.schema)
      await tl.close()
      await tl.close()
      await expectError('STORAGE', session.append(user('late')))
      await expectError('STORAGE', session.record())
    },
  },
]
