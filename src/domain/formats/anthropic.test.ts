import type Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ValidationError } from '../errors.ts'
import { fromAnthropic, toAnthropic } from './anthropic.ts'
import type { AnthropicConversation } from './anthropic-shape.ts'

type Conversation = Pick<Anthropic.MessageCreateParams, 'system' | 'messages'>

const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: { city: id } }) as const
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'sun' }) as const

const FIXTURES: Record<string, Conversation> = {
  'plain text': {
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: [{ type: 'text', text: 'Bye' }] },
      { role: 'user', content: 'Are you there?' },
    ],
  },
  'a system prompt of one block': {
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [{ role: 'user', content: 'Hello' }],
  },
  'a system prompt of several blocks': {
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    messages: [{ role: 'user', content: 'Hello' }],
  },
  'empty system prompts': { system: '', messages: [{ role: 'user', content: 'Hello' }] },
  'a system prompt without blocks': { system: [], messages: [] },
  'system messages among the others': {
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Be kind.' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Bye' },
      { role: 'system', content: [{ type: 'text', text: 'Be sad.', cache_control: null }] },
    ],
  },
  'thinking, parallel calls, and what the user adds to the results': {
    messages: [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Both at once', signature: 'EqQB' },
          { type: 'redacted_thinking', data: 'EmwK' },
          { type: 'text', text: 'I look it up.' },
          { ...use('a'), cache_control: { type: 'ephemeral' } },
          { ...use('b'), caller: { type: 'direct' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', is_error: true, content: 'no such city' },
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: false,
            content: [
              { type: 'text', text: 'sun' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
          { type: 'text', text: 'Hurry' },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        ],
      },
      { role: 'assistant', content: [use('c')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] },
      { role: 'user', content: 'And now?' },
      { role: 'assistant', content: [use('d'), use('e')] },
      { role: 'user', content: [{ ...result('d'), content: '' }] },
      {
        role: 'user',
        content: [
          { ...result('e'), content: [] },
          { type: 'text', text: 'Well?' },
        ],
      },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'EqQC' }] },
    ],
  },
  'text between calls, and citations': {
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [use('a'), { type: 'text', text: 'and' }, use('b')] },
      { role: 'user', content: [result('a'), result('b')] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Sun ' },
          {
            type: 'text',
            text: 'today',
            citations: [
              {
                type: 'char_location',
                cited_text: 'sun',
                document_index: 0,
                document_title: null,
                start_char_index: 0,
                end_char_index: 3,
              },
            ],
          },
        ],
      },
    ],
  },
  'documents and files': {
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'document',
            title: 'a.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          },
          {
            type: 'document',
            title: null,
            source: { type: 'text', media_type: 'text/plain', data: 'Once' },
            citations: { enabled: true },
          },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' }, context: 'old' },
          { type: 'document', source: { type: 'content', content: 'Twice' } },
          { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          { type: 'image', source: { type: 'file', file_id: 'file_2' } },
          { type: 'search_result', source: 'x', title: 'y', content: [{ type: 'text', text: 'z' }] },
          { type: 'container_upload', file_id: 'file_3' },
        ],
      },
    ],
  },
  'tools of the provider': {
    messages: [
      { role: 'user', content: 'Search' },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'x' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srv',
            content: [{ type: 'web_search_result', url: 'https://example.com', title: 'x', encrypted_content: 'Eo' }],
          },
          { type: 'text', text: 'Found' },
        ],
      },
    ],
  },
  'contents that are empty': {
    messages: [
      { role: 'user', content: '' },
      { role: 'user', content: [] },
      { role: 'user', content: ' ' },
      { role: 'user', content: [{ type: 'text', text: ' ' }] },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'now', input: {} }] },
    ],
  },
  'inputs that look like ours': {
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'x', input: { raw_arguments: 'not json' } },
          { type: 'tool_use', id: 'b', name: 'x', input: { raw_arguments: '{"a":1}' } },
          { type: 'tool_use', id: 'c', name: 'x', input: { raw_arguments: '{"raw_arguments":"no"}' } },
          { type: 'tool_use', id: 'd', name: 'x', input: { zero: -0 } },
        ],
      },
    ],
  },
}

const text = fc.string({ maxLength: 12 })
const cached = fc.option(fc.constant({ type: 'ephemeral' }))
const textBlock = fc.record(
  { type: fc.constant('text'), text, cache_control: cached },
  { requiredKeys: ['type', 'text'] },
)
const image = fc.record({
  type: fc.constant('image'),
  source: fc.oneof(
    fc.record({
      type: fc.constant('base64'),
      media_type: fc.constantFrom('image/png', 'image/webp'),
      data: fc.base64String(),
    }),
    fc.record({ type: fc.constant('url'), url: text }),
    fc.record({ type: fc.constant('file'), file_id: text }),
  ),
})
const other = fc.record({ type: fc.constantFrom('hologram', 'search_result'), payload: fc.jsonValue() })
const doc = fc.record(
  {
    type: fc.constant('document'),
    source: fc.oneof(
      fc.record({ type: fc.constant('base64'), media_type: fc.constant('application/pdf'), data: fc.base64String() }),
      fc.record({ type: fc.constant('text'), media_type: fc.constant('text/plain'), data: text }),
      fc.record({ type: fc.constant('content'), content: text }),
    ),
    title: fc.option(text),
  },
  { requiredKeys: ['type', 'source'] },
)
const userBlock = fc.oneof(textBlock, image, doc, other)
const thought = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
  fc.record({ type: fc.constant('server_tool_use'), id: text, name: fc.constant('web_search'), input: fc.jsonValue() }),
)
const said = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(userBlock)) }),
  fc.record({ role: fc.constant('assistant'), content: fc.oneof(text, fc.array(fc.oneof(textBlock, thought))) }),
  fc.record({ role: fc.constant('system'), content: fc.oneof(text, fc.array(textBlock)) }),
)
const input = fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true })
const content = fc.oneof(text, fc.array(fc.oneof(textBlock, image, doc, other)))
const called = fc
  .tuple(
    fc.uniqueArray(
      fc.record({
        id: text,
        name: text,
        input,
        content: fc.option(content, { nil: undefined }),
        is_error: fc.option(fc.boolean(), { nil: undefined }),
      }),
      {
        selector: ({ id }) => id,
        minLength: 1,
        maxLength: 4,
      },
    ),
    fc.array(fc.oneof(textBlock, thought), { maxLength: 2 }),
    fc.array(userBlock, { maxLength: 2 }),
  )
  .chain(([calls, before, after]) =>
    fc.shuffledSubarray(calls, { minLength: calls.length }).map((results) => [
      {
        role: 'assistant',
        content: [...before, ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))],
      },
      {
        role: 'user',
        content: [
          ...results.map(({ id, content, is_error }) => ({
            type: 'tool_result',
            tool_use_id: id,
            ...(content !== undefined && { content }),
            ...(is_error !== undefined && { is_error }),
          })),
          ...after,
        ],
      },
    ]),
  )
