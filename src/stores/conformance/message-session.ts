import assert from 'node:assert/strict'
import type { Message } from '../../domain/message.ts'
import { upTo } from './samples.ts'

/** The minimal session of an agent loop, in memory or in a store. */
export interface MessageSession {
  readonly id: string
  addMessage(message: Message): unknown
  messages(): Message[] | Promise<Message[]>
  clear(): unknown
}

/** One test of the minimal session. */
export interface MessageSessionCase {
  title: string
  check(make: () => Promise<MessageSession>): Promise<void>
}

const AT = '2026-01-31T09:30:00+01:00'
const said = (content: string): Message => ({ role: 'user', content })
const contents = async (session: MessageSession) => (await session.messages()).map(({ content }) => content)

/** The tests of document 001, each under its name. */
export const messageSessionCases: readonly MessageSessionCase[] = [
  {
    title: 'TestNew',
    async check(make) {
      const session = await make()
      assert.match(session.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepEqual(await session.messages(), [])
    },
  },
  {
    title: 'TestSession_ID_Unique',
    async check(make) {
      const ids = await Promise.all(upTo(20).map(async () => (await make()).id))
      assert.equal(new Set(ids).size, 20)
    },
  },
  {
    title: 'TestSession_ID_Stable',
    async check(make) {
      const session = await make()
      const { id } = session
      await session.addMessage(said('a'))
      await session.clear()
      assert.equal(session.id, id)
    },
  },
  {
    title: 'TestSession_AddMessage_And_Messages',
    async check(make) {
      const session = await make()
      const message: Message = {
        role: 'assistant',
        content: 'Let me look',
        toolCalls: [{ id: 'c1', name: 'read', arguments: '{"path": "a"}' }],
        timestamp: AT,
        agentId: 'coach',
        parts: { note: [1, null, { deep: true }] },
      }
      const result: Message = { role: 'tool', content: '', toolCallId: 'c1', timestamp: '2026-01-31' }
      await session.addMessage(message)
      await session.addMessage(result)
      assert.deepEqual(await session.messages(), [message, result])
    },
  },
  {
    title: 'TestSession_Messages_Order',
    async check(make) {
      const session = await make()
      for (const n of upTo(30)) await session.addMessage({ ...said(`m${n}`), timestamp: `20${60 - n}-01-01` })
      assert.deepEqual(
        await contents(session),
        upTo(30).map((n) => `m${n}`),
      )
    },
  },
  ...(['system', 'user', 'assistant', 'tool'] as const).map((role) => ({
    title: `TestSession_Messages_Roles/${role}`,
    async check(make: () => Promise<MessageSession>) {
      const session = await make()
      await session.addMessage({ role, content: 'text' })
      assert.deepEqual(await session.messages(), [{ role, content: 'text' }])
    },
  })),
  {
    title: 'TestSession_Messages_ToolCalls',
    async check(make) {
      const session = await make()
      const toolCalls = [
        { id: 'a', name: 'read', arguments: '{}' },
        { id: 'b', name: 'grep', arguments: 'not JSON' },
      ]
      await session.addMessage({ role: 'assistant', content: '', toolCalls })
      await session.addMessage({ role: 'tool', content: 'one', toolCallId: 'a' })
      await session.addMessage({ role: 'tool', content: '', toolCallId: 'b' })
      const [call, one, two] = await session.messages()
      assert.deepEqual([call?.content, call?.toolCalls], ['', toolCalls])
      assert.deepEqual([one?.toolCallId, two?.toolCallId, two?.content], ['a', 'b', ''])
    },
  },
  {
    title: 'TestSession_Messages_DefensiveCopy',
    async check(make) {
      const session = await make()
      const given = { ...said('kept'), parts: { list: ['kept'] } }
      await session.addMessage(given)
      given.content = 'changed'
      given.parts.list[0] = 'changed'
      const read = await session.messages()
      const [first] = read
      assert(first !== undefined)
      first.content = 'changed'
      read.push(said('more'))
      assert.deepEqual(await session.messages(), [{ ...said('kept'), parts: { list: ['kept'] } }])
    },
  },
  {
    title: 'TestSession_Messages_ToolCalls_DefensiveCopy',
    async check(make) {
      const session = await make()
      const call = { id: 'a', name: 'read', arguments: '{}' }
      const given = { role: 'assistant' as const, content: '', toolCalls: [{ ...call }] }
      await session.addMessage(given)
      Object.assign(given.toolCalls[0] ?? {}, { name: 'changed' })
      const [first] = await session.messages()
      Object.assign(first?.toolCalls?.[0] ?? {}, { name: 'changed' })
      first?.toolCalls?.push({ ...call, id: 'b' })
      assert.deepEqual((await session.messages())[0]?.toolCalls, [call])
    },
  },
  {
    title: 'TestSession_Clear',
    async check(make) {
      const session = await make()
      await session.addMessage(said('a'))
      await session.clear()
      assert.deepEqual(await session.messages(), [])
      await session.clear()
      assert.deepEqual(await session.messages(), [])
    },
  },
  {
    title: 'TestSession_Clear_ThenAdd',
    async check(make) {
      const session = await make()
      await session.addMessage(said('a'))
      await session.clear()
      await session.addMessage(said('b'))
      assert.deepEqual(await contents(session), ['b'])
    },
  },
  {
    title: 'TestSession_Concurrent_AddMessage',
    async check(make) {
      const session = await make()
      await Promise.all(upTo(100).map(async (n) => await session.addMessage(said(`m${n}`))))
      assert.deepEqual(
        (await contents(session)).sort(),
        upTo(100)
          .map((n) => `m${n}`)
          .sort(),
      )
    },
  },
  {
    title: 'TestSession_Concurrent_AddAndRead',
    async check(make) {
      const session = await make()
      const reads = upTo(50).map(async (n) => {
        await session.addMessage(said(`m${n}`))
        return await contents(session)
      })
      const all = await contents(session).then(async () => await Promise.all(reads))
      const last = await contents(session)
      assert.equal(last.length, 50)
      all.forEach((read, i) => {
        assert(read.includes(`m${i + 1}`), 'reads its own write')
        assert.deepEqual(read, last.slice(0, read.length))
      })
    },
  },
  {
    title: 'TestSession_Concurrent_AddAndClear',
    async check(make) {
      const session = await make()
      await Promise.all(
        upTo(60).map(async (n) => await (n % 10 === 0 ? session.clear() : session.addMessage(said(`m${n}`)))),
      )
      await session.addMessage(said('last'))
      assert.equal((await contents(session)).at(-1), 'last')
      await session.clear()
      assert.deepEqual(await session.messages(), [])
    },
  },
  ...refusals(),
]

function refusals(): MessageSessionCase[] {
  const call = { id: 'a', name: 'read', arguments: '{}' }
  const bad: [what: string, message: unknown, field: string][] = [
    ['a role of no one', { role: 'model', content: 'a' }, 'role'],
    ['content that is no text', { role: 'user', content: 1 }, 'content'],
    ['nothing in it', { role: 'user', content: '' }, 'content'],
    ['no calls in its list', { role: 'assistant', content: '', toolCalls: [] }, 'content'],
    ['calls by a user', { role: 'user', content: 'a', toolCalls: [call] }, 'toolCalls'],
    ['a result by the assistant', { role: 'assistant', content: 'a', toolCallId: 'a' }, 'toolCallId'],
  ]
  return bad.map(([what, message, field]) => ({
    title: `refuses a message with ${what}`,
    async check(make) {
      const session = await make()
      await assert.rejects(async () => await session.addMessage(message as Message), { code: 'VALIDATION', field })
      assert.deepEqual(await session.messages(), [])
    },
  }))
}
