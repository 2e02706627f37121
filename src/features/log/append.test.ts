import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RECORDED_TYPES } from '../../domain/event.ts'
import { type EventInput, LIMITS, open, type Session, type Throughline } from '../../index.ts'

let throughline: Throughline
let session: Session

beforeAll(async () => {
  throughline = await open('memory:')
})

beforeEach(async () => {
  session = await throughline.sessions.create({ userId: 'ada' })
  await session.append({ type: 'user_message', content: 'hello' })
})

afterAll(() => throughline.close())

/** Appends what must be refused, and sees that nothing was written. */
async function refusal(input: unknown, options?: unknown): Promise<{ code: string; field: string; message: string }> {
  const before = await session.events()
  const record = await session.record()
  const error: unknown = await session.append(input as EventInput, options as undefined).then(
    () => new Error('was accepted'),
    (reason: unknown) => reason,
  )
  expect(await session.events()).toEqual(before)
  expect(await session.record()).toEqual(record)
  if (!(error instanceof Error && 'code' in error && 'field' in error)) throw error
  const { code, field, message } = error as Error & { code: string; field: string }
  return { code, field, message }
}

async function accepted(input: EventInput) {
  const [event] = await session.append(input)
  return event
}

const said = { type: 'user_message', content: 'text' }

const INVALID: [what: string, event: unknown, field: string][] = [
  ['no type', { content: 'text' }, 'type'],
  ['a type that is no text', { ...said, type: 1 }, 'type'],
  ['an unknown type', { ...said, type: 'user_massage' }, 'type'],
  ['a type every object has', { ...said, type: 'toString' }, 'type'],
  ['a custom type without a name', { ...said, type: 'x.' }, 'type'],
  ['a custom type with a blank', { ...said, type: 'x.my note' }, 'type'],
  ['a custom type with a line break', { ...said, type: 'x.note\n' }, 'type'],
  ['a custom type of 128 characters', { ...said, type: `x.${'n'.repeat(128)}` }, 'type'],
  ['a role of no one', { ...said, role: 'model' }, 'role'],
  ['no content', { type: 'user_message' }, 'content'],
  ['empty content', { ...said, content: '' }, 'content'],
  ['content that is no text', { ...said, content: ['text'] }, 'content'],
  ['content with NUL', { ...said, content: 'te\0xt' }, 'content'],
  ['content with a lone surrogate', { ...said, content: 'te\ud800xt' }, 'content'],
  ['an empty agent', { ...said, agentId: '' }, 'agentId'],
  ['an agent with NUL', { ...said, agentId: '\0' }, 'agentId'],
  ['an agent that is no text', { ...said, agentId: null }, 'agentId'],
  ['a field that is not known', { ...said, sequence: 7 }, 'sequence'],
  ['a field misspelt', { ...said, occuredAt: '2026-01-31' }, 'occuredAt'],
  [
    "a field named '__proto__'",
    JSON.parse('{"type":"user_message","content":"text","__proto__":{"a":1}}'),
    '__proto__',
  ],
  ['parts that are no JSON', { ...said, parts: 1n }, 'parts'],
  ['parts with a date', { ...said, parts: { at: [new Date(0)] } }, 'parts.at[0]'],
  ['parts with 50,001 items', { ...said, parts: { a: Array(LIMITS.members).fill(0) } }, 'parts'],
  [
    'a message with 1,001 calls',
    { type: 'model_message', parts: { toolCalls: Array(1001).fill({ id: 'a' }) } },
    'parts.toolCalls',
  ],
  ['parts with NUL', { ...said, parts: { a: { b: '\0' } } }, 'parts.a.b'],
  ['parts with a bad key', { ...said, parts: { a: { '\ud800': 1 } } }, 'parts.a'],
  ["parts with the key '__proto__'", { ...said, parts: JSON.parse('{"a":{"__proto__":1}}') }, 'parts.a'],
  ['a message with nothing but parts', { type: 'model_message', parts: { a: 1 } }, 'content'],
  ['a message with no calls in toolCalls', { type: 'model_message', parts: { toolCalls: [] } }, 'content'],
  ['a tool_call without an id', { type: 'tool_call', parts: { name: 'read' } }, 'content'],
  ['a tool_call of a list', { type: 'tool_call', parts: [{ id: 'a' }] }, 'content'],
  ['a tool_result without parts', { type: 'tool_result' }, 'content'],
  ['a custom event without parts', { type: 'x.note' }, 'content'],
  ['a tool_call with an empty id', { type: 'tool_call', parts: { id: '' } }, 'parts.id'],
  ['a tool_call with a number for an id', { type: 'tool_call', content: 'a', parts: { id: 1 } }, 'parts.id'],
  ['a tool_result of an empty id', { type: 'tool_result', parts: { toolCallId: '' } }, 'parts.toolCallId'],
  ['a tool_result of null', { type: 'tool_result', parts: { toolCallId: null } }, 'parts.toolCallId'],
  ['toolCalls that are no list', { type: 'model_message', content: 'a', parts: { toolCalls: {} } }, 'parts.toolCalls'],
  ['toolCalls of null', { type: 'model_message', content: 'a', parts: { toolCalls: null } }, 'parts.toolCalls'],
  ...[null, 'a', {}, { id: '' }, { id: 1 }].map((call): [string, unknown, string] => [
    `a call that is ${JSON.stringify(call)}`,
    { type: 'model_message', content: 'a', parts: { toolCalls: [{ id: 'a' }, call] } },
    'parts.toolCalls[1].id',
  ]),
]

