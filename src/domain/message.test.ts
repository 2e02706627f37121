import { describe, expect, it } from 'vitest'
import { dropOrphanResults, type Message, toMessageEvent, toMessages, visibility } from './message.ts'

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
