import assert from 'node:assert/strict'
import type { Session, Throughline } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError } from './samples.ts'

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = { a: value }
  return value
}

function circle(): unknown {
  const value: Record<string, unknown> = {}
  value['s'] = value
  return value
}

/** Invalid events, with the expected code and field. */
const BAD_EVENTS: readonly [what: string, event: unknown, code: string, field: string][] = [
  ['nothing', undefined, 'VALIDATION', 'input'],
  ['null', null, 'VALIDATION', 'input'],
  ['text', 'hello', 'VALIDATION', 'input'],
  ['an empty list', [], 'VALIDATION', 'events'],
  ['1001 events', Array(1001).fill({ type: 'user_message', content: 'c' }), 'TOO_LARGE', 'events'],
  ['no type', { content: 'c' }, 'VALIDATION', 'type'],
  ['a type that is no text', { type: 7, content: 'c' }, 'VALIDATION', 'type'],
  ['an unknown type', { type: 'note', content: 'c' }, 'VALIDATION', 'type'],
  ['a reserved type', { type: 'session_started', content: 'c' }, 'VALIDATION', 'type'],
  ['another reserved type', { type: 'status_changed', content: 'c' }, 'VALIDATION', 'type'],
  ['a custom type without a name', { type: 'x.', content: 'c' }, 'VALIDATION', 'type'],
  ['a custom type with a blank', { type: 'x.a b', content: 'c' }, 'VALIDATION', 'type'],
  ['a type from the prototype', { type: 'constructor', content: 'c' }, 'VALIDATION', 'type'],
  ['an unknown role', { type: 'user_message', role: 'boss', content: 'c' }, 'VALIDATION', 'role'],
  ['no content', { type: 'user_message' }, 'VALIDATION', 'content'],
  ['empty content', { type: 'user_message', content: '' }, 'VALIDATION', 'content'],
  [
    'empty content beside no tool call',
    { type: 'model_message', content: '', parts: { toolCalls: [] } },
    'VALIDATION',
    'content',
  ],
  ['content that is no text', { type: 'user_message', content: { a: 1 } }, 'VALIDATION', 'content'],
  ['content of 10 MB', { type: 'user_message', content: 'x'.repeat(10_000_000) }, 'TOO_LARGE', 'content'],
  ['NUL in content', { type: 'user_message', content: 'a\0b' }, 'VALIDATION', 'content'],
  ['a lone surrogate in content', { type: 'user_message', content: 'a\ud800b' }, 'VALIDATION', 'content'],
  ['NUL in parts', { type: 'x.a', content: 'c', parts: { a: ['\0'] } }, 'VALIDATION', 'parts.a[0]'],
  ['a lone surrogate in a key', { type: 'x.a', content: 'c', parts: { '\udc00': 1 } }, 'VALIDATION', 'parts'],
  [
    'a __proto__ key',
    { type: 'x.a', content: 'c', parts: JSON.parse('{"a":{"__proto__":{"b":1}}}') },
    'VALIDATION',
    'parts.a',
  ],
  ['NaN in parts', { type: 'x.a', content: 'c', parts: { a: Number.NaN } }, 'VALIDATION', 'parts.a'],
  ['a bigint in parts', { type: 'x.a', content: 'c', parts: { a: 1n } }, 'VALIDATION', 'parts.a'],
  ['a function in parts', { type: 'x.a', content: 'c', parts: { a: () => 1 } }, 'VALIDATION', 'parts.a'],
  ['a date in parts', { type: 'x.a', content: 'c', parts: { a: new Date() } }, 'VALIDATION', 'parts.a'],
  ['a hole in a list', { type: 'x.a', content: 'c', parts: { a: [undefined] } }, 'VALIDATION', 'parts.a[0]'],
  ['parts of 10 MB', { type: 'x.a', content: 'c', parts: { a: 'x'.repeat(10_000_000) } }, 'TOO_LARGE', 'parts'],
  ['parts 10,000 deep', { type: 'x.a', content: 'c', parts: nested(10_000) }, 'VALIDATION', `parts${'.a'.repeat(100)}`],
  ['parts in a circle', { type: 'x.a', content: 'c', parts: circle() }, 'VALIDATION', `parts${'.s'.repeat(100)}`],
  ['a call id that is no text', { type: 'tool_call', content: 'c', parts: { id: 7 } }, 'VALIDATION', 'parts.id'],
  [
    'a result for no call id',
    { type: 'tool_result', content: 'c', parts: { toolCallId: '' } },
    'VALIDATION',
    'parts.toolCallId',
  ],
  [
    'tool calls that are no list',
    { type: 'model_message', content: 'c', parts: { toolCalls: 'a' } },
    'VALIDATION',
    'parts.toolCalls',
  ],
  [
    'a tool call without an id',
    { type: 'model_message', content: 'c', parts: { toolCalls: [{ id: 'a' }, null] } },
    'VALIDATION',
    'parts.toolCalls[1].id',
  ],
  ['an agent that is no text', { type: 'user_message', content: 'c', agentId: 1 }, 'VALIDATION', 'agentId'],
  ['a time that is none', { type: 'user_message', content: 'c', occurredAt: 'yesterday' }, 'VALIDATION', 'occurredAt'],
  ['an unknown field', { type: 'user_message', content: 'c', contnet: 'd' }, 'VALIDATION', 'contnet'],
  [
    'a second event that is bad',
    [{ type: 'user_message', content: 'c' }, { type: 'user_message' }],
    'VALIDATION',
    'events[1].content',
  ],
  ['a second event that is nothing', [{ type: 'user_message', content: 'c' }, null], 'VALIDATION', 'events[1]'],
]