describe('an event with', () => {
  it.each(INVALID)('%s is refused, and the field named', async (_, event, field) => {
    expect(await refusal(event)).toMatchObject({ code: 'VALIDATION', field })
  })

  it.each(INVALID)('%s is refused in a list, and its place named', async (_, event, field) => {
    expect(await refusal([said, said, event])).toMatchObject({ code: 'VALIDATION', field: `events[2].${field}` })
  })

  it.each<[string, unknown, { field: string; limit: number; actual: number }]>([
    [
      'content beyond the limit',
      { ...said, content: 'x'.repeat(LIMITS.content + 1) },
      { field: 'content', limit: LIMITS.content, actual: LIMITS.content + 1 },
    ],
    [
      'parts beyond the limit',
      { ...said, parts: 'x'.repeat(LIMITS.parts - 1) },
      { field: 'parts', limit: LIMITS.parts, actual: LIMITS.parts + 1 },
    ],
    [
      'an agent of 513 characters',
      { ...said, agentId: 'x'.repeat(513) },
      { field: 'agentId', limit: 512, actual: 513 },
    ],
  ])('%s is refused, and the limit named', async (_, event, { field, limit, actual }) => {
    const says = (at: string) => `${at}: size ${actual} exceeds the limit of ${limit}`
    expect(await refusal(event)).toEqual({ code: 'TOO_LARGE', field, message: says(field) })
    const at = `events[1].${field}`
    expect(await refusal([said, event])).toEqual({ code: 'TOO_LARGE', field: at, message: says(at) })
  })

  it.each(Object.entries(RECORDED_TYPES))('the type %s is refused with the call that writes it', async (type, call) => {
    expect(await refusal({ ...said, type })).toEqual({
      code: 'VALIDATION',
      field: 'type',
      message: `type: '${type}' is reserved: ${call} writes it`,
    })
  })

  it('an unknown type is refused with the types there are', async () => {
    const { message } = await refusal({ ...said, type: 'note' })
    expect(message).toContain("'note' is unknown")
    expect(message).toContain('user_message, model_message, tool_call')
    expect(message).toContain("'x.'")
  })

  it('bad content is refused without repeating it', async () => {
    expect((await refusal({ ...said, content: 'secret\0' })).message).not.toContain('secret')
    expect((await refusal({ ...said, parts: { a: 'secret\0' } })).message).not.toContain('secret')
  })
})

