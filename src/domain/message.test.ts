import { describe, expect, it } from 'vitest'
import { FORMATS, MESSAGE_FORMATS } from './formats/formats.ts'
import { dropOrphanResults, type Message, toMessageEvent, toMessages, visibility, withoutUsage } from './message.ts'

const call = (id: string) => ({ id, name: 'read', arguments: '{}' })
const toolCall = (id: string, agentId?: string) => ({
  type: 'tool_call' as const,
  content: '',
  parts: { id, name: 'read', arguments: {} },
  ...(agentId !== undefined && { agentId }),
})

describe('the events of messages', () => {
  it.each<Message>([
    { role: 'user', content: 'a' },
    { role: 'system', content: 'a', timestamp: '2026-01-31' },
    { role: 'assistant', content: '', toolCalls: [call('1'), call('2')], agentId: 'coach' },
    { role: 'assistant', content: 'a', toolCalls: [] },
    { role: 'tool', content: '', toolCallId: '1', parts: { images: [1] } },
    { role: 'assistant', content: 'a', usage: { model: 'm', inputTokens: 3, outputTokens: 1, costUsd: 0.5 } },
    { role: 'assistant', content: 'a', parts: { usage: 'of another kind' } },
  ])('give the message back: %j', (message) => {
    expect(toMessages([toMessageEvent(message)])).toEqual([message])
  })

  it('have no parts where a message has none', () => {
    expect(toMessageEvent({ role: 'user', content: 'a', parts: {} })).toEqual({ type: 'user_message', content: 'a' })
  })
})

describe('a tool_call', () => {
  it('joins the answer before it, with its own words', () => {
    const answer = { type: 'model_message' as const, content: 'I look' }
    expect(toMessages([answer, { ...toolCall('1'), content: 'and read' }, toolCall('2')])).toEqual([
      { role: 'assistant', content: 'I look\nand read', toolCalls: [call('1'), call('2')] },
    ])
    expect(toMessages([toolCall('1'), { ...toolCall('2'), content: 'words' }])).toEqual([
      { role: 'assistant', content: 'words', toolCalls: [call('1'), call('2')] },
    ])
  })

  it('of another agent is a message of its own', () => {
    expect(toMessages([toolCall('1', 'a'), toolCall('2', 'b')])).toHaveLength(2)
  })

  it('without a name or arguments is read as far as it goes', () => {
    const bare = { type: 'tool_call' as const, content: '', parts: { id: '1' } }
    expect(toMessages([bare])[0]?.toolCalls).toEqual([{ id: '1', name: '', arguments: '{}' }])
    expect(toMessages([{ ...bare, parts: [1] }])).toEqual([{ role: 'assistant', content: '', toolCalls: [] }])
  })
})

describe('usage', () => {
  const usage = { model: 'm', inputTokens: 3, outputTokens: 1 }

  it('of a joined tool_call is added to that of the message', () => {
    const parts = { id: '1', name: 'read', arguments: {}, usage }
    const answer = { type: 'model_message' as const, content: 'I look', parts: { usage } }
    const joined = { model: 'm', inputTokens: 6, outputTokens: 2 }
    const [message] = toMessages([answer, { ...toolCall('1'), parts }])
    expect(message).toEqual({ role: 'assistant', content: 'I look', toolCalls: [call('1')], usage: joined })
    expect(toMessages([toolCall('0'), { ...toolCall('1'), parts }])[0]?.usage).toEqual(usage)
  })

  it('is nothing that a model gets', () => {
    const message: Message = { role: 'assistant', content: 'a', usage }
    expect(withoutUsage(message)).toEqual({ role: 'assistant', content: 'a' })
    for (const format of MESSAGE_FORMATS) {
      const written = JSON.stringify(FORMATS[format].to([{ role: 'user', content: 'q' }, message]))
      expect(written, format).not.toContain('inputTokens')
    }
  })
})

describe('what an agent sees', () => {
  const result = (toolCallId: string, agentId?: string) => ({
    type: 'tool_result' as const,
    content: 'r',
    parts: { toolCallId },
    ...(agentId !== undefined && { agentId }),
  })

  it("leaves out others' answers, calls and results", () => {
    const said = { type: 'user_message' as const, content: 'hi', agentId: 'ada' }
    const events = [said, toolCall('1', 'a'), toolCall('2', 'b'), result('1'), result('2'), result('2', 'a')]
    expect(events.filter(visibility('a'))).toEqual([said, events[1], events[3], events[5]])
    expect(events.filter(visibility('b'))).toEqual([said, events[2], events[4]])
  })

  it('removes results without a call', () => {
    const [asked, answered]: Message[] = [
      { role: 'assistant', content: '', toolCalls: [call('1')] },
      { role: 'tool', content: 'r', toolCallId: '1' },
    ]
    expect(dropOrphanResults([answered as Message, asked as Message, answered as Message])).toEqual([asked, answered])
  })
})
