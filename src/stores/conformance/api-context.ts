import assert from 'node:assert/strict'
import type { Session } from '../../api.ts'
import { MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, upTo } from './samples.ts'

const tokenizer = { name: 'characters', count: (text: string) => text.length }

/** Turns of 20 characters: a request of 10 and a response of 10. */
async function addTurns(session: Session, turns: number, from = 1): Promise<void> {
  const pad = (text: string) => text.padEnd(10, '.')
  for (const n of upTo(turns)) {
    await session.append([
      { type: 'user_message', content: pad(`ask ${n + from - 1}`) },
      { type: 'model_message', content: pad(`told ${n + from - 1}`) },
    ])
  }
}

/** A21 model context. */
export const contextRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A21',
    title: 'joins task, earlier sessions, scratchpad and the last messages: what changes comes late',
    async check(db) {
      const tl = await db.connect({ tokenizer })
      const scope = { userId: 'ada', conversationId: 'c' }
      const first = await tl.sessions.create({ ...scope, task: 'The first task' })
      await first.end()
      await first.compact('The first is done')
      const session = await tl.sessions.create({ ...scope, task: 'The second task' })
      await session.updateState({ current_task: 'now' })
      await addTurns(session, 2)
      const { messages, tokens, omitted, dangling } = await session.context({ maxTokens: 10_000 })
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['system', 'system', 'user', 'assistant', 'user', 'assistant', 'system'],
      )
      assert(messages[0]?.content.includes('The second task'))
      assert(messages[1]?.content.includes('The first is done'))
      assert(messages[6]?.content.includes('"current_task":"now"'))
      assert.equal(
        tokens,
        messages.reduce((sum, { content }) => sum + content.length, 0),
      )
      assert.deepEqual([omitted, dangling], [[], []])
      for (const format of MESSAGE_FORMATS) {
        const shaped = await session.context({ maxTokens: 10_000, format })
        assert.equal(shaped.tokens, tokens)
        assert(JSON.stringify(shaped.messages).includes('told 2'))
      }
      assert.equal((await session.record()).head, 6)
      await session.append({ type: 'user_message', content: 'ask 3' })
      const asked = await session.context({ maxTokens: 10_000 })
      assert.deepEqual(
        asked.messages.slice(-2).map(({ role }) => role),
        ['system', 'user'],
      )
      const { messages: shaped, system } = (await session.context({ maxTokens: 10_000, format: 'anthropic' })).messages
      assert(!JSON.stringify(system).includes('current_task') && JSON.stringify(shaped).includes('current_task'))
      await expectError('VALIDATION', session.context({ maxTokens: -1 }))
      await expectError('VALIDATION', session.context({ maxTokens: 10, format: 'other' as never }))
    },
  },
  {
    id: 'A21',
    title: 'stays within any budget, reports omissions, and never separates a tool call from its result',
    async check(db) {
      const tl = await db.connect({ tokenizer })
      const session = await tl.sessions.create({ userId: 'ada', task: 'T' })
      await addTurns(session, 3)
      await session.append([
        { type: 'user_message', content: 'look' },
        { type: 'tool_call', parts: { id: '1', name: 'read', arguments: 'abc' } },
        { type: 'tool_result', content: 'r'.repeat(40), parts: { toolCallId: '1' } },
        { type: 'model_message', content: 'seen' },
      ])
      const whole = (await session.context({ maxTokens: 1000 })).tokens
      for (const maxTokens of [...upTo(140), 0, 1000]) {
        const { messages, tokens, omitted } = await session.context({ maxTokens })
        assert(tokens <= maxTokens, `${tokens} of ${maxTokens}`)
        const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
        const results = messages.flatMap(({ toolCallId }) => toolCallId ?? [])
        assert.deepEqual(calls, results)
        assert.equal(omitted.length === 0, maxTokens >= whole, `${maxTokens}: ${JSON.stringify(omitted)}`)
      }
    },
  },
  {
    id: 'A21',
    title: 'fills the budget inside a long turn: old results as one line, long texts cut, the request kept',
    async check(db) {
      const tl = await db.connect({ tokenizer })
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([
        { type: 'user_message', content: 'an old request' },
        { type: 'model_message', content: 'an old answer' },
        { type: 'user_message', content: 'the long request' },
      ])
      for (const n of upTo(60)) {
        await session.append([
          { type: 'tool_call', parts: { id: `${n}`, name: 'read', arguments: { path: `${n}.ts` } } },
          {
            type: 'tool_result',
            content: `${n}: ${'r'.repeat(200 * (n % 3 === 0 ? 5 : 1))}`,
            parts: { toolCallId: `${n}` },
          },
        ])
      }
      const context = await session.context({ maxTokens: 5000 })
      const { messages, tokens, omitted } = context
      assert(tokens > 4250 && tokens <= 5000, `${tokens}`)
      assert.deepEqual(await session.context({ maxTokens: 5000 }), context)
      const contents = messages.map(({ content }) => content)
      assert(contents.includes('the long request') && contents.includes('an old answer'))
      const ranges = (reason: string) => omitted.find((one) => one.reason === reason)?.sequences ?? []
      const [replaced] = ranges('result_replaced')
      const [original] = await session.events({ after: (replaced?.from ?? 0) - 1, limit: 1 })
      assert.match(original?.content ?? '', /^\d+: r+$/)
      assert(!contents.includes(original?.content ?? '') && ranges('shortened').length > 0)
      const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
      assert.deepEqual(
        messages.flatMap(({ toolCallId }) => toolCallId ?? []),
        calls,
      )
      assert.equal(calls.at(-1), '60')
      const small = await session.context({ maxTokens: 2000 })
      assert(small.tokens > 1700 && small.messages.some(({ content }) => content === 'the long request'))
      assert.deepEqual(
        small.omitted.map(({ reason }) => reason),
        ['result_replaced', 'shortened', 'middle_dropped'],
      )
      const whole = await session.context({ maxTokens: 50_000 })
      assert.deepEqual([whole.omitted, whole.messages.length], [[], 123])
    },
  },
  {
    id: 'A21',
    title: 'is made anew each time: a caller may change it, and sees what was appended, cleared or written elsewhere',
    async check(db) {
      const [tl, other] = [await db.connect({ tokenizer }), await db.connect({ tokenizer })]
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.addMessage({ role: 'user', content: 'look', parts: { image: { url: 'a.png' } } })
      const first = await session.context({ maxTokens: 1000 })
      const parts = first.messages[0]?.parts as { image: { url: string } }
      parts.image.url = 'changed'
      const second = await session.context({ maxTokens: 1000 })
      assert.deepEqual(second.messages[0]?.parts, { image: { url: 'a.png' } })
      await (await other.sessions.get(session.id)).append({ type: 'model_message', content: 'seen elsewhere' })
      const contents = async () => (await session.context({ maxTokens: 1000 })).messages.map(({ content }) => content)
      assert.deepEqual(await contents(), ['look', 'seen elsewhere'])
      await session.clear()
      assert.deepEqual(await contents(), [])
      await session.append({ type: 'user_message', content: 'again' })
      assert.deepEqual(await contents(), ['again'])
      await tl.sessions.purge(session.id)
      await expectError('SESSION_NOT_FOUND', session.context({ maxTokens: 1000 }))
    },
  },
  {
    id: 'A21',
    title: 'reduces to the budget: a window if it fits, otherwise a summary with its range and hash',
    async check(db) {
      const tl = await db.connect({ tokenizer })
      const session = await tl.sessions.create({ userId: 'ada', task: 'Count' })
      await addTurns(session, 15)
      const { head } = await session.record()
      const window = await session.reduce({ maxTokens: 1000 })
      assert.deepEqual([window.strategy, window.messages.length, window.summary], ['window', 30, undefined])
      const cut = await session.reduce({ maxTokens: 45, strategy: 'truncate' })
      assert.deepEqual([cut.strategy, cut.messages.length, cut.tokens], ['truncate', 4, 40])
      assert.equal((await session.record()).head, head)

      const reduced = await session.reduce({ maxTokens: 320 })
      assert.deepEqual([reduced.strategy, reduced.range], ['summarize', { from: 1, to: 11 }])
      assert.match(reduced.hash ?? '', /^[0-9a-f]{64}$/)
      assert.equal((await session.events({ types: ['context_summarized'] })).length, 1)
      const { messages } = await session.context({ maxTokens: 10_000 })
      assert.equal(messages.filter(({ role }) => role === 'user').length, 10)
      assert(messages.some(({ role, content }) => role === 'system' && content.includes(reduced.summary ?? '?')))
      await session.reduce({ maxTokens: 320, strategy: 'summarize' })
      assert.equal((await session.events({ types: ['context_summarized'] })).length, 1)
      assert.equal((await session.messages()).length, 30)

      await addTurns(session, 5, 16)
      assert.deepEqual((await session.reduce({ maxTokens: 50 })).range, { from: 1, to: 21 })
      await session.clear()
      await addTurns(session, 1)
      const fresh = await session.context({ maxTokens: 10_000 })
      assert.equal(fresh.messages.length, 3)
      await expectError('VALIDATION', session.reduce({ maxTokens: 0 }))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A21',
    title: 'spends the budget on messages only, and hides events that are cleared during summarizing',
    async check(db) {
      const answer = Promise.withResolvers<string>()
      const tl = await db.connect({ tokenizer, summarize: () => answer.promise })
      const session = await tl.sessions.create({ userId: 'ada' })
      await addTurns(session, 12)
      for (const _ of upTo(5)) {
        await session.append(upTo(50).map(() => ({ type: 'x.tick', content: 'a long custom event '.repeat(5) })))
      }
      const { tokens } = await session.context({ maxTokens: 200 })
      assert(tokens >= 170, `${tokens}`)
      const reducing = session.reduce({ maxTokens: 100, strategy: 'summarize' })
      await session.clear()
      answer.resolve('What is hidden')
      await reducing
      const after = await session.context({ maxTokens: 1000 })
      assert.deepEqual(after.messages, [])
    },
  },
]
