import fc from 'fast-check'
import type OpenAI from 'openai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ValidationError } from '../errors.ts'
import { fromOpenAIResponses, type OpenAIResponsesItem, toOpenAIResponses } from './openai-responses.ts'

type Item = OpenAI.Responses.ResponseInputItem

const FIXTURES: Record<string, Item[]> = {
  'plain text of every role': [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Use metric units.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { type: 'message', role: 'user', content: 'Again', phase: null },
  ],
  'a whole turn with reasoning and parallel calls': [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Look it up' }],
      encrypted_content: 'gAAA',
    },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      phase: 'commentary',
      content: [
        { type: 'output_text', text: 'I look it up.', annotations: [] },
        { type: 'refusal', refusal: 'Not everything.' },
      ],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'a',
      name: 'weather',
      arguments: '{"city":"Oslo"}',
      status: 'completed',
    },
    { type: 'function_call', call_id: 'b', name: 'weather', arguments: '', namespace: 'sky' },
    { type: 'function_call_output', call_id: 'b', output: '' },
    {
      type: 'function_call_output',
      call_id: 'a',
      status: 'completed',
      output: [
        { type: 'input_text', text: 'sun' },
        { type: 'input_image', image_url: 'https://example.com/sky.png' },
      ],
    },
    {
      type: 'message',
      id: 'msg_2',
      role: 'assistant',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: 'Sun.',
          annotations: [{ type: 'url_citation', url: 'https://example.com', title: 'x', start_index: 0, end_index: 3 }],
        },
      ],
    },
  ],
  'results that come late': [
    { type: 'function_call', call_id: 'a', name: 'slow', arguments: '{}' },
    { role: 'user', content: 'Hurry' },
    { type: 'function_call_output', call_id: 'a', output: 'done' },
  ],
  'images and files': [
    {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' },
        { type: 'input_image', file_id: 'file-1', detail: 'auto' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        { type: 'input_file', file_id: 'file-2' },
      ],
    },
    { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }] },
  ],
  'tools of the provider': [
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'oslo' } },
    { type: 'custom_tool_call', call_id: 'c', name: 'sh', input: 'ls -l' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'a.txt' },
    { type: 'mcp_approval_request', id: 'mcpr_1', name: 'roll', arguments: '{}', server_label: 'dice' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    {
      type: 'computer_call_output',
      call_id: 'cc',
      output: { type: 'computer_screenshot', image_url: 'https://example.com/s.png' },
    },
    { type: 'item_reference', id: 'msg_9' },
    { id: 'msg_10' },
    { type: 'function_call_output', name: 'notice', output: 'no call' },
    { type: 'compaction', encrypted_content: 'gAAA' },
    { type: 'reasoning', id: 'rs_2', summary: [] },
  ],
  'contents that are empty': [
    { role: 'user', content: '' },
    { role: 'user', content: [] },
    { role: 'assistant', content: '' },
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'incomplete', content: [] },
    {
      type: 'message',
      id: 'msg_2',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: '', annotations: [] }],
    },
  ],
}