describe('a list of events', () => {
  it('is refused when it is empty', async () => {
    expect(await refusal([])).toMatchObject({ code: 'VALIDATION', field: 'events' })
  })

  it.each([undefined, null, 'user_message', 7])('is refused when it holds %j', async (event) => {
    expect(await refusal([said, event])).toMatchObject({ code: 'VALIDATION', field: 'events[1]' })
  })

  it('is refused when it has a hole', async () => {
    const events: unknown[] = [said]
    events[2] = said
    expect(await refusal(events)).toMatchObject({ code: 'VALIDATION', field: 'events[1]' })
  })

  it('is refused beyond a thousand events', async () => {
    const events = (length: number) => Array<EventInput>(length).fill({ type: 'x.tick', parts: 1 })
    expect(await refusal(events(1001))).toMatchObject({ code: 'TOO_LARGE', field: 'events' })
    const other = await throughline.sessions.create({ userId: 'ada' })
    expect(await other.append(events(1000))).toHaveLength(1000)
  })

  it('is refused beyond the size of an append, whatever the size of each', async () => {
    const content = 'x'.repeat(6 * 1024 * 1024)
    expect(await refusal(Array(3).fill({ ...said, content }))).toEqual({
      code: 'TOO_LARGE',
      field: 'events',
      message: `events: size ${3 * content.length} exceeds the limit of ${LIMITS.append}`,
    })
    const parts = 'x'.repeat(6 * 1024 * 1024 - 2)
    expect(await refusal(Array(3).fill({ ...said, content: 'x', parts }))).toMatchObject({ field: 'events' })
    const half: EventInput = { type: 'user_message', content: 'x'.repeat(LIMITS.append / 2) }
    expect(await refusal([half, half, said])).toMatchObject({ code: 'TOO_LARGE', field: 'events' })
    expect(await session.append([half, half])).toHaveLength(2)
  })

  it('is written as a whole or not at all', async () => {
    await refusal([said, said, { ...said, content: '' }])
  })
})

describe('an append of', () => {
  it.each([undefined, null, 'user_message', 7, () => said])('%s is refused', async (input) => {
    expect(await refusal(input)).toMatchObject({ code: 'VALIDATION', field: 'input' })
  })
})

describe('options with', () => {
  it.each<[what: string, options: unknown, code: string, field: string]>([
    ['nothing in them', null, 'VALIDATION', 'input'],
    ['an empty key', { idempotencyKey: '' }, 'VALIDATION', 'idempotencyKey'],
    ['a key that is no text', { idempotencyKey: 7 }, 'VALIDATION', 'idempotencyKey'],
    ['a key with NUL', { idempotencyKey: 'a\0' }, 'VALIDATION', 'idempotencyKey'],
    ['a long key', { idempotencyKey: 'k'.repeat(513) }, 'TOO_LARGE', 'idempotencyKey'],
    ['a key misspelt', { idempotency_key: 'k' }, 'VALIDATION', 'idempotency_key'],
    ['a sequence below zero', { expectedSequence: -1 }, 'VALIDATION', 'expectedSequence'],
    ['a broken sequence', { expectedSequence: 1.5 }, 'VALIDATION', 'expectedSequence'],
    ['a sequence in text', { expectedSequence: '2' }, 'VALIDATION', 'expectedSequence'],
    ['a sequence that is no number', { expectedSequence: Number.NaN }, 'VALIDATION', 'expectedSequence'],
    ['a sequence beyond exact numbers', { expectedSequence: 2 ** 53 }, 'VALIDATION', 'expectedSequence'],
  ])('%s are refused', async (_, options, code, field) => {
    expect(await refusal(said, options)).toMatchObject({ code, field })
  })

  it('another sequence than the last are refused as a conflict', async () => {
    await expect(session.append({ type: 'x.a', content: 'a' }, { expectedSequence: 1 })).rejects.toMatchObject({
      code: 'SEQUENCE_CONFLICT',
      details: { sessionId: session.id, expected: 1, actual: 2 },
    })
    expect((await session.record()).head).toBe(2)
    expect(await session.append({ type: 'x.a', content: 'a' }, { expectedSequence: 2 })).toHaveLength(1)
  })
})

