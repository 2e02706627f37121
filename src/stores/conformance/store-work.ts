import assert from 'node:assert/strict'
import type { CommitLink, DecideRequest, DueQuery, SessionStore } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { appending, createdIn, moved, NOON, refused, seconds, someEvent, upTo } from './samples.ts'
import { edgeRules } from './store-edges.ts'

/** A decision that makes the next commit of the conversation. */
function committing(sessionId: string, at = NOON, id = `of ${sessionId}`): DecideRequest {
  return {
    sessionId,
    at,
    chained: true,
    decide: (view, last) => ({
      events: [someEvent('commit', 'session_compacted')],
      view: { ...moved(view, 1), commit: { id, position: (last?.position ?? 0) + 1 } },
    }),
  }
}

/** A decision that ends the session. */
const ending = (sessionId: string): DecideRequest => ({
  sessionId,
  at: NOON,
  decide: (view) => ({
    events: [someEvent('over', 'status_changed')],
    view: moved(view, 1, { endedAt: NOON, status: { state: 'complete' } }),
  }),
})

const chain = (store: SessionStore, conversationId: string, tenant = 'local') =>
  store.commits({ tenant, conversationId, limit: 1000 })

/** S24 and S25. */
const chainRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S24',
    title: 'makes each commit the next of its conversation, and tells the decider the last',
    async check(db) {
      const store = await db.connect()
      const told: (CommitLink | undefined)[] = []
      const expected: CommitLink[] = []
      for (const n of upTo(3)) {
        const userId = n === 2 ? 'bob' : 'ada'
        const sessionId = await createdIn(store, { conversationId: 'c', chatmode: `m${n}`, userId })
        const request = committing(sessionId, seconds(n))
        await store.decide({
          ...request,
          decide(view, last) {
            told.push(last)
            return request.decide(view, last)
          },
        })
        expected.push({ id: `of ${sessionId}`, sessionId, userId, position: n, at: seconds(n) })
        assert.deepEqual((await store.load({ sessionId }))?.commit, { id: `of ${sessionId}`, position: n })
      }
      assert.deepEqual(told.at(-1), expected[1])
      assert.equal(told[0], undefined)
      assert.deepEqual(await chain(store, 'c'), expected)
      const page = (query: { userId?: string; after?: number; limit: number }) =>
        store.commits({ tenant: 'local', conversationId: 'c', ...query })
      assert.deepEqual(await page({ limit: 2 }), expected.slice(0, 2))
      assert.deepEqual(await page({ after: 1, limit: 9 }), expected.slice(1))
      assert.deepEqual(await page({ userId: 'ada', limit: 9 }), [expected[0], expected[2]])
      assert.deepEqual(await page({ userId: 'ada', after: 1, limit: 9 }), [expected[2]])

      // elsewhere it begins at 1 again
      const elsewhere = await createdIn(store, { conversationId: 'd' })
      const stranger = await createdIn(store, { conversationId: 'c', tenant: 'other' })
      for (const id of [elsewhere, stranger]) await store.decide(committing(id))
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
    title: 'makes no link of a decision that keeps the commit, is not told of any unasked, or refuses',
    async check(db) {
      const store = await db.connect()
      const id = await createdIn(store, { conversationId: 'c' })
      await store.decide(committing(id))
      const links = await chain(store, 'c')
      await store.decide({
        sessionId: id,
        at: seconds(9),
        decide(view, last) {
          assert.equal(last, undefined)
          return { events: [someEvent()], view: moved(view, 1, { task: 'other' }) }
        },
      })
      const refusal = store.decide({
        ...committing(id),
        decide() {
          throw new RangeError('no')
        },
      })
      await assert.rejects(refusal, RangeError)
      await store.append(appending(id))
      assert.deepEqual(await chain(store, 'c'), links)
      const view = await store.load({ sessionId: id })
      assert.deepEqual(view?.commit, { id: `of ${id}`, position: 1 })

      // a position that is taken: nothing of the decision stays
      const late = await createdIn(store, { conversationId: 'c', chatmode: 'late' })
      const before = await store.load({ sessionId: late })
      await refused('STORAGE', store.decide({ ...committing(late), chained: false }))
      assert.deepEqual(await store.load({ sessionId: late }), before)
      assert.deepEqual(await chain(store, 'c'), links)
    },
  },
  {
    id: 'S24',
    title: 'gives dense positions to thirty sessions of one conversation that commit at once over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const ids = await Promise.all(
        upTo(30).map((n) => createdIn(first, { conversationId: 'c', chatmode: `m${n}`, userId: `u${n % 3}` })),
      )
      await Promise.all(
        ids.flatMap((id, n) => [stores[n % 4]?.decide(committing(id)), stores[(n + 1) % 4]?.append(appending(id))]),
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
    title: 'commits a session once however many callers try at once',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const id = await createdIn(first, { conversationId: 'c' })
      const other = await createdIn(first, { conversationId: 'c', chatmode: 'other' })
      const once = (sessionId: string): DecideRequest => {
        const request = committing(sessionId)
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
    title: 'leaves the link of a purged session, marked, and counts it when the next is made',
    async check(db) {
      const store = await db.connect()
      const scope = { conversationId: 'c', chatmode: 'a' }
      const id = await createdIn(store, scope)
      const other = await createdIn(store, { ...scope, chatmode: 'b', userId: 'bob' })
      await store.decide(committing(id, seconds(1)))
      await store.decide(committing(other, seconds(2)))
      await store.purge({ sessionId: other }, seconds(7))
      const gone = {
        id: `of ${other}`,
        sessionId: other,
        userId: '',
        position: 2,
        at: seconds(2),
        purgedAt: seconds(7),
      }
      assert.deepEqual((await chain(store, 'c'))[1], gone)
      assert.equal((await chain(store, 'c'))[0]?.purgedAt, undefined)

      // the same id again, with a commit of its own
      await createdIn(store, { ...scope, id: other, chatmode: 'b', userId: 'eve' })
      assert.equal((await store.load({ sessionId: other }))?.commit, undefined)
      await store.decide(committing(other, seconds(8), 'second'))
      const second = { id: 'second', sessionId: other, userId: 'eve', position: 3, at: seconds(8) }
      assert.deepEqual((await chain(store, 'c')).slice(1), [gone, second])
      await store.purge({ sessionId: other }, seconds(9))
      assert.deepEqual((await chain(store, 'c')).slice(1), [gone, { ...second, userId: '', purgedAt: seconds(9) }])
      await refused('SESSION_NOT_FOUND', store.purge({ sessionId: other }, seconds(10)))
      await createdIn(store, { ...scope, id: other, chatmode: 'b' })
      await store.purge({ sessionId: other }, seconds(11))
      assert.deepEqual((await chain(store, 'c')).slice(1), [gone, { ...second, userId: '', purgedAt: seconds(9) }])
    },
  },
  {
    id: 'S24',
    title: 'has a repair make the link that is missing, and leave one that is there',
    async check(db) {
      const store = await db.connect()
      const id = await createdIn(store, { conversationId: 'c' })
      const view = await store.load({ sessionId: id })
      assert(view)
      const right = {
        ...view,
        record: { ...view.record, lastActivityAt: seconds(5) },
        commit: { id: 'x', position: 1 },
      }
      assert.equal(await store.repair({ sessionId: id }, 1, right, []), true)
      const made = { id: 'x', sessionId: id, userId: 'ada', position: 1, at: seconds(5) }
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
    title: 'gives live sessions that are idle or have expired, the longest waiting first',
    async check(db) {
      const store = await db.connect()
      const due = (query: Partial<DueQuery> = {}) =>
        store.due({ idleSince: seconds(600), at: seconds(1000), endedBefore: NOON, limit: 9, ...query })
      assert.deepEqual(await due(), [])
      const later = await createdIn(store, { at: seconds(300) })
      const first = await createdIn(store, { at: seconds(60), expiresAt: seconds(5000), userId: 'bob' })
      const edge = await createdIn(store, { at: seconds(599) })
      const both = await createdIn(store, { at: seconds(130), expiresAt: seconds(140), tenant: 'other' })
      const expired = [
        await createdIn(store, { at: seconds(700), expiresAt: seconds(1000) }),
        await createdIn(store, { at: seconds(900), expiresAt: seconds(950), tenant: 'other' }),
      ]
      await createdIn(store, { at: seconds(600) })
      await createdIn(store, { at: seconds(700), expiresAt: seconds(1001) })
      const awake = await createdIn(store, { at: seconds(1) })
      await store.append(appending(awake, { at: seconds(800) }))
      const over = await createdIn(store, { at: seconds(1), expiresAt: seconds(2) })
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
    title: 'gives sessions that ended some time ago and still await their commit',
    async check(db) {
      const store = await db.connect()
      const due = (query: Partial<DueQuery> = {}) =>
        store.due({ idleSince: seconds(0), at: NOON, endedBefore: seconds(10), limit: 9, ...query })
      const ids: string[] = []
      for (const [endedAt, awaits] of [
        [5, true],
        [3, true],
        [10, true],
        [1, false],
      ] as const) {
        const sessionId = await createdIn(store, { tenant: awaits ? 'local' : 'other' })
        ids.push(sessionId)
        const { decide, ...request } = ending(sessionId)
        await store.decide({
          ...request,
          decide(view) {
            const decision = decide(view)
            const record = { ...decision.view.record, endedAt: seconds(endedAt) }
            return { ...decision, view: { ...decision.view, record, ...(awaits && { awaitsCommit: true }) } }
          },
        })
      }
      const [later = '', first = ''] = ids
      assert.deepEqual(await due(), [first, later])
      assert.deepEqual(await due({ limit: 1 }), [first])
      assert.deepEqual(await due({ within: { tenant: 'other' } }), [])
      assert.equal((await store.load({ sessionId: first }))?.awaitsCommit, true)
      const { decide, ...request } = committing(first)
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
    title: 'orders those of one minute by id, and lets none out however many there are',
    async check(db) {
      const store = await db.connect()
      const ids: string[] = []
      for (const n of upTo(30)) ids.push(await createdIn(store, { at: seconds(n), conversationId: `c${n}` }))
      const due = (limit: number) => store.due({ idleSince: seconds(30), at: NOON, endedBefore: NOON, limit })
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
