import { type ModelMessage, modelMessageSchema } from 'ai'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ValidationError } from '../errors.ts'
import { fromAISDK, toAISDK } from './ai-sdk.ts'
import type { AISDKMessage } from './ai-sdk-shape.ts'

const call = (id: string, input: unknown) =>
  ({ type: 'tool-call', toolCallId: id, toolName: 'weather', input }) as const
const result = (id: string, value = 'sun') =>
  ({ type: 'tool-result', toolCallId: id, toolName: 'weather', output: { type: 'text', value } }) as const
const PNG = 'iVBORw0KGgo='

const FIXTURES: Record<string, ModelMessage[]> = {
  'plain text': [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: [{ type: 'text', text: 'Bye' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Bye' }] },
  ],
  'options of providers': [
    { role: 'system', content: 'Be brief.', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    { role: 'user', content: [{ type: 'text', text: 'Hello', providerOptions: { openai: { x: 1 } } }] },
    { role: 'assistant', content: [{ ...call('a', {}), providerOptions: { google: { thoughtSignature: 'EqQB' } } }] },
    {
      role: 'tool',
      content: [{ ...result('a'), providerOptions: { x: { y: null } } }],
      providerOptions: { a: { b: 2 } },
    },
  ],
  'reasoning, parallel calls and results of every kind': [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'All at once', providerOptions: { anthropic: { signature: 'EqQB' } } },
        { type: 'text', text: 'I look it up.' },
        call('a', { city: 'Oslo' }),
        call('b', ['Rome']),
        call('c', 'Bonn'),
        call('d', undefined),
        call('e', null),
        call('f', { raw_arguments: 'no json' }),
        { type: 'custom', kind: 'x.y' },
      ],
    },
    {
      role: 'tool',
      content: [
        result('b', ''),
        { ...result('a'), output: { type: 'json', value: { sky: ['sun', null, 1.5] } } },
        { ...result('c'), output: { type: 'error-text', value: 'no such city' } },
        { ...result('d'), output: { type: 'error-json', value: null } },
        { ...result('e'), output: { type: 'execution-denied' } },
        { ...result('f'), toolName: 'other', output: { type: 'execution-denied', reason: 'Not today' } },
      ],
    },
    { role: 'assistant', content: [call('g', {}), call('h', {})] },
    { role: 'tool', content: [result('g')] },
    { role: 'tool', content: [result('h')] },
    { role: 'assistant', content: 'Done' },
  ],
  'images and files': [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', image: PNG, mediaType: 'image/png' },
        { type: 'image', image: 'https://example.com/a.png' },
        { type: 'image', image: new URL('https://example.com/a.png') },
        { type: 'image', image: { openai: 'file-1' } },
        { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
        { type: 'file', data: new URL('https://example.com/a.pdf'), mediaType: 'application/pdf' },
        { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' },
        { type: 'file', data: { type: 'url', url: new URL('https://example.com/a.mp3') }, mediaType: 'audio/mpeg' },
        { type: 'file', data: { type: 'text', text: 'Once' }, mediaType: 'text/plain' },
        { type: 'file', data: { type: 'reference', reference: { openai: 'file-2' } }, mediaType: 'image/png' },
      ],
    },
    { role: 'user', content: [{ type: 'image', image: PNG }] },
    {
      role: 'assistant',
      content: [
        { type: 'file', data: PNG, mediaType: 'image/png' },
        {
          type: 'reasoning-file',
          data: { type: 'url', url: new URL('https://example.com/a.png') },
          mediaType: 'image/png',
        },
      ],
    },
  ],
  'results with content': [
    { role: 'assistant', content: [call('a', {})] },
    {
      role: 'tool',
      content: [
        {
          ...result('a'),
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'Here' },
              { type: 'image-data', data: PNG, mediaType: 'image/png' },
              { type: 'image-url', url: 'https://example.com/a.png' },
              { type: 'file-data', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
              { type: 'file-url', url: 'https://example.com/a.pdf' },
              {
                type: 'file',
                data: { type: 'url', url: new URL('https://example.com/b.pdf') },
                mediaType: 'application/pdf',
              },
              { type: 'file-id', fileId: 'file-1' },
              { type: 'custom', providerOptions: { x: { y: 1 } } },
            ],
          },
        },
      ],
    },
  ],
  'approvals, and tools of the provider': [
    {
      role: 'assistant',
      content: [
        call('a', {}),
        { type: 'tool-approval-request', approvalId: 'ok', toolCallId: 'a' },
        { ...call('s', { query: 'x' }), providerExecuted: true },
        result('s'),
        { ...call('t', {}), providerExecuted: true },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ok', approved: true }] },
    { role: 'tool', content: [result('a'), result('t')] },
    { role: 'user', content: 'Thanks' },
  ],
  'contents that are empty': [
    { role: 'system', content: '' },
    { role: 'user', content: '' },
    { role: 'user', content: [] },
    { role: 'user', content: [{ type: 'text', text: '' }] },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: [] },
    { role: 'tool', content: [] },
  ],
}

