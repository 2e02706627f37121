import assert from 'node:assert/strict'
import type { CreateSession } from '../../api.ts'
import type { ValidationError } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { abortedFor, expectError, fixedClock, NOON, noonPlus, upTo } from './samples.ts'

/** UUID version 8, as derived from keys. */
const KEYED = 'd2de9053-4e65-875e-970e-2028c7cad56b'
const hello = { type: 'user_message', content: 'hello' } as const

/** A1 sessions and scopes. */
export const apiSessionRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A1',
    title: 'creates a session with defaults, its first event and an empty state',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const session = await tl.sessions.create({ userId: 'ada' })
      const record = await session.record()
      assert.match(session.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepEqual(record, {
        id: session.id,
        tenant: 'local',
        userId: 'ada',
        chatmode: 'default',
        conversationId: record.conversationId,
        status: { state: 'running' },
        activeAgent: 'assistant',
        head: 1,
        turns: 0,
        startedAt: NOON,
        lastActivityAt: NOON,
        metadata: {},
      })
      const [first, ...others] = await session.events()
      assert.deepEqual([first?.sequence, first?.type, others.length], [1, 'session_started', 0])
      assert.deepEqual(await session.state(), { scratchpad: {}, version: 0, updatedAt: NOON })
    },
  },
  {
    id: 'A1',
    title: 'stores all creation options in the record and in the first event',
    async check(db) {
      const tl = await db.connect({ agents: ['planner', 'writer'] })
      const given = {
        userId: 'pt2_architect',
        tenant: 'acme',
        chatmode: 'architect',
        conversationId: 'thread 7',
        workflow: 'create-service',
        skill: 'backend',
        gitBranch: 'feat/x',
        task: 'Add retries',
        agent: 'writer',
        metadata: { b: { c: [1, null] }, a: 'ü' },
        expiresAt: '2099-01-01T01:00:00+01:00',
        id: uuid7().toUpperCase(),
      }
      const session = await tl.sessions.create(given)
      const record = await session.record()
      const { agent, id, expiresAt, ...kept } = given
      assert.equal(record.id, id.toLowerCase())
      assert.equal(record.activeAgent, agent)
      assert.equal(record.expiresAt, new Date(expiresAt).toISOString())
      for (const [name, value] of Object.entries(kept)) assert.deepEqual(record[name as keyof typeof kept], value, name)
      assert.deepEqual(Object.keys(record.metadata), ['b', 'a'])
      const [first] = await session.events({ limit: 1 })
      assert.deepEqual(first?.parts, { ...kept, agent, expiresAt: record.expiresAt })
      assert(first?.content.includes('Add retries'))
      const local = await tl.sessions.create({ userId: 'y', expiresAt: '2099-01-01T01:00' })
      assert.equal((await local.record()).expiresAt, '2099-01-01T01:00:00.000Z')
      const another = await tl.sessions.create({ userId: 'x' })
      assert.equal((await another.record()).activeAgent, 'planner')
    },
  },
  {
    id: 'A1',
    title: 'creates once per caller-made id, and rejects the id with other values',
    async check(db) {
      const tl = await db.connect()
      const id = uuid7()
      const input: CreateSession = { userId: 'ada', id, metadata: { a: 1 } }
      const [first, second] = await Promise.all([tl.sessions.create(input), tl.sessions.create(input)])
      assert.deepEqual([first.id, second.id], [id, id])
      await first.append(hello)
      const { conversationId } = await first.record()
      assert.equal((await tl.sessions.create({ ...input, conversationId })).id, id)
      await expectError('IDEMPOTENCY_MISMATCH', tl.sessions.create({ ...input, userId: 'bob' }))
      await expectError('IDEMPOTENCY_MISMATCH', tl.sessions.create({ ...input, metadata: { a: 2 } }))
      await expectError('IDEMPOTENCY_MISMATCH', tl.sessions.create({ ...input, conversationId: 'another' }))
      assert.equal((await first.events()).length, 2)
      await first.end()
      assert.equal((await tl.sessions.create(input)).id, id)
      for (const keyed of [KEYED, KEYED.toUpperCase()]) {
        for (const create of [tl.sessions.create, tl.sessions.getOrCreate]) {
          const { details } = (await expectError('VALIDATION', create({ userId: 'ada', id: keyed }))) as ValidationError
          assert.equal(details.field, 'id')
        }
      }
    },
  },
  {
    id: 'A1',
    title: 'allows one live session per tenant, user, chatmode and conversation',
    async check(db) {
      const tl = await db.connect()
      const scope = { userId: 'ada', conversationId: 'c1' }
      const session = await tl.sessions.create(scope)
      const error = await expectError('SESSION_ACTIVE', tl.sessions.create(scope))
      assert(error.message.includes(session.id))
      await tl.sessions.create({ ...scope, conversationId: 'c2' })
      await tl.sessions.create({ ...scope, chatmode: 'architect' })
      await tl.sessions.create({ ...scope, userId: 'bob' })
      await tl.sessions.create({ ...scope, tenant: 'acme' })
      await session.end()
      assert.notEqual((await tl.sessions.create(scope)).id, session.id)
    },
  },
  {
    id: 'A1',
    title: 'returns the active session or a new one, the same to fifty concurrent callers',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      assert.equal(await tl.sessions.active({ userId: 'ada' }), undefined)
      const all = await Promise.all(upTo(50).map(() => tl.sessions.getOrCreate({ userId: 'ada' })))
      const ids = new Set(all.map(({ id }) => id))
      assert.equal(ids.size, 1)
      const [first] = all
      assert.equal((await tl.sessions.active({ userId: 'ada' }))?.id, first?.id)
      clock.advance(1000)
      const other = await tl.sessions.getOrCreate({ userId: 'ada', conversationId: 'another' })
      assert.notEqual(other.id, first?.id)
      assert.equal((await tl.sessions.active({ userId: 'ada' }))?.id, other.id)
      assert.equal((await tl.sessions.getOrCreate({ userId: 'ada' })).id, other.id)
      const { conversationId } = (await first?.record()) ?? {}
      assert.equal((await tl.sessions.active({ userId: 'ada', conversationId: conversationId ?? '' }))?.id, first?.id)
      assert.equal(await tl.sessions.active({ userId: 'ada', chatmode: 'architect' }), undefined)
      await other.end()
      assert.equal((await tl.sessions.active({ userId: 'ada' }))?.id, first?.id)
    },
  },
  {
    id: 'A1',
    title: 'treats an expired session as ended immediately',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const scope = { userId: 'ada', conversationId: 'c' }
      const session = await tl.sessions.create({ ...scope, expiresAt: noonPlus(60) })
      await session.append(hello)
      clock.advance(60_000)
      await expectError('SESSION_ENDED', session.append(hello))
      await expectError('SESSION_ENDED', session.clear())
      await expectError('SESSION_ENDED', session.end())
      assert.equal(await tl.sessions.active(scope), undefined)
      const all = await Promise.all(upTo(10).map(() => tl.sessions.getOrCreate(scope)))
      assert.deepEqual([new Set(all.map(({ id }) => id)).size, all[0]?.id === session.id], [1, false])
      assert.equal((await session.events()).length, 3)
      const { status, endedAt } = await session.record()
      assert.deepEqual([status, endedAt], [abortedFor('expired'), noonPlus(60)])
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A1',
    title: 'finds a session by its id in upper or lower case, or reports it as not found',
    async check(db) {
      const tl = await db.connect()
      const { id } = await tl.sessions.create({ userId: 'ada', tenant: 'acme' })
      assert.equal((await tl.sessions.get(id.toUpperCase())).id, id)
      await expectError('SESSION_NOT_FOUND', tl.sessions.get(uuid7()))
      await expectError('SESSION_NOT_FOUND', tl.sessions.get('not-an-id'))
      assert((await expectError('SESSION_NOT_FOUND', tl.sessions.get('x'.repeat(9999)))).message.length < 1000)
      await expectError('VALIDATION', tl.sessions.get(7 as unknown as string))
      await expectError('SESSION_NOT_FOUND', tl.verify(uuid7()))
    },
  },
  {
    id: 'A1',
    title: 'lists sessions by filter, newest activity first, page by page',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const ids: string[] = []
      for (const n of upTo(7)) {
        ids.push((await tl.sessions.create({ userId: n % 2 ? 'ada' : 'bob', chatmode: n < 4 ? 'x' : 'y' })).id)
        clock.advance(40_000)
      }
      await tl.sessions.create({ userId: 'ada', tenant: 'acme' })
      await (await tl.sessions.get(ids[1] ?? '')).append(hello)
      await (await tl.sessions.get(ids[2] ?? '')).end()
      clock.advance(1000)
      await (await tl.sessions.get(ids[0] ?? '')).append(hello)
      const listed = async (query: Parameters<typeof tl.sessions.list>[0]) =>
        (await tl.sessions.list(query)).items.map((record) => ids.indexOf(record.id))
      const [all] = [await listed({})]
      assert.deepEqual([all[0], all.slice(3)], [0, [6, 5, 4, 3]])
      assert.deepEqual(await listed({ userId: 'bob' }), [1, 5, 3])
      assert.deepEqual(await listed({ chatmode: 'y' }), [6, 5, 4, 3])
      assert.deepEqual(await listed({ status: 'complete' }), [2])
      assert.deepEqual(await listed({ agent: 'motivator' }), [])
      assert.deepEqual(await listed({ since: noonPlus(200), until: noonPlus(240) }), [5])
      assert.equal((await tl.sessions.list({ tenant: 'acme' })).items.length, 1)

      const paged: number[] = []
      let cursor: string | undefined
      do {
        const page = await tl.sessions.list(defined({ limit: 3, cursor }))
        paged.push(...page.items.map((record) => ids.indexOf(record.id)))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepEqual(paged, all)
      assert.equal('nextCursor' in (await tl.sessions.list({ limit: 7 })), false)
      await expectError('VALIDATION', tl.sessions.list({ cursor: 'nonsense' }))
      for (const forged of [
        ['yesterday', ids[0]],
        [NOON, 'no id'],
        [NOON, 7],
      ]) {
        const cursor64 = Buffer.from(JSON.stringify(forged)).toString('base64url')
        await expectError('VALIDATION', tl.sessions.list({ cursor: cursor64 }))
      }
    },
  },
  {
    id: 'A2',
    title: 'shows every view at any past sequence',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', task: 't' })
      const snapshots = [await session.at(1)]
      const steps = [
        () => session.append(hello),
        () => session.clear(),
        () => session.append([hello, hello]),
        () => session.end(),
      ]
      for (const step of steps) {
        clock.advance(1000)
        await step()
        const record = await session.record()
        const [state, envelope] = [await session.state(), await session.envelope()]
        snapshots.push({ sequence: record.head, record, state, envelope })
      }
      for (const snapshot of snapshots) assert.deepEqual(await session.at(snapshot.sequence), snapshot)
      assert.equal((await session.at(4)).record.turns, 2)
      for (const bad of [0, 7, 1.5, Number.NaN]) await expectError('VALIDATION', session.at(bad))
    },
  },
  {
    id: 'A2',
    title: 'forks at any event into a new conversation and leaves the original unchanged',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', task: 't', metadata: { a: 1 } })
      await session.append([hello, { type: 'model_message', content: 'hi' }, { ...hello, content: 'more' }])
      await session.end()
      const early = await session.fork({ at: 3, task: 'other', metadata: { b: 2 } })
      const late = await session.fork()
      const [original, copy] = [await session.events(), await early.events()]
      assert.deepEqual(
        copy.map(({ sequence, type }) => [sequence, type]),
        [
          [1, 'session_started'],
          [2, 'user_message'],
          [3, 'model_message'],
          [4, 'session_forked'],
        ],
      )
      assert.deepEqual([copy[1]?.content, copy[1]?.createdAt], [original[1]?.content, original[1]?.createdAt])
      assert.notEqual(copy[1]?.id, original[1]?.id)
      const [record, source] = [await early.record(), await session.record()]
      assert.notEqual(record.conversationId, source.conversationId)
      assert.deepEqual(record.forkedFrom, { sessionId: session.id, sequence: 3 })
      assert.deepEqual([record.task, record.metadata, record.turns], ['other', { b: 2 }, 1])
      const { status, task, metadata, chatmode } = await late.record()
      assert.deepEqual([status, task, metadata, chatmode], [{ state: 'running' }, 't', { a: 1 }, 'default'])
      assert.equal((await (await session.fork({ chatmode: 'architect' })).record()).chatmode, 'architect')
      assert.equal((await late.append(hello))[0]?.sequence, 7)
      assert.equal(source.head, 5)

      const id = uuid7()
      assert.equal((await session.fork({ at: 2, id })).id, id)
      assert.equal((await session.fork({ at: 2, id })).id, id)
      await expectError('IDEMPOTENCY_MISMATCH', session.fork({ at: 3, id }))
      await expectError('IDEMPOTENCY_MISMATCH', session.fork({ at: 2, id, task: 'another' }))
      await expectError('IDEMPOTENCY_MISMATCH', early.fork({ at: 2, id }))
      await expectError('VALIDATION', session.fork({ at: 2, id: KEYED }))
      await expectError('VALIDATION', session.fork({ at: 99 }))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A2',
    title: 'forks once per caller-made id, at the first fork point, even if the original grows',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append(hello)
      const [id, other] = [uuid7(), uuid7()]
      const fork = await session.fork({ id, task: 'other' })
      await fork.append(hello)
      await session.append([hello, hello])
      assert.equal((await session.fork({ id, task: 'other' })).id, id)
      assert.deepEqual((await fork.record()).forkedFrom, { sessionId: session.id, sequence: 2 })
      assert.equal((await fork.events()).length, 4)
      await expectError('IDEMPOTENCY_MISMATCH', session.fork({ id }))
      await expectError('IDEMPOTENCY_MISMATCH', session.fork({ id, task: 'other', at: 3 }))
      await expectError('IDEMPOTENCY_MISMATCH', fork.fork({ id, task: 'other' }))
      await tl.sessions.create({ userId: 'ada', id: other })
      await expectError('IDEMPOTENCY_MISMATCH', session.fork({ id: other }))
    },
  },
]
