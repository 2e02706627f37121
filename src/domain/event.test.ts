import { describe, expect, it } from 'vitest'
import {
  APPENDABLE_TYPES,
  answeredCallId,
  countTurns,
  defaultRole,
  isConversationType,
  RECORDED_TYPES,
  startsTurn,
  toolCallsOf,
} from './event.ts'
import type { Json } from './json.ts'

const ODD_PARTS: [string, Json][] = [
  ['null', null],
  ['a number', 7],
  ['a text', 'toolCallId'],
  ['a truth', true],
  ['an empty list', []],
  ['a list', [{ id: 'a', toolCallId: 'a', toolCalls: [{ id: 'a' }] }]],
  ['an empty object', {}],
  ['ids that are no text', { id: 1, toolCallId: { id: 'a' }, toolCalls: [{ id: null }] }],
]

const read = { id: 'a', name: 'read', arguments: { path: 'x.ts' } }
const list = { id: 'b', name: 'list', arguments: '{}' }

describe('types', () => {
  it('that callers append are part of the conversation, and so are custom ones', () => {
    for (const type of [...APPENDABLE_TYPES, 'x.note', 'x.']) expect(isConversationType(type)).toBe(true)
  })

  it('that only their own calls write are not', () => {
    const types = [...Object.keys(RECORDED_TYPES), 'x', 'xnote', 'X.note', 'toString', '']
    for (const type of types) expect(isConversationType(type)).toBe(false)
  })

  it('are of one kind or the other', () => {
    expect(APPENDABLE_TYPES.filter((type) => type in RECORDED_TYPES)).toEqual([])
  })

  it('say who speaks', () => {
    expect(Object.fromEntries(APPENDABLE_TYPES.map((type) => [type, defaultRole(type)]))).toEqual({
      user_message: 'user',
      model_message: 'assistant',
      tool_call: 'assistant',
      tool_result: 'tool',
      validation_gate: 'system',
      memory_recall: 'system',
      system_event: 'system',
    })
    for (const type of [...Object.keys(RECORDED_TYPES), 'x.note']) expect(defaultRole(type)).toBe('system')
  })
})

describe('turns', () => {
  it('begin at user messages alone', () => {
    const types = [...APPENDABLE_TYPES, ...Object.keys(RECORDED_TYPES), 'x.user_message']
    expect(types.filter((type) => startsTurn({ type }))).toEqual(['user_message'])
  })

  it('are counted', () => {
    const events = ['system_event', 'user_message', 'model_message', 'user_message'].map((type) => ({ type }))
    expect([countTurns([]), countTurns(events)]).toEqual([0, 2])
  })
})

describe('the calls of an event', () => {
  it('are the parts of a tool_call', () => {
    expect(toolCallsOf({ type: 'tool_call', parts: read })).toEqual([read])
  })

  it('are the toolCalls of a model_message, in their order', () => {
    expect(toolCallsOf({ type: 'model_message', parts: { toolCalls: [list, read] } })).toEqual([list, read])
  })

  it('need no more than an id', () => {
    expect(toolCallsOf({ type: 'tool_call', parts: { id: 'a' } })).toEqual([{ id: 'a' }])
  })

  it('are only those with an id', () => {
    const toolCalls = [null, 'a', 1, [], {}, { id: 1 }, { name: 'read' }, read]
    expect(toolCallsOf({ type: 'model_message', parts: { toolCalls } })).toEqual([read])
  })

  it('are not looked for in the place of the other type, or of any other type', () => {
    expect(toolCallsOf({ type: 'tool_call', parts: { toolCalls: [read] } })).toEqual([])
    expect(toolCallsOf({ type: 'model_message', parts: read })).toEqual([])
    for (const type of ['user_message', 'tool_result', 'x.note']) {
      expect(toolCallsOf({ type, parts: { ...read, toolCalls: [list] } })).toEqual([])
    }
  })

  it.each(ODD_PARTS)('are none where the parts are %s', (_, parts) => {
    expect(toolCallsOf({ type: 'tool_call', parts })).toEqual([])
    expect(toolCallsOf({ type: 'model_message', parts })).toEqual([])
  })

  it('are none where toolCalls is no list, or there are no parts', () => {
    expect(toolCallsOf({ type: 'model_message', parts: { toolCalls: { id: 'a' } } })).toEqual([])
    expect(toolCallsOf({ type: 'model_message' })).toEqual([])
    expect(toolCallsOf({ type: 'tool_call' })).toEqual([])
  })
})

describe('the call that an event answers', () => {
  it('is named by a tool_result', () => {
    expect(answeredCallId({ type: 'tool_result', parts: { toolCallId: 'a' } })).toBe('a')
  })

  it('is none for any other type', () => {
    for (const type of ['tool_call', 'model_message', 'x.tool_result']) {
      expect(answeredCallId({ type, parts: { toolCallId: 'a' } })).toBeUndefined()
    }
  })

  it.each(ODD_PARTS)('is none where the parts are %s', (_, parts) => {
    expect(answeredCallId({ type: 'tool_result', parts })).toBeUndefined()
  })

  it('is none without parts', () => {
    expect(answeredCallId({ type: 'tool_result' })).toBeUndefined()
  })
})