const text = fc.string({ maxLength: 12 })
const inputPart = fc.oneof(
  fc.record({ type: fc.constant('input_text'), text }),
  fc.record(
    {
      type: fc.constant('input_image'),
      image_url: fc.option(text),
      detail: fc.constantFrom('auto', 'low'),
      file_id: text,
    },
    { requiredKeys: ['type', 'detail'] },
  ),
  fc.record(
    { type: fc.constant('input_file'), file_data: text, file_url: text, file_id: text, filename: text },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('hologram'), payload: fc.jsonValue() }),
)
const outputPart = fc.oneof(
  fc.record(
    { type: fc.constant('output_text'), text, annotations: fc.constant([]), logprobs: fc.constant([]) },
    { requiredKeys: ['type', 'text', 'annotations'] },
  ),
  fc.record({ type: fc.constant('refusal'), refusal: text }),
)
const item = fc.oneof(
  fc.record(
    {
      type: fc.constant('message'),
      role: fc.constantFrom('user', 'system', 'developer'),
      content: fc.oneof(text, fc.array(inputPart)),
      status: fc.constant('completed'),
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    {
      type: fc.constant('message'),
      role: fc.constant('assistant'),
      content: fc.oneof(text, fc.array(outputPart)),
      id: text,
      phase: fc.constant(null),
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    {
      type: fc.constant('reasoning'),
      id: text,
      summary: fc.array(fc.record({ type: fc.constant('summary_text'), text })),
      encrypted_content: fc.option(text),
    },
    { requiredKeys: ['type', 'id', 'summary'] },
  ),
  fc.record({
    type: fc.constantFrom('web_search_call', 'mcp_call', 'shell_call_output', 'item_reference', 'thought_cloud'),
    id: text,
    payload: fc.jsonValue(),
  }),
)
const called = fc
  .tuple(
    fc.uniqueArray(fc.tuple(text, text, text, fc.boolean()), { selector: ([id]) => id, minLength: 1, maxLength: 4 }),
    fc.oneof(text, fc.array(inputPart)),
  )
  .chain(([calls, output]) =>
    fc.shuffledSubarray(calls, { minLength: calls.length }).map((results) => [
      ...calls.map(([call_id, name, args, custom]) =>
        custom
          ? { type: 'custom_tool_call', call_id, name, input: args }
          : { type: 'function_call', call_id, name, arguments: args, status: 'completed' },
      ),
      ...results.map(([call_id, , , custom]) => ({
        type: custom ? 'custom_tool_call_output' : 'function_call_output',
        call_id,
        output,
      })),
    ]),
  )
const conversation = fc
  .array(
    fc.oneof(
      item.map((one) => [one]),
      called,
    ),
  )
  .map((list) => list.flat())

describe('items of OpenAI responses', () => {
  it.each(Object.entries(FIXTURES))('come back as they were: %s', (_, items) => {
    const canonical = fromOpenAIResponses(items)
    expect(toOpenAIResponses(JSON.parse(JSON.stringify(canonical)))).toEqual(items)
    for (const { content, toolCalls, toolCallId } of canonical) {
      expect(content !== '' || toolCalls !== undefined || toolCallId !== undefined).toBe(true)
    }
  })

  it('come back as they were, whatever they hold', () => {
    fc.assert(
      fc.property(conversation, (items) => {
        expect(toOpenAIResponses(structuredClone(fromOpenAIResponses(items)))).toEqual(items)
      }),
    )
  })

  it('become one message for each thing the assistant says, with the calls that follow it', () => {
    const messages = fromOpenAIResponses(FIXTURES['a whole turn with reasoning and parallel calls'])
    expect(
      messages.map(({ role, content, toolCallId }) => ({ role, content, ...(toolCallId && { toolCallId }) })),
    ).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'I look it up.Not everything.' },
      { role: 'tool', content: '', toolCallId: 'b' },
      { role: 'tool', content: 'sun', toolCallId: 'a' },
      { role: 'assistant', content: 'Sun.' },
    ])
    expect(messages[1]?.toolCalls).toEqual([
      { id: 'a', name: 'weather', arguments: '{"city":"Oslo"}' },
      { id: 'b', name: 'weather', arguments: '' },
    ])
  })

  it('have a content that says what they are where they say nothing', () => {
    const contents = fromOpenAIResponses(FIXTURES['tools of the provider']).map(({ content }) => content)
    expect(contents).toEqual([
      '',
      'a.txt',
      '[mcp_approval_request]',
      '[mcp_approval_response]',
      '[computer_call_output]',
      '[item_reference]',
      '[other]',
      'no call',
      '[compaction]',
    ])
  })

  it.each([
    ['hello', 'input'],
    [[5], 'input[0]'],
    [[{ role: 'boss', content: '' }], 'input[0].role'],
    [[{ type: 'message', content: '' }], 'input[0].role'],
    [[{}], 'input[0].type'],
    [[{ type: 5 }], 'input[0].type'],
    [[{ role: 'user', content: 5 }], 'input[0].content'],
    [[{ role: 'user' }], 'input[0].content'],
    [[{ role: 'user', content: [{ type: 'input_text' }] }], 'input[0].content[0].text'],
    [[{ type: 'function_call', call_id: 'a', name: 'b', arguments: {} }], 'input[0].arguments'],
    [[{ type: 'function_call_output', call_id: 'a', output: {} }], 'input[0].output'],
  ])('are refused by the name of what is wrong: %j', (input, field) => {
    expect(() => fromOpenAIResponses(input)).toThrow(expect.objectContaining({ code: 'VALIDATION', field }))
    expect(() => fromOpenAIResponses(input)).toThrow(ValidationError)
  })

  it('are what the package takes', () => {
    expectTypeOf<OpenAIResponsesItem[]>().toExtend<OpenAI.Responses.ResponseInput>()
  })
})
