import assert from 'node:assert/strict'
import type { EventInput } from '../../api.ts'
import { APPENDABLE_TYPES, type SessionEvent } from '../../domain/event.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const

/** A3 appending, A4 idempotency. */
export const appendRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A3',
    title: 'accepts the seven types and custom ones, and derives the role from the type unless one is given',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const types = [...APPENDABLE_TYPES, 'x.mine'] as const
      const written = await session.append(types.map((type) => ({ type, content: 'c' })))
      assert.deepEqual(
        written.map(({ type, role, sequence }) => [type, role, sequence]),
        [
          ['user_message', 'user', 2],
          ['model_message', 'assistant', 3],
          ['tool_call', 'assistant', 4],
          ['tool_result', 'tool', 5],
          ['validation_gate', 'system', 6],
          ['memory_recall', 'system', 7],
          ['system_event', 'system', 8],
          ['x.mine', 'system', 9],
        ],
      )
      const [own] = await session.append({ type: 'tool_call', role: 'tool', content: 'c' })
      assert.equal(own?.role, 'tool')
    },
  },
  {
    id: 'A3',
    title: 'returns events exactly as written: key order, numbers, Unicode, caller times',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const inputs: EventInput[] = [
        { type: 'user_message', content: ' \t\r\n  ünï 漢字 😀 \u2028\u2029\uFEFF\u200B ' },
        { type: 'user_message', content: '\'; drop table sessions; -- " \\ $1 %s {{x}}' },
        { type: 'x.json', content: 'c', parts: { z: 1, a: { y: [], x: {} }, m: [null, true, false, ''] } },
        {
          type: 'x.json',
          content: 'c',
          parts: [0, -0, 1e21, 1.5e-300, 2 ** 53, -1.1, 0.1 + 0.2, 123456789012345680000],
        },
        {
          type: 'x.json',
          content: 'c',
          parts: { '': 1, ' ': 2, constructor: 3, toString: 4, '10': 5, '2': 6, 'a.b': 7 },
        },
        { type: 'x.json', content: 'c', parts: 'just text' },
        { type: 'x.json', content: 'c', parts: null },
        { type: 'x.json', content: 'c', parts: false },
        { type: 'x.json', content: 'c', parts: 0 },
        { type: 'x.json', parts: { only: 'parts' } },
        {
          type: 'user_message',
          content: 'c',
          agentId: 'Ada – the first',
          occurredAt: '2026-03-01T13:00:00.123456+01:00',
        },
        { type: 'user_message', content: 'c', occurredAt: '2026-03-01' },
        { type: 'model_message', content: '', parts: { toolCalls: [{ id: 'a', name: 'n', arguments: '{"x": 1}' }] } },
        { type: 'tool_result', content: '', parts: { toolCallId: 'a' } },
        { type: 'tool_result', content: 'x'.repeat(1_000_000), parts: { toolCallId: 'a' } },
      ]
      for (const input of inputs) {
        const [written] = await session.append(input)
        const [read] = await session.events({ order: 'desc', limit: 1 })
        assert.deepEqual(read, written)
        for (const [name, value] of Object.entries(input)) {
          assert.deepStrictEqual(read?.[name as keyof SessionEvent], value)
          assert.equal(JSON.stringify(read?.[name as keyof SessionEvent]), JSON.stringify(value))
        }
        assert.equal(read?.content, input.content ?? '')
      }
    },
  },
  {
    id: 'A3',
    title: 'shares no objects with the caller',
    async check(db) {
      const tl = await db.connect()
      const input = { type: 'x.own' as const, content: 'c', parts: { list: [1] } }
      const metadata = { list: [1] }
      const session = await tl.sessions.create({ userId: 'ada', metadata })
      const [written] = await session.append(input)
      input.parts.list.fill(9)
      metadata.list.fill(9)
      Object.assign(written?.parts ?? {}, { list: 'changed' })
      const record = await session.record()
      Object.assign(record.metadata, { list: 'changed' })
      assert.deepEqual((await session.events({ after: 1 }))[0]?.parts, { list: [1] })
      assert.deepEqual((await session.record()).metadata, { list: [1] })
    },
  },
  {
    id: 'A3',
    title: 'stores a whole batch or nothing',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await expectError('VALIDATION', session.append([hello, hello, { type: 'user_message', content: '' }]))
      assert.equal((await session.record()).head, 1)
      const written = await session.append(upTo(1000).map((n) => ({ ...hello, content: `m${n}` })))
      assert.deepEqual([written.length, written[0]?.sequence, written.at(-1)?.sequence], [1000, 2, 1001])
      assert.equal((await session.record()).turns, 1000)
    },
  },
  {
    id: 'A3',
    title: 'gives dense sequences to 128 concurrent appends from two connections',
    async check(db) {
      const [tl, other] = [await db.connect(), await db.connect()]
      const session = await tl.sessions.create({ userId: 'ada' })
      const same = await other.sessions.get(session.id)
      const writes = upTo(128).map((n) => (n % 2 ? session : same).append({ ...hello, content: `m${n}` }))
      const sequences = (await Promise.all(writes)).map(([event]) => event?.sequence ?? 0)
      assert.deepEqual(
        sequences.sort((a, b) => a - b),
        upTo(129).slice(1),
      )
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A3',
    title: 'appends at the expected sequence, or reports the current one',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await expectError('SEQUENCE_CONFLICT', session.append(hello, { expectedSequence: 0 }))
      await session.append(hello, { expectedSequence: 1 })
      const error = await expectError('SEQUENCE_CONFLICT', session.append(hello, { expectedSequence: 1 }))
      assert.deepEqual((error as unknown as { details: unknown }).details, {
        sessionId: session.id,
        expected: 1,
        actual: 2,
      })
      const race = await Promise.allSettled(upTo(10).map(() => session.append(hello, { expectedSequence: 2 })))
      assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal((await session.record()).head, 3)
    },
  },
  {
    id: 'A3',
    title: 'rejects events after the end and keeps the log',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append(hello)
      const record = await session.end()
      assert.deepEqual(record.status, { state: 'complete', endedBy: 'caller' })
      assert.equal(record.endedAt, record.lastActivityAt)
      assert.deepEqual(record, await session.record())
      await expectError('SESSION_ENDED', session.append(hello))
      await expectError('SESSION_ENDED', session.end())
      await expectError('SESSION_ENDED', session.clear())
      assert.equal((await session.events()).length, 3)
      assert.equal((await session.recent()).events.length, 1)
    },
  },
  {
    id: 'A4',
    title: 'writes once per idempotency key and always returns the first result',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const events: EventInput[] = [hello, { type: 'x.n', content: 'c', parts: { a: 1 } }]
      const first = await session.append(events, { idempotencyKey: 'k', expectedSequence: 1 })
      await session.append(hello)
      const again = await session.append(events, { idempotencyKey: 'k', expectedSequence: 1 })
      assert.deepEqual(again, first)
      await session.end()
      assert.deepEqual(await session.append(events, { idempotencyKey: 'k' }), first)
      assert.equal((await session.record()).head, 5)
      await expectError('SESSION_ENDED', session.append(events, { idempotencyKey: 'new' }))
    },
  },
  {
    id: 'A4',
    title: 'rejects a reused key with different content',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const event: EventInput = { type: 'x.n', content: 'c', parts: { a: 1 }, agentId: 'g' }
      await session.append(event, { idempotencyKey: 'k' })
      const changes: EventInput[] = [
        { ...event, content: 'd' },
        { ...event, parts: { a: 2 } },
        { ...event, agentId: 'h' },
        { ...event, type: 'x.m' },
        { ...event, role: 'user' },
        { ...event, occurredAt: '2026-03-01' },
      ]
      for (const change of changes) {
        await expectError('IDEMPOTENCY_MISMATCH', session.append(change, { idempotencyKey: 'k' }))
      }
      await expectError('IDEMPOTENCY_MISMATCH', session.append([event, event], { idempotencyKey: 'k' }))
      assert.equal((await session.record()).head, 2)
      const other = await tl.sessions.create({ userId: 'ada' })
      assert.equal((await other.append(hello, { idempotencyKey: 'k' }))[0]?.sequence, 2)
    },
  },
  {
    id: 'A4',
    title: 'writes once for thirty concurrent appends with one key',
    async check(db) {
      const [tl, other] = [await db.connect(), await db.connect()]
      const session = await tl.sessions.create({ userId: 'ada' })
      const same = await other.sessions.get(session.id)
      const writes = upTo(30).map((n) => (n % 2 ? session : same).append(hello, { idempotencyKey: 'k' }))
      const ids = (await Promise.all(writes)).map(([event]) => event?.id)
      assert.equal(new Set(ids).size, 1)
      assert.equal((await session.record()).head, 2)
    },
  },
]
