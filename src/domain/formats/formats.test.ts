import { modelMessageSchema } from 'ai'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Message } from '../message.ts'
import type { AnthropicMessage } from './anthropic-shape.ts'
import { FORMATS, MESSAGE_FORMATS, type MessageFormat } from './formats.ts'
import { NO_RESULT } from './pairing.ts'

const NAMES = MESSAGE_FORMATS

const text = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() !== '')
const callArguments = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    '',
    '{',
    'null',
    '{"a": 1}',
    '{"__proto__":{"polluted":true}}',
    '{"raw_arguments":"x"}',
    '{"raw_arguments":"{}"}',
  ),
)
/** A message that calls, and its results in any order; some lists end while calls are open. */
const called = fc
  .uniqueArray(fc.record({ id: fc.uuid(), name: text, arguments: callArguments }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 4,
  })
  .chain((toolCalls) =>
    fc
      .tuple(
        fc.oneof(fc.constant(''), text),
        fc.shuffledSubarray(toolCalls, { minLength: toolCalls.length }),
        fc.oneof(fc.constant(''), text),
      )
      .map(([content, results, given]): Message[] => [
        { role: 'assistant', content, toolCalls },
        ...results.map(({ id }): Message => ({ role: 'tool', toolCallId: id, content: given })),
      ]),
  )
const spoken = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant'),
  content: text,
}) as fc.Arbitrary<Message>
const conversation = fc
  .tuple(
    fc.array(
      fc.oneof(
        spoken.map((one) => [one]),
        called,
      ),
      { maxLength: 8 },
    ),
    fc.option(called),
  )
  .map(([turns, open]) => [...turns.flat(), ...(open?.slice(0, 1) ?? [])])

/** Arguments that become a value lose their spaces; `objects` alone become one for Anthropic. */
function compact(messages: Message[], objects: boolean): Message[] {
  const rewrite = (given: string) => {
    try {
      const value: unknown = JSON.parse(given)
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      return isObject || !objects ? JSON.stringify(value) : given
    } catch {
      return given
    }
  }
  return messages.map(({ toolCalls, ...message }) => ({
    ...message,
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, arguments: rewrite(call.arguments) })) }),
  }))
}

/** What each format makes of a conversation: its limits, and nothing else. */
const CARRIED: Record<MessageFormat, (messages: Message[]) => Message[]> = {
  'openai-chat': (messages) => messages,
  'openai-responses': (messages) => {
    const joined: Message[] = []
    for (const message of messages) {
      const last = joined.at(-1)
      if (message.role !== 'assistant' || message.content !== '' || last?.role !== 'assistant') joined.push(message)
      else joined[joined.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), ...(message.toolCalls ?? [])] }
    }
    return joined
  },
  anthropic: (messages) => {
    const written = compact(messages, true)
    return [...written.filter(({ role }) => role === 'system'), ...written.filter(({ role }) => role !== 'system')]
  },
  'ai-sdk': (messages) => compact(messages, false),
}

