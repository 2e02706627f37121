import assert from 'node:assert/strict'
import type { CommitLink, CommitsQuery, DecideRequest, DueQuery, SessionStore } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { advanceView, appendRequest, createSession, expectError, NOON, noonPlus, someEvent, upTo } from './samples.ts'
import { edgeRules } from './store-edges.ts'

/** A decision that makes the next commit of the conversation. */
function commitRequest(sessionId: string, at = NOON, id = `of ${sessionId}`): DecideRequest {
  return {
    sessionId,
    at,
    chained: true,
    decide: (view, last) => ({
      events: [someEvent('commit', 'session_compacted')],
      view: { ...advanceView(view, 1), commit: { id, position: (last?.position ?? 0) + 1 } },
    }),
  }
}

/** A decision that ends the session. */
const ending = (sessionId: string): DecideRequest => ({
  sessionId,
  at: NOON,
  decide: (view) => ({
    events: [someEvent('over', 'status_changed')],
    view: advanceView(view, 1, { endedAt: NOON, status: { state: 'complete' } }),
  }),
})

const chain = (store: SessionStore, conversationId: string, tenant = 'local') =>
  store.commits({ tenant, conversationId, limit: 1000 })

/** S24 and S25. */
const chainRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S24',
    title: 'appends each commit to its conversation, and passes the last one to the decider',
    async check(db) {
      const store = await db.connect()
      const told: (CommitLink | undefined)[] = []
      const made: CommitLink[] = []
      for (const [n, userId, position] of [
        [1, 'ada', 1],
        [2, 'bob', 1],
        [3, 'ada', 2],
      ] as const) {
        const sessionId = await createSession(store, { conversationId: 'c', chatmode: `m${n}`, userId })
        const request = commitRequest(sessionId, noonPlus(n))
        await store.decide({
          ...request,
          decide(view, last) {
            told.push(last)
            return request.decide(view, last)
          },
        })
        made.push({ id: `of ${sessionId}`, sessionId, userId, position, at: noonPlus(n) })
        assert.deepEqual((await store.load({ sessionId }))?.commit, { id: `of ${sessionId}`, position })
      }
      const [first, other, second] = made
      assert(first && other && second)
      assert.deepEqual(told, [undefined, undefined, first])
      // by position, then by id
      const expected = [...[first, other].sort((a, b) => (a.id < b.id ? -1 : 1)), second]
      assert.deepEqual(await chain(store, 'c'), expected)
      const page = (query: Pick<CommitsQuery, 'userId' | 'after' | 'limit'>) =>
        store.commits({ tenant: 'local', conversationId: 'c', ...query })
      assert.deepEqual(await page({ limit: 2 }), expected.slice(0, 2))
      for (const n of upTo(3)) {
        assert.deepEqual(await page({ after: expected[n - 1] as CommitLink, limit: 9 }), expected.slice(n))
      }
      assert.deepEqual(await page({ userId: 'ada', limit: 9 }), [first, second])
      assert.deepEqual(await page({ userId: 'ada', after: first, limit: 9 }), [second])
      for (const userId of [{ userId: 'ada' }, {}]) {
        assert.deepEqual(await page({ ...userId, after: { position: 2, id: '' }, limit: 9 }), [second])
        assert.deepEqual(await page({ ...userId, after: { position: 3, id: '' }, limit: 9 }), [])
      }
      assert.deepEqual(await page({ userId: 'bob', limit: 9 }), [other])
      assert.deepEqual(await page({ userId: 'eve', limit: 9 }), [])

      // another conversation starts at 1
      const elsewhere = await createSession(store, { conversationId: 'd' })
      const stranger = await createSession(store, { conversationId: 'c', tenant: 'other' })
      for (const id of [elsewhere, stranger]) await store.decide(commitRequest(id))
      assert.deepEqual(
        (await chain(store, 'd')).map(({ position }) => position),
        [1],
      )
      assert.deepEqual(
        (await chain(store, 'c', 'other')).map(({ sessionId }) => sessionId),
        [stranger],
      )
      assert.deepEqual(await chain(store, 'c'), expected)
    },
  },
  {
    id: 'S24',
    title: 'adds no link if the commit stays or the decider refuses, and passes the last commit only on request',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store, { conversationId: 'c' })
      await store.decide(commitRequest(id))
      const links = await chain(store, 'c')
      await store.decide({
        sessionId: id,
        at: noonPlus(9),
        decide(view, last) {
          assert.equal(last, undefined)
          return { events: [someEvent()], view: advanceView(view, 1, { task: 'other' }) }
        },
      })
      const refusal = store.decide({
        ...commitRequest(id),
        decide() {
          throw new RangeError('no')
        },
      })
      await assert.rejects(refusal, RangeError)
      await store.append(appendRequest(id))
      assert.deepEqual(await chain(store, 'c'), links)
      const view = await store.load({ sessionId: id })
      assert.deepEqual(view?.commit, { id: `of ${id}`, position: 1 })

      // the position is taken: nothing of the decision is stored
      const late = await createSession(store, { conversationId: 'c', chatmode: 'late' })
      const before = await store.load({ sessionId: late })
      await expectError('STORAGE', store.decide({ ...commitRequest(late), chained: false }))
      assert.deepEqual(await store.load({ sessionId: late }), before)
      assert.deepEqual(await chain(store, 'c'), links)
    },
  },
  {
    id: 'S24',
    title: 'gives dense positions to thirty concurrent commits of one conversation over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const ids = await Promise.all(
        upTo(30).map((n) => createSession(first, { conversationId: 'c', chatmode: `m${n}` })),
      )
      await Promise.all(
        ids.flatMap((id, n) => [
          stores[n % 4]?.decide(commitRequest(id)),
          stores[(n + 1) % 4]?.append(appendRequest(id)),
        ]),
      )
      const links = await chain(first, 'c')
      assert.deepEqual(
        links.map(({ position }) => position),
        upTo(30),
      )
      assert.deepEqual(links.map(({ sessionId }) => sessionId).sort(), ids.toSorted())
      for (const { id, sessionId, position } of links) {
        assert.deepEqual((await first.load({ sessionId }))?.commit, { id, position })
      }
    },
  },
  {
    id: 'S24',
    title: 'commits a session once with concurrent callers',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await createSession(first, { conversationId: 'c' })
      const other = await createSession(first, { conversationId: 'c', chatmode: 'other' })
      const once = (sessionId: string): DecideRequest => {
        const request = commitRequest(sessionId)
        return {
          ...request,
          decide: (view, last) => (view.commit === undefined ? request.decide(view, last) : { events: [], view }),
        }
      }
      const writes = upTo(20).map((n) => stores[n % 4]?.decide(once(n % 5 ? id : other)))
      const written = (await Promise.all(writes)).filter((result) => result?.events.length === 1)
      assert.equal(written.length, 2)
      assert.deepEqual((await chain(first, 'c')).map(({ sessionId }) => sessionId).sort(), [id, other].sort())
    },
  },
  {
    id: 'S24',
    title: 'keeps the link of a purged session, marked, and its position',
    async check(db) {
      const store = await db.connect()
      const scope = { conversationId: 'c', chatmode: 'a' }
      const id = await createSession(store, scope)
      const other = await createSession(store, { ...scope, chatmode: 'b' })
      await store.decide(commitRequest(id, noonPlus(1)))
      await store.decide(commitRequest(other, noonPlus(2)))
      await store.purge({ sessionId: other }, noonPlus(7))
      const gone = {
        id: `of ${other}`,
        sessionId: other,
        userId: '',
        position: 2,
        at: noonPlus(2),
        purgedAt: noonPlus(7),
      }
      assert.deepEqual((await chain(store, 'c'))[1], gone)
      assert.equal((await chain(store, 'c'))[0]?.purgedAt, undefined)

      // a new session with the same id and its own commit
      await createSession(store, { ...scope, id: other, chatmode: 'b' })
      assert.equal((await store.load({ sessionId: other }))?.commit, undefined)
      await store.decide(commitRequest(other, noonPlus(8), 'second'))
      const second = { id: 'second', sessionId: other, userId: 'ada', position: 3, at: noonPlus(8) }
      assert.deepEqual((await chain(store, 'c')).slice(1), [gone, second])
      await store.purge({ sessionId: other }, noonPlus(9))
      assert.deepEqual((await chain(store, 'c')).slice(1), [gone, { ...second, userId: '', purgedAt: noonPlus(9) }])
      await expectError('SESSION_NOT_FOUND', store.purge({ sessionId: other }, noonPlus(10)))
      await createSession(store, { ...scope, id: other, chatmode: 'b' })
      await store.purge({ sessionId: other }, noonPlus(11))
      assert.deepEqual((await chain(store, 'c')).slice(1), [gone, { ...second, userId: '', purgedAt: noonPlus(9) }])
    },
  },
  {
    id: 'S24',
    title: 'a repair adds a missing link and keeps an existing one',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store, { conversationId: 'c' })
      const view = await store.load({ sessionId: id })
      assert(view)
      const right = {
        ...view,
        record: { ...view.record, lastActivityAt: noonPlus(5) },
        commit: { id: 'x', position: 1 },
      }
      assert.equal(await store.repair({ sessionId: id }, 1, right, []), true)
      const made = { id: 'x', sessionId: id, userId: 'ada', position: 1, at: noonPlus(5) }
      assert.deepEqual(await chain(store, 'c'), [made])
      const other = { ...right, commit: { id: 'y', position: 1 } }
      assert.equal(await store.repair({ sessionId: id }, 1, other, []), true)
      assert.equal(await store.repair({ sessionId: id }, 1, view, []), true)
      assert.equal((await store.load({ sessionId: id }))?.commit, undefined)
      assert.deepEqual(await chain(store, 'c'), [made])
    },
  },
  {
    id: 'S25',
    title: 'returns idle and expired live sessions, longest waiting first',
    async check(db) {
      const store = await db.connect()
      const due = (query: Partial<DueQuery> = {}) =>
        store.due({ idleSince: noonPlus(600), at: noonPlus(1000), endedBefore: NOON, limit: 9, ...query })
      assert.deepEqual(await due(), [])
      const later = await createSession(store, { at: noonPlus(300) })
      const first = await createSession(store, { at: noonPlus(60), expiresAt: noonPlus(5000), userId: 'bob' })
      const edge = await createSession(store, { at: noonPlus(599) })
      const both = await createSession(store, { at: noonPlus(130), expiresAt: noonPlus(140), tenant: 'other' })
      const expired = [
        await createSession(store, { at: noonPlus(700), expiresAt: noonPlus(1000) }),
        await createSession(store, { at: noonPlus(900), expiresAt: noonPlus(950), tenant: 'other' }),
      ]
      await createSession(store, { at: noonPlus(600) })
      await createSession(store, { at: noonPlus(700), expiresAt: noonPlus(1001) })
      const awake = await createSession(store, { at: noonPlus(1) })
      await store.append(appendRequest(awake, { at: noonPlus(800) }))
      const over = await createSession(store, { at: noonPlus(1), expiresAt: noonPlus(2) })
      await store.decide(ending(over))

      const order = [first, both, later, edge, ...expired.toReversed()]
      assert.deepEqual(await due(), order)
      for (const limit of upTo(6)) assert.deepEqual(await due({ limit }), order.slice(0, limit))
      assert.deepEqual(await due({ idleSince: NOON }), [both, ...expired.toReversed()])
      assert.deepEqual(await due({ within: { tenant: 'other' } }), [both, expired[1]])
      assert.deepEqual(await due({ within: { tenant: 'local', userId: 'bob' } }), [first])
      assert.deepEqual(await due({ within: { tenant: 'other', userId: 'bob' } }), [])

      for (const sessionId of [first, expired[0] ?? '']) await store.purge({ sessionId }, NOON)
      await store.decide(ending(both))
      assert.deepEqual(await due(), [later, edge, expired[1]])
    },
  },
  {
    id: 'S25',
    title: 'returns sessions that ended some time ago and still await their commit',
    async check(db) {
      const store = await db.connect()
      const due = (query: Partial<DueQuery> = {}) =>
        store.due({ idleSince: noonPlus(0), at: NOON, endedBefore: noonPlus(10), limit: 9, ...query })
      const ids: string[] = []
      for (const [endedAt, awaits] of [
        [5, true],
        [3, true],
        [10, true],
        [1, false],
      ] as const) {
        const sessionId = await createSession(store, { tenant: awaits ? 'local' : 'other' })
        ids.push(sessionId)
        const { decide, ...request } = ending(sessionId)
        await store.decide({
          ...request,
          decide(view) {
            const decision = decide(view)
            const record = { ...decision.view.record, endedAt: noonPlus(endedAt) }
            return { ...decision, view: { ...decision.view, record, ...(awaits && { awaitsCommit: true }) } }
          },
        })
      }
      const [later = '', first = ''] = ids
      assert.deepEqual(await due(), [first, later])
      assert.deepEqual(await due({ limit: 1 }), [first])
      assert.deepEqual(await due({ within: { tenant: 'other' } }), [])
      assert.equal((await store.load({ sessionId: first }))?.awaitsCommit, true)
      const { decide, ...request } = commitRequest(first)
      await store.decide({
        ...request,
        decide(view, last) {
          const { awaitsCommit: _, ...rest } = decide(view, last).view
          return { ...decide(view, last), view: rest }
        },
      })
      assert.deepEqual(await due(), [later])
      assert.equal((await store.load({ sessionId: first }))?.awaitsCommit, undefined)
    },
  },
  {
    id: 'S25',
    title: 'orders sessions of one minute by id and omits none',
    async check(db) {
      const store = await db.connect()
      const ids: string[] = []
      for (const n of upTo(30)) ids.push(await createSession(store, { at: noonPlus(n), conversationId: `c${n}` }))
      const due = (limit: number) => store.due({ idleSince: noonPlus(30), at: NOON, endedBefore: NOON, limit })
      assert.deepEqual(await due(100), ids.slice(0, 29).sort())
      const seen: string[] = []
      for (let page = await due(7); page.length > 0; page = await due(7)) {
        for (const id of page) await store.decide(ending(id))
        seen.push(...page)
      }
      assert.deepEqual(seen, ids.slice(0, 29).sort())
    },
  },
]

/** S23 to S25. */
export const workRules: readonly Rule<StoreDatabase>[] = [...edgeRules, ...chainRules]