const conversation = fc.record(
  {
    system: fc.oneof(text, fc.array(textBlock)),
    messages: fc
      .array(
        fc.oneof(
          said.map((one) => [one]),
          called,
        ),
      )
      .map((list) => list.flat()),
  },
  { requiredKeys: ['messages'] },
)

describe('messages of Anthropic', () => {
  it.each(Object.entries(FIXTURES))('come back as they were: %s', (_, given) => {
    const canonical = fromAnthropic(given)
    expect(toAnthropic(JSON.parse(JSON.stringify(canonical)))).toEqual(JSON.parse(JSON.stringify(given)))
    expect(toAnthropic(canonical)).toEqual(given)
    for (const { content, toolCalls, toolCallId } of canonical) {
      expect(content !== '' || toolCalls !== undefined || toolCallId !== undefined).toBe(true)
    }
  })

  it('come back as they were, whatever they hold', () => {
    fc.assert(
      fc.property(conversation, (given) => {
        expect(toAnthropic(structuredClone(fromAnthropic(given)))).toEqual(given)
      }),
    )
  })

  it('are taken as a plain list too', () => {
    expect(toAnthropic(fromAnthropic(FIXTURES['plain text']?.messages))).toEqual({
      messages: FIXTURES['plain text']?.messages,
    })
  })

  it('become a message for each result and one for what the user adds', () => {
    const messages = fromAnthropic(FIXTURES['thinking, parallel calls, and what the user adds to the results'])
    expect(messages.slice(0, 5).map(({ role, content, toolCallId }) => [role, content, toolCallId])).toEqual([
      ['user', 'Weather?', undefined],
      ['assistant', 'I look it up.', undefined],
      ['tool', 'no such city', 'b'],
      ['tool', 'sun', 'a'],
      ['user', 'Hurry', undefined],
    ])
    expect(messages[2]?.parts).toEqual({ format: 'anthropic', isError: true })
  })

  it('put results together, in front of what the user says', () => {
    const messages = [
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'x', arguments: '{}' },
          { id: 'b', name: 'x', arguments: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'b', content: '2' },
      { role: 'user', content: 'Well?' },
      { role: 'tool', toolCallId: 'a', content: '' },
    ] as const
    expect(
      toAnthropic(
        messages.map((message) => ({ ...message, toolCalls: [...('toolCalls' in message ? message.toolCalls : [])] })),
      ).messages[1],
    ).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'b', content: '2' },
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'text', text: 'Well?' },
      ],
    })
  })

  it('keep later system messages in their place where that is asked for', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Be kind.' },
    ] as const
    expect(toAnthropic(messages)).toEqual({
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.' },
      ],
      messages: [{ role: 'user', content: 'Hello' }],
    })
    expect(toAnthropic(messages, { laterSystem: 'inline' })).toEqual({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'system', content: 'Be kind.' },
      ],
    })
  })

  it('have no blocks of white space', () => {
    const call = { id: 'a', name: 'x', arguments: '{}' }
    expect(
      toAnthropic([
        { role: 'user', content: ' ' },
        { role: 'system', content: '\n' },
        { role: 'assistant', content: '\n', toolCalls: [call] },
      ]),
    ).toEqual({
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] }],
    })
  })

  it.each([
    ['hello', 'messages'],
    [{}, 'messages'],
    [{ system: 5, messages: [] }, 'system'],
    [{ system: [{ text: 'a' }], messages: [] }, 'system[0].type'],
    [[{ role: 'tool', content: 'a' }], 'messages[0].role'],
    [[{ role: 'user' }], 'messages[0].content'],
    [[{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
    [[{ role: 'user', content: [{ type: 'tool_result' }] }], 'messages[0].content[0].tool_use_id'],
    [
      [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 5 }] }],
      'messages[0].content[0].content',
    ],
    [[{ role: 'assistant', content: [{ type: 'tool_use', name: 'a' }] }], 'messages[0].content[0].id'],
    [
      [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'a', input: 5n }] }],
      'messages[0].content[0].input',
    ],
  ])('are refused by the name of what is wrong', (given, field) => {
    expect(() => fromAnthropic(given)).toThrow(expect.objectContaining({ code: 'VALIDATION', field }))
    expect(() => fromAnthropic(given)).toThrow(ValidationError)
  })

  it('are what the package takes', () => {
    expectTypeOf<AnthropicConversation>().toExtend<Conversation>()
  })
})
