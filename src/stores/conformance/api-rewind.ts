import assert from 'node:assert/strict'
import type { ExportedEvent, Session, Throughline } from '../../api.ts'
import { MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import type { Message } from '../../domain/message.ts'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'
import { exportBlocks } from './api-transfer.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, upTo } from './samples.ts'

const characters = { name: 'characters', count: (text: string) => text.length }

const asked = (content: string): Message => ({ role: 'user', content })
const answered = (content: string): Message => ({ role: 'assistant', content })

/** Appends a turn and returns the sequence of its answer. */
async function addTurn(session: Session, n: number | string): Promise<number> {
  const [, last] = await session.addMessage([asked(`ask ${n}`), answered(`told ${n}`)])
  return last?.sequence ?? 0
}

const texts = (messages: readonly { content: string }[]) => messages.map(({ content }) => content)

const said = async (session: Session) => texts(await session.messages())

async function assertSound(tl: Throughline): Promise<void> {
  assert.deepEqual((await tl.verify()).differences, [])
}

/** A36 rewinds, branches and replaced messages. */
export const rewindApiRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A36',
    title: 'restores messages, windows, scratchpad, status, agent and clear; the log keeps everything',
    async check(db) {
      const clock = fixedClock()
      const [tl, other] = [await db.connect({ clock }), await db.connect({ clock })]
      const session = await tl.sessions.create({ userId: 'ada', task: 'Count' })
      await addTurn(session, 1)
      await session.updateState({ plan: 'a', blockers: ['rain'] })
      const to = await addTurn(session, 2)
      const before = await session.at(to)
      clock.advance(1000)
      await session.updateState({ plan: 'b', blockers: null, more: 1 })
      await session.recordTransition({ to: 'motivator', reason: 'tired' })
      await session.clear()
      await addTurn(session, 3)
      await session.ask('Which one?')
      const log = await session.events({ limit: 500 })

      const record = await session.rewind({ to, reason: 'wrong way' })
      const seen = await other.sessions.get(session.id)
      assert.deepEqual(await seen.record(), record)
      assert.equal(record.head, log.length + 1)
      assert.deepEqual([record.status, record.activeAgent], [before.record.status, before.record.activeAgent])
      const state = await seen.state()
      assert.deepEqual(state.scratchpad, before.state.scratchpad)
      assert.equal(state.version, 3)
      assert.equal(state.updatedAt, record.lastActivityAt)
      assert.equal(record.turns, 3)
      assert.deepEqual(await said(seen), ['ask 1', 'told 1', 'ask 2', 'told 2'])
      assert.deepEqual(texts(await seen.messages({ limit: 2 })), ['ask 2', 'told 2'])
      assert.deepEqual(texts((await seen.recent()).events), ['ask 1', 'told 1', 'ask 2', 'told 2'])
      assert.deepEqual(texts((await seen.recent({ maxTurns: 1 })).events), ['ask 2', 'told 2'])
      assert.deepEqual(await seen.transitions(), [])

      const after = await seen.events({ limit: 500 })
      assert.deepEqual(after.slice(0, -1), log)
      const rewound = after.at(-1)
      assert.deepEqual([rewound?.type, rewound?.role, rewound?.content], ['rewound', 'system', 'wrong way'])
      assert.equal((rewound?.parts as { to?: number } | undefined)?.to, to)
      assert.deepEqual((await seen.at(log.length)).record.status.state, 'awaiting_user')

      await addTurn(seen, 4)
      assert.deepEqual((await said(session)).slice(2), ['ask 2', 'told 2', 'ask 4', 'told 4'])
      assert.deepEqual((await session.updateState({ plan: 'c' })).version, 4)
      await assertSound(tl)
      assert.equal((await tl.rebuild(session.id)).sessions, 1)
      assert.deepEqual((await said(session)).slice(2), ['ask 2', 'told 2', 'ask 4', 'told 4'])
      await assertSound(tl)
    },
  },
  {
    id: 'A36',
    title: 'shows the line in every format and in the context, also after it was built before',
    async check(db) {
      const tl = await db.connect({ tokenizer: characters })
      const session = await tl.sessions.create({ userId: 'ada' })
      const to = await addTurn(session, 1)
      await addTurn(session, 'lost')
      const context = async () => texts((await session.context({ maxTokens: 10_000 })).messages)
      assert.deepEqual(await context(), ['ask 1', 'told 1', 'ask lost', 'told lost'])
      await session.rewind({ to })
      assert.deepEqual(await context(), ['ask 1', 'told 1'])
      await addTurn(session, 2)
      const line = ['ask 1', 'told 1', 'ask 2', 'told 2']
      assert.deepEqual(await context(), line)
      for (const format of MESSAGE_FORMATS) {
        const shaped = JSON.stringify([
          await session.messages({ format }),
          await session.messages({ format, limit: 50 }),
          (await session.context({ maxTokens: 10_000, format })).messages,
        ])
        assert(!shaped.includes('lost'), format)
        for (const text of line) assert.equal(shaped.split(`"${text}"`).length, 4, format)
      }
      // back to what was left
      await session.rewind({ to: 5 })
      assert.deepEqual(await context(), ['ask 1', 'told 1', 'ask lost', 'told lost'])
      const tight = await session.context({ maxTokens: 20 })
      assert(!texts(tight.messages).includes('told 2'))
    },
  },
  {
    id: 'A36',
    title: 'reads a line of several pages in both directions',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const add = async (name: string, count: number) =>
        (await session.addMessage(upTo(count).map((n) => asked(`${name} ${n}`)))).at(-1)?.sequence ?? 0
      const to = await add('kept', 450)
      await add('lost', 700)
      await session.rewind({ to })
      const next = await add('next', 200)
      await add('lost', 100)
      await session.rewind({ to: next })
      await add('last', 300)
      const named = (name: string, count: number) => upTo(count).map((n) => `${name} ${n}`)
      const line = [...named('kept', 450), ...named('next', 200), ...named('last', 300)]
      assert.deepEqual(await said(session), line)
      assert.deepEqual(texts(await session.messages({ limit: 500 })), line.slice(-500))
      assert.deepEqual(texts((await session.recent({ maxTurns: 600 })).events), line.slice(-600))
      assert.equal((await session.events({ after: 450, limit: 3 })).length, 3)
    },
  },
  {
    id: 'A36',
    title: 'lists abandoned branches, reaches them with at and fork, and returns to them',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada' })
      assert.deepEqual(await session.branches(), [])
      const first = await addTurn(session, 1)
      await session.updateState({ on: 'a' })
      const a = await addTurn(session, 'a')
      clock.advance(1000)
      await session.rewind({ to: first, reason: 'not a' })
      await session.updateState({ on: 'b' })
      const b = await addTurn(session, 'b')
      const times = (await session.events({ types: ['rewound'] })).map(({ createdAt }) => createdAt)
      assert.deepEqual(await session.branches(), [{ from: first, to: a, at: times[0], reason: 'not a' }])

      assert.deepEqual((await session.at(a)).state.scratchpad, { on: 'a' })
      const fork = await session.fork({ at: a })
      assert.deepEqual(await said(fork), ['ask 1', 'told 1', 'ask a', 'told a'])
      assert.deepEqual(await fork.branches(), [])
      const later = await session.fork()
      assert.deepEqual(await said(later), ['ask 1', 'told 1', 'ask b', 'told b'])
      assert.equal((await later.branches()).length, 1)

      clock.advance(1000)
      await session.rewind({ to: a })
      assert.deepEqual(await said(session), ['ask 1', 'told 1', 'ask a', 'told a'])
      assert.deepEqual((await session.state()).scratchpad, { on: 'a' })
      const [{ at } = { at: '' }, ...none] = await session.branches()
      assert.deepEqual(none, [])
      assert.deepEqual(await session.branches(), [{ from: first, to: b, at }])

      await addTurn(session, 'c')
      const c = (await session.record()).head
      await session.rewind({ to: a - 1 })
      await session.rewind({ to: first })
      const ends = async (query?: Parameters<Session['branches']>[0]) =>
        (await session.branches(query)).map(({ from, to }) => [from, to])
      // the branch of b began where the line is now, that of c too
      assert.deepEqual(await ends(), [
        [first, c],
        [first, b],
      ])
      assert.deepEqual(await ends({ limit: 1 }), [[first, c]])
      assert.deepEqual(await ends({ limit: 1, before: c }), [[first, b]])
      assert.deepEqual(await ends({ before: b }), [])
      await expectError('VALIDATION', session.branches({ limit: 0 }))
      await expectError('VALIDATION', session.branches({ limit: 501 }))
      await assertSound(tl)
    },
  },
  {
    id: 'A36',
    title: 'replaces a message in one step: to edit a request, and to regenerate an answer',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada' })
      const usage = { model: 'm', inputTokens: 10, outputTokens: 5, costUsd: 0.25 }
      await session.addMessage([asked('hi'), { ...answered('hello'), usage }])
      const edited = await session.replaceMessage(2, { ...asked('hi there'), agentId: 'ada' })
      assert.deepEqual(
        [edited.sequence, edited.type, edited.role, edited.content, edited.agentId],
        [5, 'user_message', 'user', 'hi there', 'ada'],
      )
      assert.deepEqual((await session.events()).at(-1), edited)
      assert.deepEqual(await said(session), ['hi there'])
      await session.addMessage({ ...answered('hello there'), usage })
      const regenerated = await session.replaceMessage(6, { ...answered('good morning'), usage })
      assert.deepEqual(regenerated.parts, { usage })
      assert.deepEqual(await session.messages(), [
        { ...asked('hi there'), agentId: 'ada' },
        { ...answered('good morning'), usage },
      ])
      const { total, turn } = (await session.record()).usage ?? {}
      assert.deepEqual([total?.messages, total?.costUsd, turn?.messages, turn?.costUsd], [3, 0.75, 2, 0.5])
      const day = await tl.usage({ by: 'model', userId: 'ada', tenant: 'local' })
      assert.deepEqual(
        day.items.map(({ model, messages, costUsd }) => [model, messages, costUsd]),
        [['m', 3, 0.75]],
      )
      // a message on a branch that was left
      const again = await session.replaceMessage(3, answered('howdy'))
      assert.deepEqual(await said(session), ['hi', 'howdy'])
      assert.equal((await session.record()).head, again.sequence)
      assert.equal((await session.record()).turns, 2)
      await assertSound(tl)
    },
  },
  {
    id: 'A36',
    title: 'refuses what it cannot rewind to, and writes nothing then',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await addTurn(session, 1)
      const fieldOf = async (promise: Promise<unknown>) => (await expectError('VALIDATION', promise)).field
      for (const to of [0, -1, 1.5, 4, Number.NaN, '1' as never]) {
        assert.equal(await fieldOf(session.rewind({ to })), 'to')
      }
      assert.equal(await fieldOf(session.rewind({ to: 1, reason: ' ' })), 'reason')
      assert.equal(await fieldOf(session.rewind({ to: 1, other: 1 } as never)), 'other')
      for (const sequence of [0, 1, 4, 1.5]) {
        assert.equal(await fieldOf(session.replaceMessage(sequence, asked('x'))), 'sequence')
      }
      assert.equal(await fieldOf(session.replaceMessage(2, asked(''))), 'message.content')
      await session.updateState({ a: 1 })
      assert.equal(await fieldOf(session.replaceMessage(4, asked('x'))), 'sequence')
      // nothing came after the last event
      const record = await session.record()
      assert.deepEqual(await session.rewind({ to: record.head }), record)
      assert.equal(record.head, 4)

      await expectError('SESSION_NOT_FOUND', tl.as({ tenant: 'local', userId: 'bob' }).sessions.get(session.id))
      await session.end()
      await expectError('SESSION_ENDED', session.rewind({ to: 1 }))
      await expectError('SESSION_ENDED', session.replaceMessage(2, asked('x')))
      assert.equal((await session.record()).head, 5)
      await tl.sessions.purge(session.id)
      await expectError('SESSION_NOT_FOUND', session.rewind({ to: 1 }))
      await expectError('SESSION_NOT_FOUND', session.replaceMessage(2, asked('x')))
      await expectError('SESSION_NOT_FOUND', session.branches())
    },
  },
  {
    id: 'A36',
    title: 'rewinds once per key, and refuses the key for another target',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await addTurn(session, 1)
      const first = await session.rewind({ to: 2 }, { idempotencyKey: 'k' })
      const message = await session.replaceMessage(2, asked('other'), { idempotencyKey: 'm' })
      await addTurn(session, 2)
      assert.deepEqual(await session.rewind({ to: 2 }, { idempotencyKey: 'k' }), first)
      assert.deepEqual(await session.replaceMessage(2, asked('other'), { idempotencyKey: 'm' }), message)
      await expectError('IDEMPOTENCY_MISMATCH', session.rewind({ to: 1 }, { idempotencyKey: 'k' }))
      await expectError('IDEMPOTENCY_MISMATCH', session.replaceMessage(2, asked('x'), { idempotencyKey: 'm' }))
      assert.deepEqual(await said(session), ['other', 'ask 2', 'told 2'])
      assert.equal((await session.events({ types: ['rewound'] })).length, 2)
    },
  },
  {
    id: 'A36',
    title: 'goes back behind the start of a fork, without the end of its source',
    async check(db) {
      const tl = await db.connect()
      const source = await tl.sessions.create({ userId: 'ada' })
      await addTurn(source, 1)
      await source.propose('done')
      await source.confirm()
      const { head } = await source.record()
      const fork = await source.fork()
      await addTurn(fork, 2)
      await fork.rewind({ to: 3 })
      assert.deepEqual(await said(fork), ['ask 1', 'told 1'])
      await fork.rewind({ to: head })
      assert.deepEqual((await fork.record()).status, { state: 'running' })
      await addTurn(fork, 3)
      await assertSound(tl)
    },
  },
  {
    id: 'A36',
    title: 'leaves waiting observations on the branch that is left',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', task: 'Bake' })
      const to = await addTurn(session, 1)
      session.observe.fileWrite({ path: 'lost.txt' })
      await session.rewind({ to: to - 1 })
      assert.deepEqual(
        (await session.events({ after: to })).map(({ type }) => type),
        ['work_committed', 'rewound'],
      )
      session.observe.fileWrite({ path: 'kept.txt' })
      await session.flushStep()
      const progress = await session.progress()
      assert(progress.includes('kept.txt') && !progress.includes('lost.txt'), progress)
      const { edges } = await session.graph({ depth: 2, limit: 100 })
      assert(JSON.stringify(edges).includes('lost.txt'))
      session.observe.fileWrite({ path: 'unread.txt' })
      await session.replaceMessage(2, asked('again'))
      await session.abort('enough')
      const commit = await session.compact()
      assert.deepEqual(commit.filesWritten, [])
      assert(!commit.summary.includes('kept.txt'), commit.summary)
      assert.equal(commit.range?.to, (await session.record()).head - 1)
      await assertSound(tl)
    },
  },
  {
    id: 'A36',
    title: 'uses no summary of events that were left',
    async check(db) {
      const answer = Promise.withResolvers<string>()
      let isWaiting = false
      const summarize = () => (isWaiting ? answer.promise : 'what was said so far')
      const tl = await db.connect({ tokenizer: characters, summarize })
      const session = await tl.sessions.create({ userId: 'ada' })
      for (const n of upTo(15)) await addTurn(session, n)
      await session.reduce({ maxTokens: 200, strategy: 'summarize' })
      const whole = async () => texts((await session.context({ maxTokens: 10_000 })).messages).join('\n')
      assert((await whole()).includes('what was said'))
      await session.rewind({ to: 31 })
      assert(!(await whole()).includes('what was said'))
      assert((await whole()).includes('ask 1\n'))
      await session.rewind({ to: 32 })
      assert((await whole()).includes('what was said'))
      assert(!(await whole()).includes('ask 1\n'))

      // a rewind while the summary is made
      await session.rewind({ to: 31 })
      isWaiting = true
      const reducing = session.reduce({ maxTokens: 200, strategy: 'summarize' })
      await session.rewind({ to: 5 })
      answer.resolve('of another line')
      await reducing
      assert.equal((await session.events({ types: ['context_summarized'] })).length, 1)
      assert.deepEqual(await whole(), 'ask 1\ntold 1\nask 2\ntold 2')
    },
  },
  {
    id: 'A36',
    title: 'recalls nothing that was left unless asked, and still fills the limit',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.addMessage(asked('The violin is in the attic'))
      await session.addMessage(upTo(30).map((n) => asked(`The violin is not in room ${n}`)))
      const other = await tl.sessions.create({ userId: 'ada', conversationId: uuid7() })
      await other.addMessage(upTo(5).map((n) => asked(`The violin of neighbour ${n}`)))
      const found = async (rest: object = {}) =>
        texts((await tl.recall({ userId: 'ada', query: 'Where is the violin?', limit: 6, ...rest })).items)
      assert.equal((await found()).length, 6)
      await session.rewind({ to: 2 })
      const items = await found()
      assert.equal(items.length, 6)
      assert(!items.some((text) => text.includes('room')), `${items}`)
      assert.equal((await found({ limit: 100 })).length, 6)
      assert.equal((await found({ limit: 100, abandoned: true })).length, 36)
      const recalled = await other.context({ maxTokens: 10_000, recall: { query: 'violin', limit: 50 } })
      assert(!JSON.stringify(recalled.recalled).includes('room'))
      await session.rewind({ to: 32 })
      assert.equal((await found({ limit: 100 })).length, 36)
      await expectError('VALIDATION', tl.recall({ userId: 'ada', query: 'violin', abandoned: 1 as never }))
    },
  },
  {
    id: 'A36',
    title: 'extracts no memories from events that were left',
    async check(db) {
      const read: string[] = []
      const tl = await db.connect({
        extract({ events }) {
          read.push(...texts(events))
          return []
        },
      })
      const session = await tl.sessions.create({ userId: 'ada' })
      const to = await addTurn(session, 1)
      await addTurn(session, 'lost')
      await session.rewind({ to, reason: 'rewound' })
      await addTurn(session, 2)
      await tl.memories.extract(session.id)
      const messages = read.filter((text) => text.startsWith('ask') || text.startsWith('told'))
      assert.deepEqual(messages, ['ask 1', 'told 1', 'ask 2', 'told 2'])
      assert.equal((await tl.memories.extract(session.id)).from, (await session.record()).head + 1)
    },
  },
  {
    id: 'A36',
    title: 'keeps the log and the views in step while others write',
    async check(db) {
      const stores = [await db.connect(), await db.connect()]
      const [tl] = stores as [Throughline, Throughline]
      const { id } = await tl.sessions.create({ userId: 'ada' })
      const sessions = await Promise.all(stores.map((each) => each.sessions.get(id)))
      await addTurn(sessions[0] as Session, 0)
      const work = sessions.flatMap((session, i) => [
        (async () => {
          for (const n of upTo(8)) await addTurn(session, n)
        })(),
        (async () => {
          for (const n of upTo(4)) await session.rewind({ to: n, reason: `${i}` })
        })(),
        (async () => {
          for (const n of upTo(4)) await session.updateState({ [`k${i}`]: n })
          await session.clear()
        })(),
        (async () => {
          for (const n of upTo(3)) await session.replaceMessage(2, asked(`edit ${n}`))
        })(),
      ])
      await Promise.all(work)
      await assertSound(tl)
      const log = await tl.sessions.get(id).then((session) => session.events({ limit: 500 }))
      assert.deepEqual(
        log.map(({ sequence }) => sequence),
        upTo(1 + 2 + 2 * (16 + 4 + 5 + 6)),
      )
    },
  },
  {
    id: 'A36',
    title: 'survives an export and an import, which refuses a rewind that cannot be',
    async check(db) {
      const [tl, there] = [await db.connect(), await open('memory:')]
      try {
        const session = await there.sessions.create({ userId: 'ada' })
        await session.updateState({ a: 1 })
        const to = await addTurn(session, 1)
        await session.ask('Really?')
        const asking = (await session.record()).head
        await session.rewind({ to: 2, reason: 'first' })
        await session.rewind({ to: asking, reason: 'second' })
        await session.rewind({ to })
        await addTurn(session, 2)
        await tl.import(there.export())
        const copy = await tl.sessions.get(session.id)
        assert.deepEqual(await copy.messages(), await session.messages())
        assert.deepEqual(await copy.branches(), await session.branches())
        assert.deepEqual(await copy.state(), await session.state())
        assert.deepEqual(await copy.record(), await session.record())
        await assertSound(tl)

        const blocks = await exportBlocks(there)
        const imported = async (change: (parts: RewoundInJson) => void) => {
          const sessionId = uuid7()
          const changed = structuredClone(blocks).map(({ events, done }) => ({ sessionId, events, done }))
          const events: ExportedEvent[] = changed.flatMap((block) => block.events)
          for (const event of events) delete (event as { checksum?: string }).checksum
          const rewound = events.find(({ content }) => content === 'second')
          change(rewound?.parts as unknown as RewoundInJson)
          Object.assign(events[0]?.parts as object, { conversationId: sessionId })
          return (await tl.import(changed)).refused.map(({ code }) => code)
        }
        assert.deepEqual(await imported(() => {}), [])
        const [{ sequence = 0 } = {}] = await session.events({ types: ['rewound'], after: asking + 1 })
        const changes: ((parts: RewoundInJson) => void)[] = [
          (parts) => Object.assign(parts, { to: sequence }),
          (parts) => Object.assign(parts, { to: sequence - 1 }),
          (parts) => Object.assign(parts, { to: 0 }),
          (parts) => Object.assign(parts, { more: 1 }),
          ({ restored }) => Object.assign(restored, { clearedAt: sequence }),
          ({ restored }) => Object.assign(restored, { status: { state: 'complete' } }),
          ({ restored }) => Object.assign(restored, { hidden: [] }),
          ({ restored }) => Object.assign(restored, { hidden: [[1, 1]] }),
          ({ restored }) => Object.assign(restored, { hidden: [[3, 2]] }),
          ({ restored }) => Object.assign(restored, { hidden: [[2, 2], [3, 3]] }), // biome-ignore format: ranges
          ({ restored }) => Object.assign(restored, { hidden: [[2, 99]] }),
          ({ restored }) => Object.assign(restored, { scratchpad: [] }),
          ({ restored }) => Object.assign(restored, { requests: [{ id: 'r' }] }),
          ({ restored }) => Object.assign(restored, { wakes: ['w'] }),
          ({ restored }) => Object.assign(restored, { other: 1 }),
          ({ restored }) => delete restored['activeAgent'],
        ]
        for (const change of changes) assert.deepEqual(await imported(change), ['VALIDATION'], `${change}`)
      } finally {
        await there.close()
      }
    },
  },
]

type RewoundInJson = { to: number; restored: Record<string, unknown> }
