import fc from 'fast-check'
import type OpenAI from 'openai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ValidationError } from '../errors.ts'
import { fromOpenAIChat, type OpenAIChatMessage, toOpenAIChat } from './openai-chat.ts'

type Param = OpenAI.Chat.ChatCompletionMessageParam

const weather = (id: string, city: string) =>
  ({ id, type: 'function', function: { name: 'weather', arguments: `{"city": "${city}"}` } }) as const
const PNG = 'iVBORw0KGgo='

const FIXTURES: Record<string, Param[]> = {
  'plain text of every role': [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
  ],
  'a developer, names and lists of text': [
    { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }], name: 'ops' },
    {
      role: 'system',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'user', content: 'Hello', name: 'ada' },
  ],
  'parallel calls with null, empty and absent content': [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [weather('a', 'Oslo'), weather('b', 'Rome')] },
    { role: 'tool', tool_call_id: 'b', content: 'sun' },
    { role: 'tool', tool_call_id: 'a', content: '' },
    { role: 'assistant', content: '', tool_calls: [weather('c', 'Bonn')] },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'rain' }] },
    { role: 'assistant', tool_calls: [weather('d', 'Bern')], refusal: null },
    { role: 'tool', tool_call_id: 'd', content: 'fog' },
    { role: 'assistant', content: 'Done', tool_calls: [] },
  ],
  'images, audio and files': [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
        { type: 'file', file: { file_data: 'JVBERi0=' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
  ],
  'refusals and audio answers': [
    { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
    {
      role: 'assistant',
      content: [
        { type: 'refusal', refusal: 'No.' },
        { type: 'text', text: 'Sorry.' },
      ],
    },
    { role: 'assistant', audio: { id: 'audio-1' } },
    { role: 'assistant', content: null, audio: { id: 'audio-2' } },
  ],
  'custom tools': [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'x', type: 'custom', custom: { name: 'sh', input: 'ls -l' } }],
    },
    { role: 'tool', tool_call_id: 'x', content: 'a.txt' },
  ],
  'the first kind of functions': [
    { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
    { role: 'function', name: 'weather', content: null },
  ],
  'contents that are empty': [
    { role: 'user', content: '' },
    { role: 'user', content: [] },
    { role: 'system', content: '' },
    { role: 'assistant', content: '' },
    { role: 'assistant' },
  ],
}

const text = fc.string({ maxLength: 12 })
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({ url: fc.webUrl(), detail: fc.constantFrom('low', 'high') }, { requiredKeys: ['url'] }),
  }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({ url: fc.base64String().map((data) => `data:image/png;base64,${data}`) }),
  }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: fc.base64String(), format: fc.constantFrom('wav', 'mp3') }),
  }),
  fc.record({
    type: fc.constant('file'),
    file: fc.record({ file_data: text, file_id: text, filename: text }, { requiredKeys: [] }),
  }),
  fc.record({ type: fc.constantFrom('video', 'hologram'), payload: fc.jsonValue() }),
)
const textPart = fc.record({ type: fc.constant('text'), text })
const said = fc.oneof(
  fc.record(
    { role: fc.constantFrom('system', 'developer'), content: fc.oneof(text, fc.array(textPart)), name: text },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    { role: fc.constant('user'), content: fc.oneof(text, fc.array(part)), name: text },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    {
      role: fc.constant('assistant'),
      content: fc.oneof(
        text,
        fc.constant(null),
        fc.array(fc.oneof(textPart, fc.record({ type: fc.constant('refusal'), refusal: text }))),
      ),
      refusal: fc.option(text),
      audio: fc.option(fc.record({ id: text })),
    },
    { requiredKeys: ['role'] },
  ),
)
const called = fc
  .tuple(
    fc.uniqueArray(fc.tuple(text, text, text, fc.boolean()), { selector: ([id]) => id, minLength: 1, maxLength: 4 }),
    fc.oneof(text, fc.constant(null), fc.constant(undefined)),
    fc.oneof(text, fc.array(textPart)),
  )
  .chain(([calls, content, result]) =>
    fc.shuffledSubarray(calls, { minLength: calls.length }).map((results) => [
      {
        role: 'assistant',
        ...(content !== undefined && { content }),
        tool_calls: calls.map(([id, name, args, custom]) =>
          custom
            ? { id, type: 'custom', custom: { name, input: args } }
            : { id, type: 'function', function: { name, arguments: args } },
        ),
      },
      ...results.map(([id]) => ({ role: 'tool', tool_call_id: id, content: result })),
    ]),
  )
