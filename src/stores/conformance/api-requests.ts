import assert from 'node:assert/strict'
import type { FindRequests, FoundRequest, RequestInput, Session, SessionRequest, Throughline } from '../../api.ts'
import type { JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { exportBlocks } from './api-transfer.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, NOON, noonPlus, upTo } from './samples.ts'

const approval = (id: string, given: Partial<RequestInput> = {}): RequestInput => ({
  id,
  kind: 'approval',
  question: `May I do ${id}?`,
  ...given,
})

const AMOUNT: JsonObject = {
  type: 'object',
  properties: {
    amount: { type: 'number', minimum: 0 },
    currency: { enum: ['EUR', 'USD'] },
    notes: { type: 'array', items: { $ref: '#/$defs/note' } },
  },
  required: ['amount'],
  additionalProperties: false,
  $defs: { note: { type: 'string', minLength: 1 } },
}

async function rejectsField(field: string, work: Promise<unknown>, code: 'VALIDATION' | 'TOO_LARGE' = 'VALIDATION') {
  assert.equal((await expectError(code, work)).details.field, field)
}

const idsOf = (requests: readonly SessionRequest[]) => requests.map(({ id }) => id)

/** All pages of a list. */
async function allPages<Item>(
  list: (page: { limit: number; cursor?: string }) => Promise<{ items: Item[]; nextCursor?: string }>,
  limit: number,
): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await list({ limit, ...(cursor !== undefined && { cursor }) })
    assert.ok(page.items.length <= limit)
    items.push(...page.items)
    cursor = page.nextCursor
    if (cursor === undefined) return items
  }
}

const found = (tl: Throughline, query: FindRequests = {}, limit = 100) =>
  allPages<FoundRequest>((page) => tl.requests({ ...query, ...page }), limit)

const listed = (session: Session, status?: 'open' | 'resolved', limit = 100) =>
  allPages<SessionRequest>((page) => session.requests({ ...(status !== undefined && { status }), ...page }), limit)

