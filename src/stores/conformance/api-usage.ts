import assert from 'node:assert/strict'
import type { EventInput, Session, UsageQuery } from '../../api.ts'
import type { Message } from '../../domain/message.ts'
import { NO_USAGE, type Usage, type UsageSums } from '../../domain/usage.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, upTo } from './samples.ts'

const DAY_MS = 24 * 3600 * 1000
const TODAY = '2026-03-01'
const TOMORROW = '2026-03-02'
const hello = { type: 'user_message', content: 'hello' } as const

const call = (n: number, more: Partial<Usage> = {}): Usage => ({ model: 'm', inputTokens: n, outputTokens: 1, ...more })
const answer = (usage: Usage): EventInput => ({ type: 'model_message', content: 'answer', usage })

function sums(inputTokens: number, messages = 1, more: Partial<UsageSums> = {}): UsageSums {
  return { ...NO_USAGE, messages, inputTokens, outputTokens: messages, ...more }
}

async function rejectsField(field: string, work: Promise<unknown>): Promise<void> {
  assert.equal((await expectError('VALIDATION', work)).details.field, field)
}

/** A33 usage: on events and messages, in the record, in reports, and its prices. */
export const apiUsageRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A33',
    title: 'stores the usage of an event in its parts, and sums it in the record',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const full = call(9, { cacheReadTokens: 4, cacheWriteTokens: 3, costUsd: 0.1 })
      const parts = { id: 'c', name: 'read', arguments: {} }
      const [one, two, three] = await session.append([
        answer(full),
        { type: 'tool_call', parts, usage: call(2, { costUsd: 0.2 }) },
        { type: 'model_message', content: 'a', parts: { own: 1, usage: { ...call(1) } } },
      ])
      assert.deepEqual(one?.parts, { usage: full })
      assert.deepEqual(two?.parts, { ...parts, usage: call(2, { costUsd: 0.2 }) })
      assert.deepEqual(three?.parts, { own: 1, usage: call(1) })
      const cached = { cacheReadTokens: 4, cacheWriteTokens: 3, costUsd: 0.3 }
      const total = sums(12, 3, cached)
      assert.deepEqual((await session.record()).usage, { total, turn: total })
      await session.append([hello, answer(call(5))])
      assert.deepEqual((await session.record()).usage, { total: sums(17, 4, cached), turn: sums(5) })
      await session.answer('not asked').catch(() => {})
      await session.interrupt('wait')
      assert.deepEqual((await session.record()).usage?.turn, NO_USAGE)
      const [listed] = (await tl.sessions.list()).items
      assert.deepEqual(listed?.usage?.total, sums(17, 4, cached))
    },
  },
  {
    id: 'A33',
    title: 'refuses usage by the name of the field, and writes nothing',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const bad = { ...call(1), inputTokens: -1 }
      await rejectsField('usage.inputTokens', session.append(answer(bad)))
      await rejectsField('events[1].usage.inputTokens', session.append([hello, answer(bad)]))
      await rejectsField('usage.total', session.append(answer({ ...call(1), total: 1 } as never)))
      await rejectsField('usage', session.append(answer('much' as never)))
      await rejectsField('usage', session.append({ ...hello, usage: call(1) }))
      await rejectsField('parts', session.append({ ...answer(call(1)), parts: [1] }))
      await rejectsField('parts.usage', session.append({ ...answer(call(1)), parts: { usage: call(1) as never } }))
      const inParts = { type: 'model_message', content: 'a', parts: { usage: bad as never } } as const
      await rejectsField('parts.usage.inputTokens', session.append(inParts))
      const message: Message = { role: 'assistant', content: 'a' }
      await rejectsField('usage.inputTokens', session.addMessage({ ...message, usage: bad }))
      await rejectsField('messages[0].usage', session.addMessage([{ role: 'user', content: 'a', usage: call(1) }]))
      assert.equal((await session.record()).head, 1)
      // other types have no usage of ours
      await session.append({ ...hello, parts: { usage: 'any' } })
      assert.equal((await session.record()).usage, undefined)
    },
  },
  {
    id: 'A33',
    title: 'keeps usage on the way through messages, and gives it to no model',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const written: Message[] = [
        { role: 'user', content: 'question' },
        { role: 'assistant', content: 'answer', usage: call(3, { costUsd: 0.5 }), parts: { own: 1 } },
      ]
      await session.addMessage(written)
      const read = await session.messages()
      assert.deepEqual(read, written)
      assert.deepEqual(await session.messages({ limit: 1 }), written.slice(1))
      const copy = await tl.sessions.create({ userId: 'ada' })
      await copy.addMessage(read)
      assert.deepEqual((await copy.record()).usage, (await session.record()).usage)
      const formatted = await Promise.all([
        session.messages({ format: 'openai-chat' }),
        session.messages({ format: 'anthropic' }),
        session.messages({ format: 'ai-sdk' }),
        session.context({ maxTokens: 1000 }),
        session.context({ maxTokens: 1000, format: 'openai-responses' }),
      ])
      for (const sent of formatted) assert(!JSON.stringify(sent).includes('inputTokens'))
    },
  },
  {
    id: 'A33',
    title: 'reports usage by user, tenant, day and model, to each caller what is theirs',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const write = async (tenant: string, userId: string, ...events: EventInput[]) => {
        const session = await tl.as({ tenant }).sessions.create({ userId })
        await session.append(events)
      }
      await write('local', 'ada', answer(call(1)), answer(call(2, { model: 'n' })))
      await write('other', 'ada', answer(call(8)))
      clock.advance(DAY_MS)
      await write('local', 'ada', answer(call(4)))
      await write('local', 'bob', answer(call(16)))

      const user = [
        { userId: 'ada', ...sums(7, 3) },
        { userId: 'bob', ...sums(16) },
      ]
      const day = [
        { day: TODAY, ...sums(3, 2) },
        { day: TOMORROW, ...sums(20, 2) },
      ]
      assert.deepEqual(await tl.usage({ by: 'user' }), { items: user })
      assert.deepEqual(await tl.usage({ by: 'day' }), { items: day })
      assert.deepEqual(await tl.usage({ by: 'day', since: TOMORROW }), { items: day.slice(1) })
      assert.deepEqual(await tl.usage({ by: 'day', until: TOMORROW }), { items: day.slice(0, 1) })
      assert.deepEqual((await tl.usage({ by: 'model', userId: 'ada' })).items, [
        { model: 'm', ...sums(5, 2) },
        { model: 'n', ...sums(2) },
      ])
      const tenants = [
        { tenant: 'local', ...sums(23, 4) },
        { tenant: 'other', ...sums(8) },
      ]
      assert.deepEqual(await tl.usage({ by: 'tenant' }), { items: tenants })
      assert.deepEqual(await tl.usage({ by: 'tenant', tenant: 'other' }), { items: tenants.slice(1) })
      const other = tl.as({ tenant: 'other' })
      assert.deepEqual(await other.usage({ by: 'tenant' }), { items: tenants.slice(1) })
      assert.deepEqual(await other.usage({ by: 'user', tenant: 'local' }), { items: [] })
      const bob = tl.as({ tenant: 'local', userId: 'bob' })
      assert.deepEqual(await bob.usage({ by: 'tenant' }), { items: [{ tenant: 'local', ...sums(16) }] })
      assert.deepEqual(await bob.usage({ by: 'user' }), { items: user.slice(1) })
      assert.deepEqual(await bob.usage({ by: 'user', userId: 'ada' }), { items: [] })

      const first = await tl.usage({ by: 'user', limit: 1 })
      assert.deepEqual(first.items, user.slice(0, 1))
      const cursor = first.nextCursor ?? ''
      assert.deepEqual(await tl.usage({ by: 'user', limit: 1, cursor }), { items: user.slice(1) })
      const invalid: [string, UsageQuery][] = [
        ['cursor', { by: 'day', cursor }],
        ['cursor', { by: 'day', cursor: 'x' }],
        ['by', { by: 'week' as never }],
        ['since', { by: 'day', since: '2026-02-30' }],
        ['until', { by: 'day', until: '2026-03-01T12:00:00Z' }],
        ['limit', { by: 'day', limit: 501 }],
      ]
      for (const [field, query] of invalid) await rejectsField(field, tl.usage(query))
    },
  },
  {
    id: 'A33',
    title: 'adds the cost by the prices of the store, unless the caller says it',
    async check(db) {
      const prices = { m: { input: 2, output: 10, cacheRead: 0.2 } }
      const tl = await db.connect({ prices })
      const session = await tl.sessions.create({ userId: 'ada' })
      const tokens = { model: 'm-20260301', inputTokens: 1000, outputTokens: 100, cacheReadTokens: 500 }
      const event = answer(tokens)
      const [priced, given, unknown] = await session.append([
        event,
        answer({ ...tokens, costUsd: 0 }),
        answer({ ...tokens, model: 'other' }),
      ])
      assert.deepEqual(priced?.parts, { usage: { ...tokens, costUsd: 0.0021 } })
      assert.deepEqual(given?.parts, { usage: { ...tokens, costUsd: 0 } })
      assert.deepEqual(unknown?.parts, { usage: { ...tokens, model: 'other' } })
      assert.equal((await session.record()).usage?.total.costUsd, 0.0021)
      const [keyed] = await session.append(event, { idempotencyKey: 'k' })
      await session.addMessage({ role: 'assistant', content: 'a', usage: tokens })
      assert.equal((await session.record()).usage?.total.costUsd, 0.0063)
      // a retry after the prices changed is still the same append
      const cheaper = await db.connect({ prices: { m: { input: 1, output: 1 } } })
      const again = await (await cheaper.sessions.get(session.id)).append(event, { idempotencyKey: 'k' })
      assert.deepEqual(again, [keyed])
    },
  },
  {
    id: 'A33',
    title: 'keeps usage through snapshots, forks, verify, rebuild, import and purge',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([hello, answer(call(1)), hello, answer(call(2)), hello])
      assert.deepEqual((await session.at(3)).record.usage, { total: sums(1), turn: sums(1) })
      assert.equal((await session.at(2)).record.usage, undefined)
      assert.deepEqual((await session.at(5)).record.usage, { total: sums(3, 2), turn: sums(2) })
      const fork = await session.fork({ at: 5 })
      assert.equal((await fork.record()).usage, undefined)
      assert.deepEqual((await fork.at(5)).record.usage, { total: sums(3, 2), turn: sums(2) })
      await fork.append(answer(call(4)))
      assert.deepEqual((await fork.record()).usage?.total, sums(4))
      assert.deepEqual((await tl.usage({ by: 'user' })).items, [{ userId: 'ada', ...sums(7, 3) }])
      assert.deepEqual((await tl.verify()).differences, [])
      assert.deepEqual((await tl.rebuild()).repaired, [])

      const blocks = []
      for await (const block of tl.export()) blocks.push(block)
      const expected = await recordsOf([session, fork])
      for (const { id } of [session, fork]) await tl.sessions.purge(id)
      assert.deepEqual((await tl.usage({ by: 'user' })).items, [])
      await tl.import(blocks)
      assert.deepEqual(await recordsOf([session, fork]), expected)
      assert.deepEqual((await tl.usage({ by: 'user' })).items, [{ userId: 'ada', ...sums(7, 3) }])
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A33',
    title: 'is verified while it grows',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const writing = Promise.all(upTo(30).map((n) => session.append([hello, answer(call(n))])))
      const reports = await Promise.all(upTo(3).map(() => tl.verify(session.id)))
      await writing
      for (const { differences } of [...reports, await tl.verify(session.id)]) assert.deepEqual(differences, [])
      assert.deepEqual((await session.record()).usage?.total, sums((30 * 31) / 2, 30))
    },
  },
]

async function recordsOf(sessions: readonly Session[]) {
  return await Promise.all(sessions.map(async (session) => (await session.record()).usage))
}