describe.each(NAMES)('the format %s', (name) => {
  const format = FORMATS[name]

  it('round-trips every conversation as far as the format allows', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const back = format.from(JSON.parse(JSON.stringify(format.to(messages))))
        expect(back).toEqual(CARRIED[name](messages))
      }),
    )
  })

  it('round-trips arguments that are not an object or not JSON', () => {
    for (const given of [
      '',
      '{',
      'null',
      '[1, 2]',
      '"x"',
      '{"a":1}',
      '{"raw_arguments":"x"}',
      '{"raw_arguments":"{}"}',
      '{"__proto__":1}',
    ]) {
      if (name === 'ai-sdk' && given === '[1, 2]') continue
      const messages: Message[] = [
        { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'x', arguments: given }] },
      ]
      expect(format.from(JSON.parse(JSON.stringify(format.to(messages))))).toEqual(messages)
    }
  })

  it('leaves out times and agents, and nothing else', () => {
    const message: Message = { role: 'user', content: 'Hello', timestamp: '2026-01-31T09:30:00Z', agentId: 'coach' }
    expect(format.from(format.to([message]))).toEqual([{ role: 'user', content: 'Hello' }])
  })

  it('answers open calls and removes results without a call', () => {
    const call = (id: string) => ({ id, name: 'x', arguments: '{}' })
    const messages: Message[] = [
      { role: 'tool', toolCallId: 'z', content: 'lost' },
      { role: 'tool', content: 'lost' },
      { role: 'assistant', content: '', toolCalls: [call('a'), call('b')] },
      { role: 'tool', toolCallId: 'a', content: '1' },
      { role: 'tool', toolCallId: 'a', content: 'again' },
      { role: 'user', content: 'Go on' },
      { role: 'assistant', content: 'I do', toolCalls: [call('a'), call('c')] },
      { role: 'tool', toolCallId: 'c', content: '3' },
    ]
    const back = format.from(format.to(messages)).map(({ parts: _, ...message }) => message)
    const unanswered: Message = { role: 'tool', toolCallId: 'b', content: NO_RESULT }
    const expected = [messages[2], messages[3], unanswered, messages[5], messages[6], messages[7]]
    // there the answer stands behind its call, and the result where it was
    if (name === 'openai-responses') expected.splice(1, 2, unanswered, messages[3])
    expect(back).toEqual(expected)
    const kept = JSON.stringify(format.to(messages, { unpaired: 'keep' }))
    expect(kept).toContain('lost')
    expect(kept).not.toContain(NO_RESULT)
  })

  it('writes any messages with any parts', () => {
    const junk = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.constantFrom('text', 'image', 'file', 'call', 'native', 'json'),
          value: fc.jsonValue(),
          url: fc.oneof(fc.string(), fc.jsonValue()),
          call: fc.jsonValue(),
          data: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    )
    const change = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          set: fc.jsonValue(),
          drop: fc.jsonValue(),
          in: fc.dictionary(fc.constantFrom('it', 'content'), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    )
    const parts = fc.record(
      {
        format: fc.constantFrom(...NAMES),
        content: fc.oneof(fc.array(junk), fc.jsonValue()),
        native: change,
        outer: change,
        placeholder: fc.jsonValue(),
        attached: fc.jsonValue(),
        apart: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    const message = fc.record(
      {
        role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
        content: fc.string(),
        toolCallId: fc.string(),
        toolCalls: fc.array(fc.record({ id: fc.string(), name: fc.string(), arguments: fc.string() })),
        parts,
      },
      { requiredKeys: ['role', 'content'] },
    ) as fc.Arbitrary<Message>
    fc.assert(
      fc.property(fc.array(message), fc.constantFrom('repair', 'keep'), (messages, unpaired) => {
        expect(() => format.to(messages, { unpaired })).not.toThrow()
      }),
    )
  })

  it('does not let arguments reach a prototype', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', name: 'x', arguments: '{"__proto__":{"polluted":true},"b":1}' }],
      },
    ]
    format.from(format.to(messages))
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(format.from(format.to(messages))).toEqual(messages)
  })
})

describe('a conversation that goes from one format to another', () => {
  const pairs = NAMES.flatMap((from) => NAMES.map((to) => [from, to] as const))

  it.each(pairs)('keeps text, calls and results from %s to %s', (from, to) => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const first = FORMATS[from].from(FORMATS[from].to(messages))
        const second = FORMATS[to].from(JSON.parse(JSON.stringify(FORMATS[to].to(first))))
        expect(second).toEqual(CARRIED[to](CARRIED[from](messages)))
      }),
      { numRuns: 50 },
    )
  })

  const PNG = 'iVBORw0KGgo='
  const PICTURES: Record<MessageFormat, unknown> = {
    'openai-chat': [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
    ],
    'openai-responses': [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
        ],
      },
    ],
    anthropic: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        ],
      },
    ],
    'ai-sdk': [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' },
          { type: 'image', image: new URL('https://example.com/a.png') },
        ],
      },
    ],
  }
  it.each(pairs)('keeps images from %s to %s', (from, to) => {
    const written = FORMATS[to].to(FORMATS[from].from(PICTURES[from]))
    const shown = JSON.stringify(written)
    expect(shown).toContain(PNG)
    expect(shown).toContain('https://example.com/a.png')
    expect(shown).toContain('Look')
    if (from !== to) expect(shown).not.toMatch(/ephemeral|"low"/)
    if (to === 'ai-sdk') expect(modelMessageSchema.array().safeParse(written).error).toBeUndefined()
  })

  it('keeps images that a tool gave where the format has room for them', () => {
    const messages = FORMATS.anthropic.from([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
          },
        ],
      },
    ])
    expect(FORMATS['openai-chat'].to(messages)[1]).toEqual({ role: 'tool', tool_call_id: 'a', content: '[image]' })
    expect(FORMATS['openai-responses'].to(messages)[1]).toEqual({
      type: 'function_call_output',
      call_id: 'a',
      output: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }],
    })
    expect(FORMATS['ai-sdk'].to(messages)[1]).toMatchObject({
      content: [{ output: { type: 'content', value: [{ type: 'image-data', data: PNG, mediaType: 'image/png' }] } }],
    })
  })

  it('leaves out provider-specific parts', () => {
    const messages = FORMATS.anthropic.from({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'SECRET' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'SECRET' },
            { type: 'text', text: 'Hi' },
          ],
        },
      ],
    })
    for (const name of ['openai-chat', 'openai-responses', 'ai-sdk'] as const) {
      expect(FORMATS[name].from(FORMATS[name].to(messages)).map(({ content }) => content)).toEqual(['Hello', 'Hi'])
      expect(JSON.stringify(FORMATS[name].to(messages))).not.toContain('SECRET')
    }
  })

  it('writes a placeholder if nothing else is left', () => {
    const film = { type: 'file', data: 'AAAA', mediaType: 'video/mp4' }
    const messages = FORMATS['ai-sdk'].from(['user', 'assistant'].map((role) => ({ role, content: [film] })))
    expect(FORMATS.anthropic.to(messages).messages).toEqual([
      { role: 'user', content: '[file]' },
      { role: 'assistant', content: '[file]' },
    ])
    expect(FORMATS['openai-chat'].to(messages)[1]).toEqual({ role: 'assistant', content: '[file]' })
    expect(FORMATS['openai-responses'].to(messages)[1]).toEqual({ role: 'assistant', content: '[file]' })
  })

  it('writes images that a caller put into the parts', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Look', parts: { content: [{ type: 'image', url: 'https://example.com/a.png' }] } },
    ]
    for (const name of NAMES) {
      const [message] = FORMATS[name].from(FORMATS[name].to(messages))
      expect(message).toMatchObject({
        content: 'Look',
        parts: { content: [{ type: 'text' }, { type: 'image', url: 'https://example.com/a.png' }] },
      })
    }
  })

  it('keeps from Anthropic to the AI SDK, and back, that a tool failed', () => {
    const given = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'no', is_error: true }] },
    ]
    const written = FORMATS['ai-sdk'].to(FORMATS.anthropic.from(given))
    expect(written[1]).toMatchObject({ content: [{ output: { type: 'error-text', value: 'no' } }] })
    expect(FORMATS.anthropic.to(FORMATS['ai-sdk'].from(written)).messages).toEqual(given)
  })
})

