import assert from 'node:assert/strict'
import { uuid7 } from '../../ids.ts'
import { changeEnvelope, loadView } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  appendRequest,
  createRequest,
  createSession,
  expectError,
  forkSession,
  NOON,
  noonPlus,
  upTo,
} from './samples.ts'

const SINCE = noonPlus(-5)

/** S27, S30, and S20 for envelope, pause and secret calls. */
export const intakeRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S27',
    title: 'rejects create and fork while the intake is paused, unless `evenPaused` is set',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { conversationId: 'c' })
      await store.pause(SINCE)
      const error = await expectError('INTAKE_PAUSED', store.create(createRequest()))
      assert.deepEqual((error as Error & { details?: unknown }).details, { since: SINCE })
      for (const reuse of ['conversation', 'any'] as const) {
        await expectError('INTAKE_PAUSED', store.create(createRequest({ userId: 'bob', reuse })))
      }
      await expectError('INTAKE_PAUSED', forkSession(store, sessionId, 1))
      await expectError('INTAKE_PAUSED', store.create({ ...createRequest(), ignorePause: false }))
      assert.deepEqual(await store.totals(undefined), { sessions: 1, events: 1 })
      assert.equal(await store.envelopes.count({ since: SINCE }), 1)
      const through = { ...createRequest({ userId: 'bob' }), ignorePause: true }
      assert.equal((await store.create(through)).outcome, 'created')
      assert.deepEqual(await loadView(store, { sessionId: through.view.record.id }), through.view)
    },
  },
  {
    id: 'S27',
    title: 'existing sessions continue while the intake is paused, and create still finds them',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store, { conversationId: 'c' })
      await store.pause(SINCE)
      const outcome = async (given: Parameters<typeof createRequest>[0]) =>
        (await store.create(createRequest({ conversationId: 'c', ...given }))).outcome
      assert.equal(await outcome({ id: sessionId }), 'same-id')
      assert.equal(await outcome({ reuse: 'conversation' }), 'found')
      assert.equal(await outcome({ reuse: 'any', conversationId: 'elsewhere' }), 'found')
      assert.equal(await outcome({}), 'blocked')
      const { event, view } = createRequest({ id: sessionId })
      const fork = (id: string) => store.fork({ source: { sessionId: id, sequence: 1 }, event, at: NOON, view })
      assert.equal((await fork(sessionId)).outcome, 'same-id')
      const stranger = createRequest()
      const missing = { source: { sessionId: uuid7(), sequence: 1 }, event: stranger.event, at: NOON }
      await expectError('SESSION_NOT_FOUND', store.fork({ ...missing, view: stranger.view }))
      await store.append(appendRequest(sessionId))
      await store.decide(changeEnvelope(sessionId, { personaId: 'p' }))
      const after = await loadView(store, { sessionId })
      assert.deepEqual([after.record.head, after.envelopeAt], [5, 4])
      assert.equal(await store.repair({ sessionId }, 5, after, []), true)
      await store.purge({ sessionId }, NOON)
      await expectError('INTAKE_PAUSED', store.create(createRequest({ id: sessionId })))
    },
  },
  {
    id: 'S27',
    title: 'a pause holds for every connection from its first time until it is resumed',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      const since = async () => [await store.pausedSince(), await other.pausedSince()]
      assert.deepEqual(await since(), [undefined, undefined])
      await store.pause(SINCE)
      await other.pause(NOON)
      assert.deepEqual(await since(), [SINCE, SINCE])
      for (const each of [store, other]) await expectError('INTAKE_PAUSED', each.create(createRequest()))
      const late = await db.connect()
      assert.equal(await late.pausedSince(), SINCE)
      await expectError('INTAKE_PAUSED', late.create(createRequest()))
      await other.pause(undefined)
      assert.deepEqual(await since(), [undefined, undefined])
      await other.pause(undefined)
      for (const each of [store, other]) await createSession(each)
      await forkSession(store, sessionId, 1)
      await other.pause(NOON)
      assert.deepEqual(await since(), [NOON, NOON])
    },
  },
  {
    id: 'S27',
    title: 'no session appears after the pause is acknowledged, even with racing callers',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const source = await createSession(first)
      const begin = (n: number) => {
        const store = stores[n % 4] ?? first
        return n % 5 ? store.create(createRequest()) : forkSession(store, source, 1)
      }
      const before = upTo(30).map(begin)
      const pausing = first.pause(SINCE).then(() => first.sessionIds({ limit: 100 }))
      const results = await Promise.allSettled([...before, ...upTo(30).map(begin)])
      assert.deepEqual(await first.sessionIds({ limit: 100 }), await pausing)
      const codes = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code)
      assert.deepEqual([...new Set(codes)], ['INTAKE_PAUSED'])
      assert.equal((await pausing).length, 1 + 60 - codes.length)
    },
  },
  {
    id: 'S30',
    title: 'keeps the first of many secrets, and returns it to every caller',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const candidates = upTo(20).map((n) => `candidate ${n}`)
      const asked = candidates.map((candidate, n) => stores[n % 4]?.secret(candidate))
      const [first = '', ...others] = await Promise.all(asked)
      assert(candidates.includes(first))
      assert.deepEqual(new Set(others), new Set([first]))
      const late = await db.connect()
      assert.equal(await late.secret('late'), first)
    },
  },
  {
    id: 'S20',
    title: 'rejects envelope and pause calls after close',
    async check(db) {
      const store = await db.connect()
      await store.close()
      await expectError('STORAGE', store.envelopes.page({ limit: 1 }))
      await expectError('STORAGE', store.envelopes.find([uuid7()]))
      await expectError('STORAGE', store.envelopes.count({ since: NOON }))
      await expectError('STORAGE', store.envelopes.remove({ batch: 'b' }, 1))
      await expectError('STORAGE', store.pausedSince())
      await expectError('STORAGE', store.erase())
      await expectError('STORAGE', store.pause(NOON))
      await expectError('STORAGE', store.secret('candidate'))
    },
  },
]
