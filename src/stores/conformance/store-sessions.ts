import assert from 'node:assert/strict'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { uuid7 } from '../../ids.ts'
import type { ListQuery, SessionStore } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  advanceView,
  appendRequest,
  createRequest,
  createSession,
  expectError,
  NOON,
  noonPlus,
  readChecksummedLog,
  readLog,
  someEvent,
  upTo,
} from './samples.ts'

const ended = (view: SessionView) => ({
  events: [someEvent('over', 'status_changed')],
  view: advanceView(view, 1, { endedAt: noonPlus(1), status: { state: 'complete' as const } }),
})

async function idsOf(store: SessionStore, query: Partial<ListQuery>): Promise<string[]> {
  const records = await store.list({ tenant: 'local', limit: 100, ...query })
  return records.map(({ id }) => id)
}

/** S9 to S12, S16, and S28 of lists. */
export const sessionRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S9',
    title: 'stores the first event and all fields of the views together',
    async check(db) {
      const store = await db.connect()
      const request = createRequest({
        workflow: 'write',
        skill: 'sql',
        gitBranch: 'main',
        task: 'Say "hi" — ünï',
        expiresAt: noonPlus(1000),
        metadata: { z: [1, { y: null }], a: 'b' },
      })
      assert.deepEqual(await store.create(request), { outcome: 'created', record: request.view.record })
      assert.deepEqual(await store.load({ sessionId: request.view.record.id }), request.view)
      assert.deepEqual(await readChecksummedLog(store, request.view.record.id), [
        { ...request.event, sequence: 1, createdAt: NOON },
      ])
    },
  },
  {
    id: 'S9',
    title: 'prefers same-id over found over blocked; expired sessions block but are not found',
    async check(db) {
      const store = await db.connect()
      const first = createRequest({ conversationId: 'c', expiresAt: noonPlus(10) })
      await store.create(first)
      const outcome = async (given: Parameters<typeof createRequest>[0]) =>
        (await store.create(createRequest({ conversationId: 'c', ...given }))).outcome
      assert.equal(await outcome({ id: first.view.record.id, reuse: 'any' }), 'same-id')
      assert.equal(await outcome({ reuse: 'conversation' }), 'found')
      assert.equal(await outcome({ reuse: 'any', conversationId: 'elsewhere' }), 'found')
      assert.equal(await outcome({}), 'blocked')
      assert.equal(await outcome({ reuse: 'conversation', at: noonPlus(10) }), 'blocked')
      assert.equal(await outcome({ tenant: 'other' }), 'created')
      assert.equal(await outcome({ userId: 'bob' }), 'created')
      assert.equal(await outcome({ chatmode: 'architect' }), 'created')
      await store.decide({ sessionId: first.view.record.id, at: noonPlus(1), decide: ended })
      assert.equal(await outcome({}), 'created')
    },
  },
  {
    id: 'S9',
    title: 'lets one of forty racing callers create a session',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const results = await Promise.all(upTo(40).map((n) => stores[n % 4]?.create(createRequest({ reuse: 'any' }))))
      assert.equal(results.filter((result) => result?.outcome === 'created').length, 1)
      assert.equal(new Set(results.map((result) => result?.record.id)).size, 1)
    },
  },
  {
    id: 'S10',
    title: 'copies a log with the same sequences and new ids',
    async check(db) {
      const store = await db.connect()
      const source = await createSession(store)
      const key = (n: number) => ({ idempotency: { key: `k${n}`, fingerprint: 'f' } })
      for (const n of upTo(300)) {
        await store.append(
          appendRequest(source, {
            ...key(n),
            at: noonPlus(n),
            events: [someEvent(`m${n}`, n % 100 ? 'user_message' : 'x.mark')],
          }),
        )
      }
      const before = await store.load({ sessionId: source })
      assert(before)
      const id = uuid7()
      const event = someEvent('forked', 'session_forked', { parts: '{"conversationId":"new"}' })
      const forked = evolve(
        { ...before, record: { ...before.record, head: 250 } },
        {
          ...event,
          sessionId: id,
          sequence: 251,
          createdAt: NOON,
          type: 'session_forked',
          role: 'system',
          parts: {
            from: { sessionId: source, sequence: 250 },
            conversationId: 'new',
            chatmode: 'default',
            metadata: {},
          },
        },
      )
      const request = { source: { sessionId: source, sequence: 250 }, event, at: NOON, view: forked }
      assert.equal((await store.fork(request)).outcome, 'created')
      assert.equal((await store.fork(request)).outcome, 'same-id')
      const [original, copy] = [await readLog(store, source), await readLog(store, id)]
      assert.equal(copy.length, 251)
      assert.deepEqual(
        copy.slice(0, 250).map(({ id: _id, ...rest }) => rest),
        original.slice(0, 250).map(({ id: _id, ...rest }) => rest),
      )
      assert.equal(new Set([...original, ...copy].map((e) => e.id)).size, 301 + 251)
      assert.deepEqual(await store.load({ sessionId: id }), forked)
      const marks = await store.read({ sessionId: id }, { types: ['x.mark'], order: 'desc', limit: 10 })
      assert.deepEqual(
        marks.map((e) => e.content),
        ['m200', 'm100'],
      )
      // keys belong to the session that wrote with them
      assert.equal((await store.append(appendRequest(id, key(1)))).replayed, false)
      assert.equal((await readLog(store, source)).length, 301)
    },
  },
  {
    id: 'S11',
    title: 'finds the newest live session of a scope',
    async check(db) {
      const store = await db.connect()
      const scope = { tenant: 'local', userId: 'ada', chatmode: 'default' }
      assert.equal(await store.active({ ...scope, at: NOON }), undefined)
      const older = await createSession(store, { conversationId: 'a', at: noonPlus(1) })
      const newer = await createSession(store, { conversationId: 'b', at: noonPlus(2), expiresAt: noonPlus(50) })
      await store.append(appendRequest(older, { at: noonPlus(30) }))
      assert.equal((await store.active({ ...scope, at: noonPlus(40) }))?.id, newer)
      assert.equal((await store.active({ ...scope, conversationId: 'a', at: noonPlus(40) }))?.id, older)
      assert.equal((await store.active({ ...scope, at: noonPlus(50) }))?.id, older)
      assert.equal(await store.active({ ...scope, tenant: 'other', at: NOON }), undefined)
      const equal = [uuid7(), uuid7()].sort()
      for (const id of equal.toReversed()) await createSession(store, { id, at: noonPlus(3) })
      assert.equal((await store.active({ ...scope, at: noonPlus(4) }))?.id, equal[1])
    },
  },
  {
    id: 'S12',
    title: 'lists by each filter, newest activity first, in pages without gaps or repeats',
    async check(db) {
      const store = await db.connect()
      const ids: string[] = []
      for (const n of upTo(25)) {
        const given = {
          userId: n % 2 ? 'ada' : 'bob',
          chatmode: n % 3 ? 'default' : 'architect',
          agent: n % 5 ? 'coach' : 'motivator',
        }
        // several at the same time, and some minutes apart
        ids.push(await createSession(store, { ...given, at: noonPlus(Math.floor(n / 4) * 45) }))
      }
      await createSession(store, { tenant: 'other' })
      await store.append(appendRequest(ids[3] ?? '', { at: noonPlus(5000) }))
      await store.decide({ sessionId: ids[6] ?? '', at: noonPlus(1), decide: ended })

      const all = await store.list({ tenant: 'local', limit: 100 })
      assert.equal(all.length, 25)
      assert.equal(all[0]?.id, ids[3])
      const sorted = [...all].sort((a, b) => (`${a.lastActivityAt}${a.id}` < `${b.lastActivityAt}${b.id}` ? 1 : -1))
      assert.deepEqual(all, sorted)

      const paged: string[] = []
      for (let cursor: ListQuery['cursor']; ; ) {
        const page = await store.list(defined({ tenant: 'local', limit: 4, cursor }))
        assert(page.length <= 4)
        paged.push(...page.map(({ id }) => id))
        cursor = page.at(-1)
        if (cursor === undefined) break
      }
      assert.deepEqual(
        paged,
        all.map(({ id }) => id),
      )

      const having = (test: (record: (typeof all)[number]) => boolean) => all.filter(test).map(({ id }) => id)
      assert.deepEqual(
        await idsOf(store, { userId: 'bob' }),
        having((r) => r.userId === 'bob'),
      )
      assert.deepEqual(
        await idsOf(store, { chatmode: 'architect' }),
        having((r) => r.chatmode === 'architect'),
      )
      assert.deepEqual(
        await idsOf(store, { agent: 'motivator' }),
        having((r) => r.activeAgent === 'motivator'),
      )
      assert.deepEqual(await idsOf(store, { state: 'complete' }), [ids[6]])
      const one = all[5]
      assert.deepEqual(await idsOf(store, { conversationId: one?.conversationId ?? '' }), [one?.id])
      assert.deepEqual(
        await idsOf(store, { since: noonPlus(90), until: noonPlus(200), userId: 'ada' }),
        having((r) => r.lastActivityAt >= noonPlus(90) && r.lastActivityAt < noonPlus(200) && r.userId === 'ada'),
      )
      assert.deepEqual(await idsOf(store, { userId: 'nobody' }), [])

      const everyone = await store.sessionIds({ limit: 100 })
      assert.deepEqual(everyone, [...everyone].sort())
      assert.equal(everyone.length, 26)
      assert.deepEqual(await store.totals(undefined), { sessions: 26, events: 28 })
      assert.deepEqual(await store.sessionIds({ after: everyone[9] ?? '', limit: 3 }), everyone.slice(10, 13))
    },
  },
  {
    id: 'S28',
    title: 'ends a list of sessions with the one that fills it',
    async check(db) {
      const store = await db.connect()
      const third = Math.ceil(LIMITS.pageSize / 3)
      const asking = (question: string) => ({ status: { state: 'awaiting_user' as const, question, askedAt: NOON } })
      const contents: readonly Partial<SessionRecord>[] = [
        asking('x'.repeat(third)),
        { metadata: { text: 'ö'.repeat(third) } },
        { task: '漢'.repeat(third) },
        {},
        // stored with one character more for each zero than it is returned
        { metadata: { zeros: Array.from({ length: third / 2 }, () => -0) } },
        { task: 'x'.repeat(LIMITS.pageSize / 2) },
        asking('漢'.repeat(third)),
        {},
      ]
      const ids: string[] = []
      for (const [i, content] of contents.entries()) {
        const request = createRequest({ at: noonPlus(-60 * i) })
        const { record } = request.view
        await store.create({ ...request, view: { ...request.view, record: { ...record, ...content } } })
        ids.push(record.id)
      }
      assert.deepEqual(await idsOf(store, {}), ids.slice(0, 3))
      assert.deepEqual(await idsOf(store, { limit: 2 }), ids.slice(0, 2))
      assert.deepEqual(await idsOf(store, { userId: 'ada' }), ids.slice(0, 3))
      const from = (i: number) => ({ cursor: { lastActivityAt: noonPlus(-60 * i), id: ids[i] ?? '' } })
      assert.deepEqual(await idsOf(store, from(2)), ids.slice(3, 7))
      assert.deepEqual(await idsOf(store, from(6)), ids.slice(7))
    },
  },
  {
    id: 'S16',
    title: 'reports a missing session as not found',
    async check(db) {
      const store = await db.connect()
      const missing = uuid7()
      for (const look of ['load', 'record', 'state'] as const) {
        assert.equal(await store[look]({ sessionId: missing }), undefined)
      }
      await expectError('SESSION_NOT_FOUND', store.append(appendRequest(missing)))
      await expectError('SESSION_NOT_FOUND', store.read({ sessionId: missing }, { order: 'asc', limit: 1 }))
      await expectError('SESSION_NOT_FOUND', store.read({ sessionId: missing }, { order: 'desc', turns: 3, limit: 1 }))
      await expectError('SESSION_NOT_FOUND', store.decide({ sessionId: missing, at: NOON, decide: ended }))
      const { event, view } = createRequest()
      await expectError(
        'SESSION_NOT_FOUND',
        store.fork({ source: { sessionId: missing, sequence: 1 }, event, at: NOON, view }),
      )
      assert.deepEqual(await store.list({ tenant: 'local', limit: 10 }), [])
    },
  },
]