describe('what providers refuse', () => {
  const messages = fc
    .tuple(conversation, fc.infiniteStream(fc.nat(99)))
    .map(([list, keys]) =>
      list.map((message) => ({ message, key: keys.next().value as number })).filter(({ key }) => key > 20),
    )
    .map((list) =>
      list.toSorted((a, b) => Math.floor(a.key / 34) - Math.floor(b.key / 34)).map(({ message }) => message),
    )

  it('is never written for OpenAI chat: results follow their calls, each once', () => {
    fc.assert(
      fc.property(messages, (list) => {
        let open: string[] = []
        for (const message of FORMATS['openai-chat'].to(list)) {
          if (message.role === 'tool') {
            expect(open).toContain(message.tool_call_id)
            open = open.filter((id) => id !== message.tool_call_id)
            continue
          }
          expect(open).toEqual([])
          open = message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : []
        }
      }),
    )
  })

  it('is never written for Anthropic: results are first in the next message, no block is empty, no input is other than an object', () => {
    fc.assert(
      fc.property(messages, (list) => {
        let open: string[] = []
        for (const message of FORMATS.anthropic.to(list).messages) {
          const blocks: Extract<AnthropicMessage['content'], readonly unknown[]>[number][] =
            typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
          const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
          expect(results.toSorted()).toEqual(open.toSorted().filter((id) => results.includes(id)))
          if (message.role === 'assistant') expect(open).toEqual([])
          expect(blocks.slice(0, results.length).every(({ type }) => type === 'tool_result')).toBe(true)
          for (const block of blocks) {
            if (block.type === 'text') expect(block.text.trim()).not.toBe('')
            if (block.type === 'tool_use') expect(block.input).toBeTypeOf('object')
            if (block.type === 'tool_use') expect(Array.isArray(block.input) || block.input === null).toBe(false)
          }
          open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        }
      }),
    )
  })

  it('is never written for the AI SDK', () => {
    fc.assert(
      fc.property(messages, (list) => {
        expect(modelMessageSchema.array().safeParse(FORMATS['ai-sdk'].to(list)).error).toBeUndefined()
      }),
    )
  })
})

it('gives each format its own output', () => {
  expectTypeOf(FORMATS.anthropic.to([]).messages).toEqualTypeOf<AnthropicMessage[]>()
  expectTypeOf<keyof typeof FORMATS>().toEqualTypeOf<MessageFormat>()
})

describe('parts that somebody made up', () => {
  it.each(MESSAGE_FORMATS)('do not keep %s from being written', (format) => {
    for (const it of [null, 5, true]) {
      const parts = { format, native: { set: { it } } }
      expect(() => FORMATS[format].to([{ role: 'user', content: 'x', parts }])).not.toThrow()
    }
  })
})