const conversation = fc
  .array(
    fc.oneof(
      said.map((one) => [one]),
      called,
    ),
  )
  .map((list) => list.flat())

describe('messages of OpenAI chat', () => {
  it.each(Object.entries(FIXTURES))('come back as they were: %s', (_, messages) => {
    const canonical = fromOpenAIChat(messages)
    expect(toOpenAIChat(JSON.parse(JSON.stringify(canonical)))).toEqual(messages)
    for (const { content, toolCalls, toolCallId } of canonical) {
      expect(content !== '' || toolCalls !== undefined || toolCallId !== undefined).toBe(true)
    }
  })

  it('come back as they were, whatever they hold', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(toOpenAIChat(structuredClone(fromOpenAIChat(messages)))).toEqual(messages)
      }),
    )
  })

  it('become plain messages where they are plain', () => {
    expect(fromOpenAIChat(FIXTURES['plain text of every role'])).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ])
  })

  it('keep images for every format, and a content that says what they are', () => {
    const [, picture] = fromOpenAIChat(FIXTURES['images, audio and files'])
    expect(picture).toEqual({
      role: 'user',
      content: '[image]',
      parts: {
        format: 'openai-chat',
        placeholder: true,
        content: [{ type: 'image', url: 'https://example.com/a.png' }],
      },
    })
  })

  it('split data URLs, so that other formats find bytes and their type', () => {
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]
    expect(fromOpenAIChat([{ role: 'user', content }])[0]?.parts).toMatchObject({
      content: [{ type: 'image', data: PNG, mediaType: 'image/png' }],
    })
  })

  it('have null for the content of a message that only calls', () => {
    const call = { id: 'a', name: 'x', arguments: '{}' }
    expect(toOpenAIChat([{ role: 'assistant', content: '', toolCalls: [call] }])).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }],
      },
    ])
  })

  it('say a refusal as text', () => {
    expect(fromOpenAIChat([{ role: 'assistant', content: null, refusal: 'No.' }])[0]?.content).toBe('No.')
  })

  it.each([
    [{}, 'messages'],
    ['hello', 'messages'],
    [undefined, 'messages'],
    [[1], 'messages[0]'],
    [[null], 'messages[0]'],
    [
      [
        { role: 'user', content: 'a' },
        { role: 'boss', content: 'b' },
      ],
      'messages[1].role',
    ],
    [[{ content: 'a' }], 'messages[0].role'],
    [[{ role: 'user', content: 5 }], 'messages[0].content'],
    [[{ role: 'user' }], 'messages[0].content'],
    [[{ role: 'user', content: ['a'] }], 'messages[0].content[0]'],
    [[{ role: 'user', content: [{ text: 'a' }] }], 'messages[0].content[0].type'],
    [[{ role: 'user', content: [{ type: 'text', text: 5 }] }], 'messages[0].content[0].text'],
    [[{ role: 'tool', content: 'a' }], 'messages[0].tool_call_id'],
    [[{ role: 'assistant', tool_calls: 'a' }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }], 'messages[0].tool_calls[0].function'],
    [[{ role: 'user', content: 'a', name: () => 1 }], 'messages[0].name'],
    [[{ role: 'user', content: 'a', weight: Number.NaN }], 'messages[0].weight'],
  ])('are refused by the name of what is wrong: %j', (input, field) => {
    expect(() => fromOpenAIChat(input)).toThrow(expect.objectContaining({ code: 'VALIDATION', field }))
    expect(() => fromOpenAIChat(input)).toThrow(ValidationError)
  })

  it('are what the package takes', () => {
    expectTypeOf<OpenAIChatMessage[]>().toExtend<Param[]>()
  })
})