/** A37 requests: several open at once, each resolved exactly once. */
export const apiRequestRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A37',
    title: 'opens several requests at once, and resolves each with a value',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock, agents: ['writer'] })
      const session = await tl.sessions.create({ userId: 'ada' })
      assert.deepEqual(await session.requests(), { items: [] })
      const first = await session.request(approval('a', { schema: AMOUNT, toolCallId: 'call-1' }))
      assert.deepEqual(first, {
        ...approval('a', { schema: AMOUNT, toolCallId: 'call-1' }),
        status: 'open',
        openedAt: NOON,
      })
      clock.advance(1000)
      const second = await session.request({ kind: 'choice', question: 'Which one?' })
      assert.equal(typeof second.id, 'string')
      assert.deepEqual((await session.requests()).items, [second, first])
      assert.equal((await session.record()).status.state, 'running')
      clock.advance(1000)
      const value = { amount: 12.5, currency: 'EUR', notes: ['urgent'] }
      const resolved = await session.resolve('a', value)
      const { openedAt, status: _open, ...given } = first
      assert.deepEqual(resolved, { ...given, status: 'resolved', openedAt, resolvedAt: noonPlus(2), value })
      assert.deepEqual((await session.requests()).items, [second, resolved])
      assert.deepEqual((await session.requests({ status: 'open' })).items, [second])
      assert.deepEqual((await session.requests({ status: 'resolved' })).items, [resolved])
      assert.equal((await session.resolve(second.id, null)).value, null)
      const events = await session.events({ types: ['request_opened', 'request_resolved'] })
      assert.deepEqual(
        events.map(({ type, agentId }) => [type, agentId]),
        [
          ['request_opened', 'writer'],
          ['request_opened', 'writer'],
          ['request_resolved', undefined],
          ['request_resolved', undefined],
        ],
      )
      assert.deepEqual(events[2]?.parts, { id: 'a', value })
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A37',
    title: 'lets exactly one of 20 racers resolve a request',
    async check(db) {
      const tl = await db.connect()
      const other = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const twin = await other.sessions.get(session.id)
      await session.request(approval('a'))
      const racers = upTo(20).map((n) => (n % 2 === 0 ? session : twin).resolve('a', n))
      const results = await Promise.allSettled(racers)
      const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.value] : []))
      const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      assert.equal(won.length, 1)
      assert.deepEqual([...new Set(lost.map(({ code }) => code))], ['REQUEST_RESOLVED'])
      assert.deepEqual(lost[0].details, { sessionId: session.id, requestId: 'a' })
      assert.deepEqual(
        (await listed(session)).map(({ value }) => value),
        won,
      )
      assert.equal((await session.events({ types: ['request_resolved'] })).length, 1)
      await expectError('REQUEST_RESOLVED', twin.resolve('a', 1))
      await rejectsField('id', session.resolve('b', 1))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A37',
    title: 'opens an id once in a session',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const racers = await Promise.allSettled(upTo(8).map((n) => session.request(approval('a', { kind: `${n}` }))))
      assert.equal(racers.filter(({ status }) => status === 'fulfilled').length, 1)
      await rejectsField('id', session.request(approval('a')))
      await session.request(approval('b'))
      await session.resolve('a', true)
      await rejectsField('id', session.request(approval('a')))
      await session.request(approval('c'))
      await rejectsField('id', session.request(approval('a')))
      assert.deepEqual(idsOf(await listed(session)), ['c', 'b', 'a'])
      assert.equal((await session.record()).head, 5)
      const twin = await tl.sessions.create({ userId: 'ada' })
      await twin.request(approval('a'))
    },
  },
  {
    id: 'A37',
    title: 'refuses a value that does not fit the schema, by the path of its field',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.request(approval('a', { schema: AMOUNT }))
      for (const [field, value] of [
        ['value', 'yes'],
        ['value.amount', {}],
        ['value.amount', { amount: '12' }],
        ['value.amount', { amount: -1 }],
        ['value.currency', { amount: 1, currency: 'CHF' }],
        ['value.notes[1]', { amount: 1, notes: ['a', ''] }],
        ['value.more', { amount: 1, more: true }],
        ['value', undefined],
        ['value.amount', { amount: Number.NaN }],
      ] as const) {
        await rejectsField(field, session.resolve('a', value as never))
      }
      await rejectsField(
        'value',
        session.resolve('a', { amount: 1, notes: ['x'.repeat(LIMITS.requestValue)] }),
        'TOO_LARGE',
      )
      assert.equal((await session.record()).head, 2)
      assert.equal((await session.resolve('a', { amount: 0 })).status, 'resolved')
    },
  },
  {
    id: 'A37',
    title: 'refuses a schema that it could not check, and other bad fields',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const nested = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
      const wide = { anyOf: upTo(300).map(() => ({ type: 'string' })) }
      for (const [field, given] of [
        ['kind', { kind: '' }],
        ['question', { question: ' ' }],
        ['id', { id: '' }],
        ['id', { id: '..' }],
        ['toolCallId', { toolCallId: 'x'.repeat(0) }],
        ['schema', { schema: [] }],
        ['schema', { schema: 'string' }],
        ['schema', { schema: wide }],
        ['schema.type', { schema: { type: 'text' } }],
        ['schema.properties.a.pattern', { schema: nested }],
        ['schema.not', { schema: { not: { type: 'string' } } }],
        ['schema.minLength', { schema: { minLength: 1 } }],
        ['schema.minLength', { schema: { type: 'string', minLength: -1 } }],
        ['schema.anyOf[1].type', { schema: { anyOf: [true, { type: 1 }] } }],
        ['schema.$ref', { schema: { $ref: 'https://example.com/a.json' } }],
        [
          'schema.$defs.a.items.$ref',
          { schema: { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } } },
        ],
        ['schema.enum', { schema: { enum: [{}] } }],
        ['schema.properties', { schema: { type: 'object', properties: { constructor: {} } } }],
        ['other', { other: 1 }],
      ] as const) {
        await rejectsField(field, session.request({ ...approval('a'), ...given } as never))
      }
      const large = { type: 'string', description: 'x'.repeat(LIMITS.requestSchema) }
      await rejectsField('schema', session.request(approval('a', { schema: large })), 'TOO_LARGE')
      const long = 'x'.repeat(LIMITS.question + 1)
      await rejectsField('question', session.request(approval('a', { question: long })), 'TOO_LARGE')
      assert.equal((await session.record()).head, 1)
    },
  },
  {
    id: 'A37',
    title: 'has at most as many open requests as the limits allow',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      for (const n of upTo(LIMITS.requests)) await session.request(approval(`${n}`))
      await rejectsField('requests', session.request(approval('more')), 'TOO_LARGE')
      await session.resolve('7', 'done')
      await session.request(approval('more'))
      const large = await tl.sessions.create({ userId: 'ada' })
      const question = 'x'.repeat(LIMITS.question)
      for (const n of upTo(15)) await large.request(approval(`${n}`, { question }))
      await rejectsField('requests', large.request(approval('more', { question })), 'TOO_LARGE')
      assert.equal((await listed(large, 'open', 4)).length, 15)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A37',
    title: 'repeats the first result for an idempotency key',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const key = { idempotencyKey: 'k' }
      const opened = await session.request(approval('a'), key)
      assert.deepEqual(await session.request(approval('a'), key), opened)
      await expectError('IDEMPOTENCY_MISMATCH', session.request(approval('b'), key))
      const own = await session.request({ kind: 'k', question: 'q' }, { idempotencyKey: 'own' })
      assert.deepEqual(await session.request({ kind: 'k', question: 'q' }, { idempotencyKey: 'own' }), own)
      const once = { idempotencyKey: 'r' }
      const resolved = await session.resolve('a', { ok: true }, once)
      assert.deepEqual(await session.resolve('a', { ok: true }, once), resolved)
      await expectError('IDEMPOTENCY_MISMATCH', session.resolve('a', { ok: false }, once))
      await expectError('REQUEST_RESOLVED', session.resolve('a', { ok: true }, { idempotencyKey: 'other' }))
      assert.deepEqual(await session.request(approval('a'), key), opened)
      await session.end()
      assert.deepEqual(await session.resolve('a', { ok: true }, once), resolved)
      await expectError('SESSION_ENDED', session.resolve(own.id, 1))
      await expectError('SESSION_ENDED', session.resolve('nothing', 1))
      await expectError('SESSION_ENDED', session.request(approval('c')))
    },
  },
  {
    id: 'A37',
    title: 'lists the requests of a session in pages, the newest first',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const session = await tl.sessions.create({ userId: 'ada' })
      for (const n of upTo(9)) await session.request(approval(`${n}`))
      for (const n of [3, 1, 7, 5]) await session.resolve(`${n}`, n)
      const resolved = ['5', '7', '1', '3']
      const rest = upTo(9)
        .map(String)
        .filter((id) => !resolved.includes(id))
        .toReversed()
      for (const limit of [1, 2, 3, 4, 9, 100]) {
        assert.deepEqual(idsOf(await listed(session, 'open', limit)), rest)
        assert.deepEqual(idsOf(await listed(session, 'resolved', limit)), resolved)
        assert.deepEqual(idsOf(await listed(session, undefined, limit)), [...rest, ...resolved])
      }
      const { nextCursor = '' } = await session.requests({ status: 'open', limit: 2 })
      await session.resolve(rest[1] ?? '', 'meanwhile')
      const after = await session.requests({ status: 'open', cursor: nextCursor })
      assert.deepEqual(
        idsOf(after.items).filter((id) => id !== rest[0]),
        rest.slice(2),
      )
      await rejectsField('cursor', session.requests({ cursor: 'x' }))
      await rejectsField('status', session.requests({ status: 'closed' as never }))
      await rejectsField('limit', session.requests({ limit: 0 }))
    },
  },
  {
    id: 'A37',
    title: 'lists the requests of many sessions, and only those of the caller',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const owners = { ada: 'acme', bob: 'acme', eve: 'other' }
      const sessions = new Map<string, Session[]>()
      for (const [userId, tenant] of Object.entries(owners)) {
        for (const n of upTo(3)) {
          const session = await tl.sessions.create({ tenant, userId })
          sessions.set(userId, [...(sessions.get(userId) ?? []), session])
          for (const id of ['a', 'b']) {
            clock.advance(1000)
            await session.request(approval(`${id}${n}`))
          }
        }
      }
      const ada = sessions.get('ada') as [Session, Session, Session]
      await ada[1].resolve('a2', 'first')
      clock.advance(1000)
      await ada[0].resolve('a1', 'second')
      await ada[0].resolve('b1', 'third')
      const open = { tenant: 'acme', userId: 'ada' }
      for (const limit of [1, 2, 3, 100]) {
        const items = await found(tl, open, limit)
        assert.deepEqual(idsOf(items), ['b2', 'b3', 'a3'])
        assert.deepEqual(
          items.map(({ sessionId, userId }) => [sessionId, userId]),
          [ada[1], ada[2], ada[2]].map(({ id }) => [id, 'ada']),
        )
        assert.deepEqual(idsOf(await found(tl, { ...open, status: 'resolved' }, limit)), ['b1', 'a1', 'a2'])
        assert.equal((await found(tl, { tenant: 'acme' }, limit)).length, 9)
      }
      assert.deepEqual(await found(tl), [])
      const mine = tl.as({ tenant: 'acme', userId: 'ada' })
      assert.deepEqual(await found(mine), await found(tl, open))
      assert.equal((await found(tl.as({ tenant: 'acme' }))).length, 9)
      for (const other of [tl.as({ tenant: 'acme', userId: 'carl' }), tl.as({ tenant: 'none' })]) {
        assert.deepEqual(await found(other), [])
        assert.deepEqual(await other.requests(open), { items: [] })
        assert.deepEqual(await other.requests({ tenant: 'acme', status: 'resolved' }), { items: [] })
        await expectError('SESSION_NOT_FOUND', other.sessions.get(ada[2].id))
      }
      await ada[2].end()
      assert.deepEqual(idsOf(await found(mine)), ['b2'])
      assert.equal((await listed(ada[2], 'open')).length, 2)
      await rejectsField('cursor', tl.requests({ cursor: 'x' }))
      await rejectsField('status', tl.requests({ status: 'any' as never }))
    },
  },
  {
    id: 'A37',
    title: 'starts a fork without requests',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.request(approval('a'))
      await session.request(approval('b'))
      await session.resolve('b', 1)
      const fork = await session.fork()
      assert.deepEqual(await fork.requests(), { items: [] })
      await rejectsField('id', fork.resolve('a', 1))
      await rejectsField('id', fork.resolve('b', 1))
      assert.equal((await found(tl)).length, 1)
      // the agent asks again
      await fork.request(approval('b'))
      await fork.resolve('b', 2)
      await rejectsField('id', fork.request(approval('b')))
      assert.deepEqual(
        (await listed(fork)).map(({ value }) => value),
        [2],
      )
      assert.deepEqual(
        (await listed(session, 'resolved')).map(({ value }) => value),
        [1],
      )
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A37',
    title: 'keeps requests in an export, and removes them with their session',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.request(approval('a', { schema: AMOUNT }))
      await session.request(approval('b'))
      await session.resolve('b', [1, { c: null }])
      const before = await found(tl)
      const all = await listed(session)
      const blocks = await exportBlocks(tl)
      await tl.sessions.purge(session.id)
      assert.deepEqual(await found(tl), [])
      assert.deepEqual(await found(tl, { status: 'resolved' }), [])
      await tl.import(blocks)
      assert.deepEqual(await found(tl), before)
      const again = await tl.sessions.get(session.id)
      assert.deepEqual(await listed(again), all)
      await rejectsField('id', again.request(approval('b')))
      await rejectsField('value.amount', again.resolve('a', {}))
      await again.resolve('a', { amount: 1 })
      assert.deepEqual((await tl.verify()).differences, [])
      await tl.rebuild()
      assert.deepEqual(idsOf(await listed(again)), ['a', 'b'])
      await tl.users.purge('ada')
      assert.deepEqual(await found(tl, { status: 'resolved' }), [])
    },
  },
  {
    id: 'A37',
    title: 'a rewind opens again what was resolved after its target, and forgets what was asked after it',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.request(approval('a'))
      const { head } = await session.record()
      await session.request(approval('b'))
      for (const round of upTo(3)) {
        await session.resolve('a', round)
        await expectError('REQUEST_RESOLVED', session.resolve('a', 0))
        await session.rewind({ to: head })
        assert.deepEqual(idsOf(await listed(session)), ['a'])
        assert.deepEqual(idsOf(await listed(session, 'resolved')), [])
      }
      await session.request(approval('b'))
      await session.resolve('b', 'once more')
      assert.deepEqual(
        (await listed(session, 'resolved')).map(({ id, value }) => [id, value]),
        [['b', 'once more']],
      )
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
]