/** A cursor as `sessions.list` writes it. */
const sessionCursor = (...place: unknown[]) => Buffer.from(JSON.stringify(place)).toString('base64url')

/** Cursors that no call has returned. */
const FORGED_CURSORS: readonly string[] = [
  '',
  '{}',
  '../..',
  "1' or '1'='1",
  '1.\0',
  '1.\ud800',
  '9999999999.a',
  'null',
  sessionCursor(),
  sessionCursor('2026-03-01T12:00:00.000Z'),
  sessionCursor('2026-03-01T12:00:00.000Z', "' or 1"),
  sessionCursor('soon', '01890000-0000-7000-8000-000000000000'),
  sessionCursor('+275760-09-13T00:00:00.000Z', '01890000-0000-7000-8000-000000000000'),
  sessionCursor('-000001-01-01T00:00:00.000Z', '01890000-0000-7000-8000-000000000000'),
  sessionCursor({}, ['01890000-0000-7000-8000-000000000000']),
]

/** Invalid arguments of other calls, with the expected field. */
const BAD_CALLS: readonly [what: string, call: (tl: Throughline, s: Session) => Promise<unknown>, field: string][] = [
  ['no user', (tl) => tl.sessions.create({} as never), 'userId'],
  ['an empty user', (tl) => tl.sessions.create({ userId: '' }), 'userId'],
  ['a user with NUL', (tl) => tl.sessions.create({ userId: 'a\0' }), 'userId'],
  ['an id that is no UUID', (tl) => tl.sessions.create({ userId: 'a', id: '7' }), 'id'],
  ['metadata that is a list', (tl) => tl.sessions.create({ userId: 'a', metadata: [] as never }), 'metadata'],
  [
    'metadata with a date',
    (tl) => tl.sessions.create({ userId: 'a', metadata: { d: new Date() as never } }),
    'metadata.d',
  ],
  ['an empty task', (tl) => tl.sessions.create({ userId: 'a', task: '' }), 'task'],
  ['an unknown field', (tl) => tl.sessions.create({ userId: 'a', user: 'b' } as never), 'user'],
  ['an end that is no time', (tl) => tl.sessions.getOrCreate({ userId: 'a', expiresAt: 'soon' }), 'expiresAt'],
  ['a scope without user', (tl) => tl.sessions.active({} as never), 'userId'],
  ['a page of 501', (tl) => tl.sessions.list({ limit: 501 }), 'limit'],
  ['an unknown status', (tl) => tl.sessions.list({ status: 'asleep' as never }), 'status'],
  [
    'a key that is empty',
    (_, s) => s.append({ type: 'user_message', content: 'c' }, { idempotencyKey: '' }),
    'idempotencyKey',
  ],
  [
    'a sequence below 0',
    (_, s) => s.append({ type: 'user_message', content: 'c' }, { expectedSequence: -1 }),
    'expectedSequence',
  ],
  ['an unknown option', (_, s) => s.append({ type: 'user_message', content: 'c' }, { key: 'k' } as never), 'key'],
  ['a page of 0', (_, s) => s.events({ limit: 0 }), 'limit'],
  ['an unknown order', (_, s) => s.events({ order: 'up' as never }), 'order'],
  ['half a sequence', (_, s) => s.events({ after: 0.5 }), 'after'],
  ['no types', (_, s) => s.events({ types: [] }), 'types'],
  ['51 types', (_, s) => s.events({ types: Array(51).fill('x.a') }), 'types'],
  ['a signal that is none', async (_, s) => s.tail({ signal: {} as never }), 'signal'],
  ['no turns', (_, s) => s.recent({ maxTurns: 0 }), 'maxTurns'],
  ['half a turn', (_, s) => s.recent({ maxTurns: 1.5 }), 'maxTurns'],
  ['a budget below 0', (_, s) => s.recent({ maxTokens: -1 }), 'maxTokens'],
  ['a fork with a date in its metadata', (_, s) => s.fork({ metadata: { d: new Date() as never } }), 'metadata.d'],
  ['a fork with an unknown field', (_, s) => s.fork({ conversation: 'c' } as never), 'conversation'],
  ['the tenant that stands for all', (tl) => tl.sessions.create({ userId: 'a', tenant: '*' }), 'tenant'],
  ['a tenant with a line feed', (tl) => tl.sessions.list({ tenant: 'a\nb' }), 'tenant'],
  ['memories of all tenants', (tl) => tl.memories.list({ userId: 'a', tenant: '*' }), 'tenant'],
  ['acting for all tenants', async (tl) => await tl.as({ tenant: '*' }).sessions.list(), 'tenant'],
  ...FORGED_CURSORS.flatMap((cursor): typeof BAD_CALLS => [
    [`${JSON.stringify(cursor)} for sessions`, (tl) => tl.sessions.list({ cursor }), 'cursor'],
    [`${JSON.stringify(cursor)} for memories`, (tl) => tl.memories.list({ userId: 'a', cursor }), 'cursor'],
    [`${JSON.stringify(cursor)} for commits`, (tl) => tl.conversations.commits('c', { cursor }), 'cursor'],
  ]),
]

