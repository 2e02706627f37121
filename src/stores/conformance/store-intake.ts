import assert from 'node:assert/strict'
import { uuid7 } from '../../ids.ts'
import { changing, loadedIn } from './envelope-samples.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { appending, createdIn, creation, forkedIn, NOON, refused, seconds, upTo } from './samples.ts'

const SINCE = seconds(-5)

/** S27, and S20 for the calls of envelopes and the pause. */
export const intakeRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S27',
    title: 'begins and forks nothing while the intake is paused, except what is to be begun all the same',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store, { conversationId: 'c' })
      await store.pause(SINCE)
      const error = await refused('INTAKE_PAUSED', store.create(creation()))
      assert.deepEqual((error as Error & { details?: unknown }).details, { since: SINCE })
      for (const reuse of ['conversation', 'any'] as const) {
        await refused('INTAKE_PAUSED', store.create(creation({ userId: 'bob', reuse })))
      }
      await refused('INTAKE_PAUSED', forkedIn(store, sessionId, 1))
      await refused('INTAKE_PAUSED', store.create({ ...creation(), ignorePause: false }))
      assert.deepEqual(await store.totals(undefined), { sessions: 1, events: 1 })
      assert.equal(await store.envelopes.count({ since: SINCE }), 1)
      const through = { ...creation({ userId: 'bob' }), ignorePause: true }
      assert.equal((await store.create(through)).outcome, 'created')
      assert.deepEqual(await loadedIn(store, { sessionId: through.view.record.id }), through.view)
    },
  },
  {
    id: 'S27',
    title: 'lets what exists go on while the intake is paused, and gives what is there already',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createdIn(store, { conversationId: 'c' })
      await store.pause(SINCE)
      const outcome = async (given: Parameters<typeof creation>[0]) =>
        (await store.create(creation({ conversationId: 'c', ...given }))).outcome
      assert.equal(await outcome({ id: sessionId }), 'same-id')
      assert.equal(await outcome({ reuse: 'conversation' }), 'found')
      assert.equal(await outcome({ reuse: 'any', conversationId: 'elsewhere' }), 'found')
      assert.equal(await outcome({}), 'blocked')
      const { event, view } = creation({ id: sessionId })
      const fork = (id: string) => store.fork({ source: { sessionId: id, sequence: 1 }, event, at: NOON, view })
      assert.equal((await fork(sessionId)).outcome, 'same-id')
      const stranger = creation()
      const missing = { source: { sessionId: uuid7(), sequence: 1 }, event: stranger.event, at: NOON }
      await refused('SESSION_NOT_FOUND', store.fork({ ...missing, view: stranger.view }))
      await store.append(appending(sessionId))
      await store.decide(changing(sessionId, { personaId: 'p' }))
      const after = await loadedIn(store, { sessionId })
      assert.deepEqual([after.record.head, after.envelopeAt], [5, 4])
      assert.equal(await store.repair({ sessionId }, 5, after, []), true)
      await store.purge({ sessionId }, NOON)
      await refused('INTAKE_PAUSED', store.create(creation({ id: sessionId })))
    },
  },
  {
    id: 'S27',
    title: 'is paused from the first moment on for every connection, until it is resumed',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createdIn(store)
      const since = async () => [await store.pausedSince(), await other.pausedSince()]
      assert.deepEqual(await since(), [undefined, undefined])
      await store.pause(SINCE)
      await other.pause(NOON)
      assert.deepEqual(await since(), [SINCE, SINCE])
      for (const each of [store, other]) await refused('INTAKE_PAUSED', each.create(creation()))
      const late = await db.connect()
      assert.equal(await late.pausedSince(), SINCE)
      await refused('INTAKE_PAUSED', late.create(creation()))
      await other.pause(undefined)
      assert.deepEqual(await since(), [undefined, undefined])
      await other.pause(undefined)
      for (const each of [store, other]) await createdIn(each)
      await forkedIn(store, sessionId, 1)
      await other.pause(NOON)
      assert.deepEqual(await since(), [NOON, NOON])
    },
  },
  {
    id: 'S27',
    title: 'lets no session appear once the pause was acknowledged, however many callers race',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const source = await createdIn(first)
      const begin = (n: number) => {
        const store = stores[n % 4] ?? first
        return n % 5 ? store.create(creation()) : forkedIn(store, source, 1)
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
    id: 'S20',
    title: 'refuses the calls of envelopes and of the pause after close, too',
    async check(db) {
      const store = await db.connect()
      await store.close()
      await refused('STORAGE', store.envelopes.page({ limit: 1 }))
      await refused('STORAGE', store.envelopes.find([uuid7()]))
      await refused('STORAGE', store.envelopes.count({ since: NOON }))
      await refused('STORAGE', store.envelopes.remove({ batch: 'b' }, 1))
      await refused('STORAGE', store.pausedSince())
      await refused('STORAGE', store.pause(NOON))
    },
  },
]
