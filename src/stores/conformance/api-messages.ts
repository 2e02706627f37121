import assert from 'node:assert/strict'
import type { EventInput } from '../../api.ts'
import { FORMATS, MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import type { Message } from '../../domain/message.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { messageSessionCases } from './message-session.ts'
import { expectError, upTo } from './samples.ts'

const said = (content: string, agentId?: string): Message => ({
  role: 'user',
  content,
  ...(agentId !== undefined && { agentId }),
})

/** A12 messages. */
export const messageRules: readonly Rule<ApiDatabase>[] = [
  ...messageSessionCases.map(({ title, check }) => ({
    id: 'A12',
    title,
    async check(db: ApiDatabase) {
      const tl = await db.connect()
      await check(() => tl.sessions.create({ userId: 'ada' }))
    },
  })),
  {
    id: 'A12',
    title: 'stores messages as events of their types, several in one append, once per key',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const messages: Message[] = [
        { role: 'system', content: 'be brief' },
        said('hi'),
        { role: 'assistant', content: 'yes' },
        { role: 'tool', content: 'x' },
      ]
      const first = await session.addMessage(messages, { idempotencyKey: 'k' })
      assert.deepEqual(
        first.map(({ type }) => type),
        ['system_event', 'user_message', 'model_message', 'tool_result'],
      )
      assert.deepEqual(await session.addMessage(messages, { idempotencyKey: 'k' }), first)
      await expectError('IDEMPOTENCY_MISMATCH', session.addMessage(said('other'), { idempotencyKey: 'k' }))
      await expectError('SEQUENCE_CONFLICT', session.addMessage(said('a'), { expectedSequence: 1 }))
      const error = await expectError('VALIDATION', session.addMessage([said('a'), said('')]))
      assert.equal((error as Error & { field?: string }).field, 'messages[1].content')
      const hidden = await expectError(
        'VALIDATION',
        session.addMessage([{ ...said('a'), parts: { deep: { bad: '\0' } } }]),
      )
      assert.equal((hidden as Error & { field?: string }).field, 'messages[0].parts.deep.bad')
      await expectError('VALIDATION', session.addMessage([]))
      await expectError('VALIDATION', session.addMessage({ ...said('a'), parts: { toolCalls: [] } }))
      assert.deepEqual(await session.messages(), messages)
      assert.equal((await session.record()).head, 5)
    },
  },
  {
    id: 'A12',
    title: 'joins a response and its tool calls into one message, and omits events that are no messages',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const call = (id: string, args: unknown): EventInput => ({
        type: 'tool_call',
        parts: { id, name: 'read', arguments: args as never },
      })
      const result = (toolCallId: string): EventInput => ({ type: 'tool_result', content: 'ok', parts: { toolCallId } })
      await session.append([
        { type: 'user_message', content: 'look' },
        { type: 'model_message', content: 'I look' },
        call('a', { path: 'x' }),
        call('b', '{"path": "y"}'),
        result('b'),
        { type: 'x.note', content: 'no message' },
        result('a'),
        { type: 'validation_gate', content: 'no message' },
        call('c', {}),
      ])
      const tool = (toolCallId: string) => ({ role: 'tool', content: 'ok', toolCallId })
      assert.deepEqual(await session.messages(), [
        said('look'),
        {
          role: 'assistant',
          content: 'I look',
          toolCalls: [
            { id: 'a', name: 'read', arguments: '{"path":"x"}' },
            { id: 'b', name: 'read', arguments: '{"path": "y"}' },
          ],
        },
        tool('b'),
        tool('a'),
        { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'read', arguments: '{}' }] },
      ])
    },
  },
  {
    id: 'A12',
    title: 'returns the messages visible to an agent, without results whose call is missing',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const calls = (id: string, agentId: string): Message => ({
        role: 'assistant',
        content: '',
        agentId,
        toolCalls: [{ id, name: 'read', arguments: '{}' }],
      })
      const result = (toolCallId: string): Message => ({ role: 'tool', content: toolCallId, toolCallId })
      const all = [
        { role: 'system', content: 'be brief' } as const,
        said('hi', 'ada'),
        calls('1', 'coach'),
        calls('2', 'motivator'),
        result('2'),
        result('1'),
        { role: 'assistant', content: 'from nobody' } as const,
        said('bye'),
      ]
      await session.addMessage(all)
      const [system, hi, coach, motivator, two, one, nobody, bye] = all
      assert.deepEqual(await session.messages({ agent: 'coach' }), [system, hi, coach, one, nobody, bye])
      assert.deepEqual(await session.messages({ agent: 'motivator' }), [system, hi, motivator, two, nobody, bye])
      assert.deepEqual(await session.messages({ agent: 'coach', limit: 3 }), [coach, one, nobody, bye])
      assert.deepEqual(await session.messages({ limit: 4 }), all.slice(2))
      assert.deepEqual(await session.messages({ limit: 3 }), [coach, motivator, two, one, nobody, bye])
      assert.deepEqual(await session.messages({ limit: 2 }), [nobody, bye])
      const odd = { type: 'user_message', content: 'odd', parts: { toolCallId: '1', toolCalls: [] } } as const
      await session.append(odd)
      assert.deepEqual(await session.messages({ limit: 1 }), [{ ...said('odd'), parts: odd.parts }])
      await session.addMessage([calls('1', 'motivator'), result('1'), calls('1', 'coach'), result('1')])
      assert.deepEqual((await session.messages({ agent: 'coach' })).slice(-2), [calls('1', 'coach'), result('1')])
      await expectError('VALIDATION', session.messages({ limit: 0 }))
      await expectError('VALIDATION', session.messages({ agent: '' }))
    },
  },
  {
    id: 'A12',
    title: 'reads a conversation of many pages, and its last messages, back to the last clear',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const texts = (from: number, to: number) => upTo(to).slice(from).map(String)
      await session.addMessage(texts(0, 40).map((text) => said(text)))
      await session.clear()
      await session.addMessage(texts(40, 1040).map((text) => said(text)))
      await session.addMessage(texts(1040, 1600).map((text) => said(text)))
      const read = async (limit?: number) =>
        (await session.messages(limit === undefined ? {} : { limit })).map(({ content }) => content)
      assert.deepEqual(await read(), texts(40, 1600))
      assert.deepEqual(await read(500), texts(1100, 1600))
      assert.equal((await session.events({ limit: 10 })).length, 10)
    },
  },
  {
    id: 'A12',
    title: 'converts messages to the format of each provider and back without loss',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const calls = ['a', 'b'].map((id) => ({ id, name: 'read', arguments: `{"path":"${id}"}` }))
      const messages: Message[] = [
        { role: 'system', content: 'be brief' },
        said('look'),
        { role: 'assistant', content: '', toolCalls: calls },
        { role: 'tool', content: '', toolCallId: 'a' },
        { role: 'tool', content: 'text', toolCallId: 'b' },
        { role: 'assistant', content: 'done' },
      ]
      await session.addMessage(messages)
      for (const format of MESSAGE_FORMATS) {
        const out = await session.messages({ format })
        const copy = await tl.sessions.create({ userId: 'ada' })
        await copy.addMessage(FORMATS[format].from(out))
        assert.deepEqual(await copy.messages({ format }), out)
        const plain = (await copy.messages()).map(({ role, content }) => [role, content])
        assert.deepEqual(
          plain,
          messages.map(({ role, content }) => [role, content]),
        )
      }
      await expectError('VALIDATION', session.messages({ format: 'other' as never }))
    },
  },
]