/** A5 input validation. */
export const inputRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A5',
    title: 'rejects invalid events, names the field, and writes nothing',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      for (const [what, event, code, field] of BAD_EVENTS) {
        const error = await session.append(event as never).then(
          () => assert.fail(`${what} was accepted`),
          (reason) => reason,
        )
        assert.deepEqual([what, error.code, error.field], [what, code, field], error.message)
        assert(error.message.length < 1000, `${what}: a message of ${error.message.length} characters`)
        assert.equal((await session.record()).head, 1, what)
      }
    },
  },
  {
    id: 'A5',
    title: 'rejects invalid arguments of the other calls and names the field',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      for (const [what, call, field] of BAD_CALLS) {
        const error = await call(tl, session).then(
          () => assert.fail(`${what} was accepted`),
          (reason) => reason,
        )
        assert.deepEqual([what, error.code, error.field], [what, 'VALIDATION', field], error.message)
      }
      assert.equal((await session.record()).head, 1)
      assert.equal((await tl.sessions.list()).items.length, 1)
    },
  },
  {
    id: 'A5',
    title: 'accepts a task and metadata up to the limits',
    async check(db) {
      const tl = await db.connect()
      const [task, metadata] = ['t'.repeat(LIMITS.task), { a: 'm'.repeat(LIMITS.metadata - 8) }]
      const session = await tl.sessions.create({ userId: 'ada', task, metadata })
      const fork = await session.fork({ task, metadata })
      for (const { record } of [session, fork]) {
        const kept = await record()
        assert.deepEqual([kept.task, kept.metadata], [task, metadata])
      }
      const larger = { a: `${metadata.a}m` }
      await expectError('TOO_LARGE', tl.sessions.create({ userId: 'ada', task: `${task}t` }))
      await expectError('TOO_LARGE', tl.sessions.create({ userId: 'ada', metadata: larger }))
      await expectError('TOO_LARGE', session.fork({ metadata: larger }))
      await expectError('TOO_LARGE', tl.sessions.list({ cursor: 'c'.repeat(1025) }))
      assert.equal((await tl.sessions.list()).items.length, 2)
    },
  },
  {
    id: 'A5',
    title: 'stores dangerous-looking text as text',
    async check(db) {
      const tl = await db.connect()
      const text = "x'); delete from session_events; -- {{a}} <script> \\u0000"
      const session = await tl.sessions.create({
        userId: text,
        chatmode: text,
        conversationId: text,
        metadata: { [text]: text },
      })
      await session.append({ type: 'user_message', content: text, agentId: text }, { idempotencyKey: text })
      assert.equal((await tl.sessions.active({ userId: text, chatmode: text }))?.id, session.id)
      assert.equal((await tl.sessions.list({ userId: text })).items[0]?.metadata[text], text)
      assert.equal(({} as Record<string, unknown>)['b'], undefined)
    },
  },
]