describe('the time that the caller gives', () => {
  it.each([
    '2026-01-31',
    '2026-01-31T09:30',
    '2026-01-31T09:30Z',
    '2026-01-31T09:30+05:30',
    '2026-01-31T09:30:00',
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.1Z',
    '2026-01-31T09:30:00.123456789Z',
    '2026-01-31T09:30:00+05:30',
    '2026-01-31T09:30:00.000-11:00',
    '2026-01-31T09:30:00+0530',
    '2026-01-31T09:30:00+05',
    '2026-01-31T09:30:00,5Z',
    '2016-12-31T23:59:60Z',
    '0001-01-01T00:00:00Z',
    '2024-02-29',
  ])('%s is kept as it was written', async (occurredAt) => {
    const event = await accepted({ type: 'user_message', content: 'text', occurredAt })
    expect(event?.occurredAt).toBe(occurredAt)
    expect((await session.events({ order: 'desc', limit: 1 }))[0]?.occurredAt).toBe(occurredAt)
  })

  it.each<[unknown]>([
    [''],
    ['now'],
    ['2026-02-29'],
    ['2026-13-01'],
    ['2026-01-31T25:00:00Z'],
    ['2026-01-31 09:30:00'],
    ['31.01.2026'],
    ['Sat, 31 Jan 2026 09:30:00 GMT'],
    ['2026-01-31T09:30:00Z\0'],
    [1_769_851_800_000],
    [new Date(0)],
    [null],
  ])('is refused as %j', async (occurredAt) => {
    expect(await refusal({ ...said, occurredAt })).toMatchObject({ code: 'VALIDATION', field: 'occurredAt' })
  })
})

describe('what is accepted', () => {
  it.each<[string, EventInput]>([
    ['a tool_call', { type: 'tool_call', parts: { id: 'a', name: 'read', arguments: {} } }],
    [
      'a message with tool calls',
      { type: 'model_message', parts: { toolCalls: [{ id: 'b', name: 'f', arguments: '' }] } },
    ],
    ['a tool_result', { type: 'tool_result', parts: { toolCallId: 'a' } }],
    ['a custom event with parts', { type: 'x.note', parts: null }],
  ])('may be %s without content', async (_, input) => {
    expect(await accepted(input)).toMatchObject({ ...input, content: '' })
  })

  it('has the role of its type, unless it was given another', async () => {
    expect(await accepted({ type: 'tool_result', content: 'ok' })).toMatchObject({ role: 'tool' })
    expect(await accepted({ type: 'tool_result', content: 'ok', role: 'user' })).toMatchObject({ role: 'user' })
  })

  it('has no field that was undefined', async () => {
    const event = await accepted({
      type: 'user_message',
      content: 'text',
      ...({ parts: undefined, agentId: undefined } as object),
    })
    expect(Object.keys(event ?? {}).toSorted()).toEqual(
      ['content', 'createdAt', 'id', 'role', 'sequence', 'sessionId', 'type'].toSorted(),
    )
  })

  it('may have a name of 127 characters behind x., and an agent of 512', async () => {
    const input: EventInput = { type: `x.${'n'.repeat(127)}`, content: 'text', agentId: 'a'.repeat(512) }
    expect(await accepted(input)).toMatchObject(input)
  })

  it('may be as large as the limit', async () => {
    const content = 'x'.repeat(LIMITS.content)
    const parts = 'y'.repeat(LIMITS.parts - 2)
    expect(await accepted({ type: 'user_message', content, parts })).toMatchObject({ content, parts })
  })
})