const text = fc.string({ maxLength: 12 })
const options = fc.constant({ acme: { cache: true } })
const textPart = fc.record(
  { type: fc.constant('text'), text, providerOptions: options },
  { requiredKeys: ['type', 'text'] },
)
const url = fc.webUrl().map((address) => new URL(address))
const data = fc.oneof(
  fc.base64String(),
  fc.webUrl(),
  fc.base64String().map((bytes) => `data:image/png;base64,${bytes}`),
  url,
  fc.record({ type: fc.constant('data'), data: fc.base64String() }),
  fc.record({ type: fc.constant('url'), url }),
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('reference'), reference: fc.constant({ acme: 'file-1' }) }),
)
const mediaType = fc.constantFrom('image/png', 'image', 'application/pdf', 'audio/wav', 'text/plain')
const file = fc.record(
  { type: fc.constant('file'), data, mediaType, filename: text },
  { requiredKeys: ['type', 'data', 'mediaType'] },
)
const image = fc.record(
  { type: fc.constant('image'), image: fc.oneof(fc.base64String(), fc.webUrl(), url), mediaType },
  { requiredKeys: ['type', 'image'] },
)
const thought = fc.oneof(
  fc.record({ type: fc.constant('reasoning'), text, providerOptions: options }),
  fc.record({ type: fc.constant('custom'), kind: fc.constant('acme.x') }),
)
const output = fc.oneof(
  fc.record(
    { type: fc.constantFrom('text', 'error-text'), value: text, providerOptions: options },
    { requiredKeys: ['type', 'value'] },
  ),
  fc.record({ type: fc.constantFrom('json', 'error-json'), value: fc.jsonValue() }),
  fc.record({ type: fc.constant('execution-denied'), reason: text }, { requiredKeys: ['type'] }),
  fc.record({
    type: fc.constant('content'),
    value: fc.array(
      fc.oneof(
        textPart,
        fc.record({ type: fc.constant('image-data'), data: fc.base64String(), mediaType }),
        fc.record({ type: fc.constantFrom('image-url', 'file-url'), url: fc.oneof(text, fc.webUrl()) }),
        fc.record({ type: fc.constant('file-data'), data: fc.base64String(), mediaType, filename: text }),
        fc.record({
          type: fc.constant('file'),
          data: data.filter((one) => typeof one === 'object' && !(one instanceof URL)),
          mediaType,
        }),
        fc.record({ type: fc.constant('custom'), providerOptions: options }),
      ),
    ),
  }),
)
const said = fc.oneof(
  fc.record(
    { role: fc.constant('system'), content: text, providerOptions: options },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    {
      role: fc.constant('user'),
      content: fc.oneof(text, fc.array(fc.oneof(textPart, image, file))),
      providerOptions: options,
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record({ role: fc.constant('assistant'), content: fc.oneof(text, fc.array(fc.oneof(textPart, thought, file))) }),
)
const called = fc
  .tuple(
    fc.uniqueArray(fc.record({ id: text, name: text, input: fc.jsonValue(), output }), {
      selector: ({ id }) => id,
      minLength: 1,
      maxLength: 4,
    }),
    fc.array(fc.oneof(textPart, thought), { maxLength: 2 }),
    fc.boolean(),
  )
  .chain(([calls, before, together]) =>
    fc.shuffledSubarray(calls, { minLength: calls.length }).map((answered) => {
      const results = answered.map(({ id, name, output }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output,
      }))
      return [
        {
          role: 'assistant',
          content: [
            ...before,
            ...calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })),
          ],
        },
        ...(together
          ? [{ role: 'tool', content: results }]
          : results.map((one) => ({ role: 'tool', content: [one], providerOptions: { acme: {} } }))),
      ]
    }),
  )
const conversation = fc
  .array(
    fc.oneof(
      said.map((one) => [one]),
      called,
    ),
  )
  .map((list) => list.flat())

