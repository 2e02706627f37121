import { describe, expect, it } from 'vitest'
import { fitWindow, messageTokens } from './context-window.ts'
import type { EventType, SessionEvent } from './event.ts'
import type { Json } from './json.ts'
import { type Message, toMessages } from './message.ts'
import { tokensOf } from './window.ts'

const characters = (text: string) => text.length
const user = (content: string): Message => ({ role: 'user', content })
const said = (content: string): Message => ({ role: 'assistant', content })
const calls = (content: string, ...ids: string[]): Message => ({
  role: 'assistant',
  content,
  toolCalls: ids.map((id) => ({ id, name: 'f', arguments: '' })),
})
const result = (toolCallId: string, content: string): Message => ({ role: 'tool', content, toolCallId })

const fitted = (limit: number, ...messages: Message[]) => fitWindow(messages, limit, characters)
const contents = async (limit: number, ...messages: Message[]) =>
  (await fitted(limit, ...messages)).messages.map((one) => one.content)
const left = async (limit: number, ...messages: Message[]) =>
  (await fitted(limit, ...messages)).omitted.map(({ section, reason, count }) => `${section} ${reason} ${count}`)

describe('what a message costs', () => {
  it('is its content, and the names and arguments of its calls', async () => {
    expect(await messageTokens(user('hello'), characters)).toBe(5)
    const toolCalls = [
      { id: 'a', name: 'read', arguments: '{"p":1}' },
      { id: 'b', name: 'ls', arguments: '' },
    ]
    expect(await messageTokens({ role: 'assistant', content: 'so', toolCalls }, characters)).toBe(2 + 4 + 7 + 2)
  })

  it('is what the event it comes from costs', async () => {
    const parts = { toolCalls: [{ id: 'a', name: 'read', arguments: { path: 'x' } }] }
    const event = { type: 'model_message', content: 'so', parts } as Partial<SessionEvent> as SessionEvent
    const [message] = toMessages([event]) as [Message]
    expect(await messageTokens(message, characters)).toBe(await tokensOf(event, characters))
  })

  it('is nothing for empty texts, and something for a name that is no text', async () => {
    expect(await messageTokens(calls('', 'a'), () => 1)).toBe(1)
    const odd = toMessages([{ type: 'tool_call' as EventType, content: '', parts: { id: 'a', name: [1] } as Json }])
    expect(await messageTokens(odd[0] as Message, characters)).toBe('[1]{}'.length)
  })
})

describe('the window of a context', () => {
  it('is whole turns, newest first, as far as they fit', async () => {
    const turns = [user('one'), said('1'), user('two'), said('2'), user('six')]
    expect(await contents(11, ...turns)).toEqual(['one', '1', 'two', '2', 'six'])
    expect(await contents(10, ...turns)).toEqual(['two', '2', 'six'])
    expect(await contents(6, ...turns)).toEqual(['six'])
    expect(await left(10, ...turns)).toEqual(['window budget 2'])
    expect((await fitted(10, ...turns)).tokens).toBe(7)
  })

  it('counts events before the first turn as part of it', async () => {
    expect(await contents(9, said('before'), user('one'))).toEqual(['before', 'one'])
    expect(await contents(8, said('before'), user('one'))).toEqual(['one'])
  })

  it('is the longest end of the last turn if that does not fit', async () => {
    const turn = [user('please'), said('one'), said('two')]
    expect(await contents(8, ...turn)).toEqual(['one', 'two'])
    expect(await contents(3, ...turn)).toEqual(['two'])
    expect(await contents(2, ...turn)).toEqual([])
    expect(await fitted(2, ...turn)).toEqual({
      messages: [],
      tokens: 0,
      omitted: [{ section: 'window', reason: 'budget', count: 3 }],
      dangling: [],
    })
    expect(await fitted(0)).toEqual({ messages: [], tokens: 0, omitted: [], dangling: [] })
  })

  it('has a result only with its call, and pays for both', async () => {
    const turn = [user('u'), calls('', 'a'), result('a', '12345'), said('x')]
    expect(await contents(8, ...turn)).toEqual(['u', '', '12345', 'x'])
    expect(await contents(7, ...turn)).toEqual(['', '12345', 'x'])
    expect(await contents(6, ...turn)).toEqual(['x'])
    expect(await left(6, ...turn)).toEqual(['window budget 3'])
    expect((await fitted(7, ...turn)).tokens).toBe(7)
  })

  it('removes results without an earlier call', async () => {
    const nameless: Message = { role: 'tool', content: '?' }
    const turn = [user('u'), result('a', '1'), nameless, calls('', 'a'), result('a', '2'), result('a', '3')]
    expect(await contents(99, ...turn)).toEqual(['u', '', '2', '3'])
    expect((await fitted(99, ...turn)).tokens).toBe(4)
    expect(await left(99, ...turn)).toEqual(['window no_call 2'])
    expect(await left(3, ...turn)).toEqual(['window budget 1', 'window no_call 2'])
  })

  it('takes calls without a result out of messages, and messages that have nothing else', async () => {
    const turn = [user('u'), calls('both', 'a', 'b'), result('a', '1'), calls('', 'c'), calls('none', 'd'), user('v')]
    const { messages, omitted, dangling, tokens } = await fitted(99, ...turn)
    expect(messages).toEqual([user('u'), calls('both', 'a'), result('a', '1'), said('none'), user('v')])
    expect(omitted).toEqual([
      { section: 'window', reason: 'no_result', count: 1 },
      { section: 'calls', reason: 'no_result', count: 2 },
    ])
    expect(dangling).toEqual([])
    expect(tokens).toBe('uboth1nonev'.length + 'f'.length)
  })

  it('keeps calls at the very end that wait for their result, and names them', async () => {
    const { messages, omitted, dangling } = await fitted(99, user('u'), calls('', 'a', 'b'), result('a', '1'))
    expect(messages).toEqual([user('u'), calls('', 'a', 'b'), result('a', '1')])
    expect([omitted, dangling]).toEqual([[], ['b']])
    expect((await fitted(0, user('u'), calls('', 'a'))).dangling).toEqual([])
  })

  it('pairs a result with the nearest call of its id, and keeps each call once', async () => {
    const { messages } = await fitted(99, user('u'), calls('x', 'a'), calls('y', 'a', 'a'), result('a', '1'), said('z'))
    expect(messages).toEqual([user('u'), said('x'), calls('y', 'a'), result('a', '1'), said('z')])
    const again = [user('u'), calls('', 'a'), result('a', '1'), calls('', 'a'), result('a', '2')]
    expect((await fitted(99, ...again)).messages).toEqual(again)
  })

  it('takes a list of no calls as it is', async () => {
    expect((await fitted(99, { ...said('x'), toolCalls: [] }, user('u'))).messages).toEqual([
      { ...said('x'), toolCalls: [] },
      user('u'),
    ])
  })

  it('handles the same message object twice', async () => {
    const once = result('a', '1')
    expect(await contents(99, once, calls('', 'a'), once)).toEqual(['', '1'])
  })
})