describe('messages of the AI SDK', () => {
  it.each(Object.entries(FIXTURES))('come back as they were: %s', (_, messages) => {
    const canonical = fromAISDK(messages)
    const back = toAISDK(JSON.parse(JSON.stringify(canonical)))
    expect(back).toEqual(messages)
    expect(modelMessageSchema.array().safeParse(back).error).toBeUndefined()
    for (const { content, toolCalls, toolCallId } of canonical) {
      expect(content !== '' || toolCalls !== undefined || toolCallId !== undefined).toBe(true)
    }
  })

  it('come back as they were, whatever they hold', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const back = toAISDK(structuredClone(fromAISDK(messages)))
        expect(back).toEqual(messages)
        expect(modelMessageSchema.array().safeParse(back).error).toBeUndefined()
      }),
    )
  })

  it('have their bytes as base64 from then on', () => {
    const bytes = new Uint8Array([137, 80, 78, 71])
    const messages: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'image', image: bytes },
          { type: 'image', image: Buffer.from(bytes) },
          { type: 'file', data: bytes.buffer, mediaType: 'image/png' },
          { type: 'file', data: { type: 'data', data: new Uint8Array(100_000) }, mediaType: 'image/png' },
        ],
      },
    ]
    const [message] = fromAISDK(messages)
    expect(message?.parts).toEqual(JSON.parse(JSON.stringify(message?.parts)))
    expect(toAISDK(fromAISDK(messages))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', image: 'iVBORw==' },
          { type: 'image', image: 'iVBORw==' },
          { type: 'file', data: 'iVBORw==', mediaType: 'image/png' },
          {
            type: 'file',
            data: { type: 'data', data: Buffer.alloc(100_000).toString('base64') },
            mediaType: 'image/png',
          },
        ],
      },
    ])
  })

  it('keep bytes once', () => {
    const files: ModelMessage[] = [
      { role: 'user', content: [{ type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' }] },
      { role: 'user', content: [{ type: 'file', data: PNG, mediaType: 'image/png' }] },
      { role: 'user', content: [{ type: 'image', image: `data:image/png;base64,${PNG}` }] },
    ]
    for (const message of fromAISDK(files)) expect(JSON.stringify(message).split(PNG)).toHaveLength(2)
  })

  it('pass over an address that is none', () => {
    const content = [{ type: 'file', url: 'nowhere', tagged: true, mediaType: 'image/png' }]
    expect(() => toAISDK([{ role: 'user', content: 'x', parts: { format: 'ai-sdk', content } }])).not.toThrow()
  })

  it('keep values as the text of their JSON, and that a tool failed', () => {
    const results = fromAISDK(FIXTURES['reasoning, parallel calls and results of every kind']).filter(
      ({ role }) => role === 'tool',
    )
    expect(results.map(({ content, parts }) => [content, parts?.isError === true])).toEqual([
      ['', false],
      ['{"sky":["sun",null,1.5]}', false],
      ['no such city', true],
      ['null', true],
      ['', true],
      ['Not today', true],
      ['sun', false],
      ['sun', false],
    ])
  })

  it('name the tool of each result, and take all results of a message together', () => {
    const messages = toAISDK([
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'x', arguments: '1' },
          { id: 'b', name: 'y', arguments: '{' },
        ],
      },
      { role: 'tool', toolCallId: 'b', content: '2' },
      { role: 'tool', toolCallId: 'a', content: '' },
    ])
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: 1 },
          { type: 'tool-call', toolCallId: 'b', toolName: 'y', input: { raw_arguments: '{' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'b', toolName: 'y', output: { type: 'text', value: '2' } },
          { type: 'tool-result', toolCallId: 'a', toolName: 'x', output: { type: 'text', value: '' } },
        ],
      },
    ])
  })

  it.each([
    [5, 'messages'],
    [[{ role: 'developer', content: '' }], 'messages[0].role'],
    [[{ role: 'tool', content: 'a' }], 'messages[0].content'],
    [[{ role: 'user' }], 'messages[0].content'],
    [[{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
    [[{ role: 'tool', content: [{ type: 'tool-result' }] }], 'messages[0].content[0].toolCallId'],
    [[{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] }], 'messages[0].content[0].toolName'],
    [
      [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'b' }] }],
      'messages[0].content[0].output',
    ],
    [[{ role: 'assistant', content: [{ type: 'tool-call' }] }], 'messages[0].content[0].toolCallId'],
    [[{ role: 'assistant', content: [{ type: 'file', data: new Date(Number.NaN) }] }], 'messages[0].content[0].data'],
  ])('are refused by the name of what is wrong', (input, field) => {
    expect(() => fromAISDK(input)).toThrow(expect.objectContaining({ code: 'VALIDATION', field }))
    expect(() => fromAISDK(input)).toThrow(ValidationError)
  })

  it('are what the package takes', () => {
    expectTypeOf<AISDKMessage[]>().toExtend<ModelMessage[]>()
  })
})
