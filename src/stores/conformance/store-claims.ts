import assert from 'node:assert/strict'
import type { AskingQuery, ClaimQuery } from '../../ports/runs.ts'
import type { SessionStore } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { foreignSession, importSession } from './import-samples.ts'
import {
  finishRequest,
  finishRun,
  folding,
  openRequest,
  resolveRequest,
  scheduleWake,
  setStatus,
  soon,
  startRun,
  systemEvent,
} from './run-samples.ts'
import { appendRequest, createSession, endSession, noonPlus, someEvent, upTo } from './samples.ts'

/** Sessions that need work so many seconds after noon, with the time since when. */
async function claimable(store: SessionStore, seconds: number, query: Partial<ClaimQuery> = {}) {
  const found = await store.claimable({ at: noonPlus(seconds), tenants: 99, limit: 99, ...query })
  return found.map(({ sessionId, dueAt }) => [sessionId, dueAt])
}

/** Since when a session needs work so many seconds after noon; `undefined` if it needs none. */
async function dueSince(store: SessionStore, sessionId: string, seconds: number) {
  const found = await claimable(store, seconds)
  return found.find(([id]) => id === sessionId)?.[1]
}

/** S43. */
export const claimRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S43',
    title: 'returns sessions that were never started, and live runs from the end of their lease on',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      assert.deepEqual(await claimable(store, 9), [])
      const sessionId = await createSession(store, { at: noonPlus(1) })
      assert.deepEqual(await claimable(other, 0), [])
      assert.deepEqual(await claimable(other, 1), [[sessionId, noonPlus(1)]])
      await startRun(other, sessionId, noonPlus(2), noonPlus(10))
      assert.deepEqual(await claimable(store, 9), [])
      assert.deepEqual(await claimable(store, 10), [[sessionId, noonPlus(10)]])
      assert.equal(await store.renew({ sessionId, generation: 1, at: noonPlus(9), until: noonPlus(20) }), true)
      assert.deepEqual(await claimable(other, 19), [])
      assert.deepEqual(await claimable(other, 20), [[sessionId, noonPlus(20)]])
      await finishRun(other, sessionId, noonPlus(12))
      assert.deepEqual(await claimable(store, 999), [])
      await store.append(appendRequest(sessionId, { at: noonPlus(13), events: [someEvent('ok', 'model_message')] }))
      assert.deepEqual(await claimable(store, 999), [])
    },
  },
  {
    id: 'S43',
    title: 'returns sessions with a retry, a wake or a resolved request',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const run = async (seconds: number) => await startRun(store, sessionId, noonPlus(seconds), noonPlus(seconds + 5))
      await run(1)
      await finishRun(store, sessionId, noonPlus(2), { outcome: 'failed', retryAt: noonPlus(30) })
      assert.deepEqual(await claimable(store, 29), [])
      assert.deepEqual(await claimable(store, 30), [[sessionId, noonPlus(30)]])
      await run(30)
      await scheduleWake(store, sessionId, noonPlus(31), { id: 'w', at: noonPlus(33) })
      assert.equal((await store.load({ sessionId }))?.run?.wakes.length, 1)
      assert.deepEqual(await claimable(store, 34), [])
      await finishRun(store, sessionId, noonPlus(32), { outcome: 'failed' })
      assert.deepEqual(await claimable(store, 32), [])
      assert.deepEqual(await claimable(store, 33), [[sessionId, noonPlus(33)]])
      await store.decide(folding(sessionId, noonPlus(34), [() => systemEvent('wake_fired', { id: 'w' })]))
      assert.deepEqual(await claimable(store, 99), [[sessionId, noonPlus(34)]])
      await run(35)
      await openRequest(store, sessionId, noonPlus(36), 'q')
      await finishRun(store, sessionId, noonPlus(37))
      assert.deepEqual(await claimable(store, 99), [])
      await resolveRequest(store, sessionId, noonPlus(50), 'q')
      assert.deepEqual(await claimable(store, 49), [])
      assert.deepEqual(await claimable(store, 50), [[sessionId, noonPlus(50)]])
    },
  },
  {
    id: 'S43',
    title: 'a message of the user makes a session need work, during a run once it is over',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      const say = async (by: SessionStore, seconds: number) => {
        await by.append(appendRequest(sessionId, { at: noonPlus(seconds) }))
      }
      await say(store, 1)
      assert.equal(await dueSince(other, sessionId, 1), noonPlus(0))
      await startRun(store, sessionId, noonPlus(2), noonPlus(50))
      await finishRun(store, sessionId, noonPlus(3))
      assert.deepEqual(await claimable(other, 999), [])
      await say(other, 10)
      assert.deepEqual(await claimable(store, 9), [])
      assert.deepEqual(await claimable(store, 10), [[sessionId, noonPlus(10)]])
      await say(store, 11)
      assert.deepEqual(await claimable(other, 11), [[sessionId, noonPlus(10)]])

      await startRun(store, sessionId, noonPlus(12), noonPlus(50))
      assert.deepEqual(await claimable(store, 49), [])
      await say(store, 13)
      await say(other, 14)
      assert.deepEqual(await claimable(store, 49), [])
      await finishRun(other, sessionId, noonPlus(20))
      assert.equal((await claimable(store, 20)).length, 1)

      // a message that is due before the retry
      await startRun(store, sessionId, noonPlus(21), noonPlus(50))
      await finishRun(store, sessionId, noonPlus(22), { outcome: 'failed', retryAt: noonPlus(60) })
      assert.deepEqual(await claimable(store, 59), [])
      await say(other, 30)
      assert.deepEqual(await claimable(store, 30), [[sessionId, noonPlus(30)]])
    },
  },
  {
    id: 'S43',
    title: 'a message that comes while a decision finishes the run is not lost',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      for (const n of upTo(20)) {
        const at = noonPlus(10 * n)
        await startRun(store, sessionId, at, noonPlus(10 * n + 9))
        const messages: Promise<unknown>[] = []
        const { decide, ...request } = finishRequest(sessionId, at)
        await store.decide({
          ...request,
          decide(view) {
            const by = n % 2 ? store : other
            if (messages.length === 0) messages.push(soon(() => by.append(appendRequest(sessionId, { at }))))
            return decide(view)
          },
        })
        await Promise.all(messages)
        assert.deepEqual(await claimable(store, 10 * n), [[sessionId, at]])
      }
    },
  },
  {
    id: 'S43',
    title: 'a message that comes while a decision starts a run makes no second worker take the session',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      for (const n of upTo(20)) {
        const [at, until] = [noonPlus(10 * n), noonPlus(10 * n + 9)]
        const by = n % 2 ? store : other
        await Promise.all([startRun(store, sessionId, at, until), by.append(appendRequest(sessionId, { at }))])
        assert.deepEqual(await claimable(store, 10 * n + 8), [])
        assert.deepEqual(await claimable(other, 10 * n + 9), [[sessionId, until]])
        await finishRun(other, sessionId, at)
      }
    },
  },
  {
    id: 'S43',
    title: 'leaves out sessions that wait for the user, have ended, expired or are gone',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const question = { state: 'awaiting_user', question: 'Which?', askedAt: noonPlus(1) } as const
      await setStatus(store, sessionId, noonPlus(1), question)
      assert.deepEqual(await claimable(store, 9), [])
      await store.append(appendRequest(sessionId, { at: noonPlus(2) }))
      assert.deepEqual(await claimable(store, 9), [])
      await setStatus(store, sessionId, noonPlus(3), { state: 'running' })
      assert.equal((await claimable(store, 9)).length, 1)
      await setStatus(store, sessionId, noonPlus(4), { state: 'pending_complete', summary: 'done' })
      assert.deepEqual(await claimable(store, 9), [])
      await setStatus(store, sessionId, noonPlus(5), { state: 'interrupted', userMessage: 'wait' })
      assert.equal((await claimable(store, 9)).length, 1)
      await startRun(store, sessionId, noonPlus(6), noonPlus(20))
      await setStatus(store, sessionId, noonPlus(7), question)
      const renewal = { sessionId, generation: 1, at: noonPlus(7), until: noonPlus(30) }
      assert.equal(await store.renew(renewal), true)
      assert.deepEqual(await claimable(store, 99), [])
      await setStatus(store, sessionId, noonPlus(8), { state: 'complete' })
      const ended = await store.load({ sessionId })
      assert.deepEqual([ended?.record.run, ended?.leaseUntil], [undefined, undefined])

      const expiring = await createSession(store, { expiresAt: noonPlus(10) })
      assert.equal((await claimable(store, 9)).length, 1)
      assert.deepEqual(await claimable(store, 10), [])
      const others = [await createSession(store), await createSession(store)]
      assert.equal((await claimable(store, 9)).length, 3)
      await endSession(store, others[0] ?? '', noonPlus(1))
      await store.purge({ sessionId: others[1] ?? '' }, noonPlus(1))
      assert.deepEqual(await claimable(store, 9), [[expiring, noonPlus(0)]])
      // an id that was purged
      await createSession(store, { id: others[1] ?? '' })
      assert.equal((await claimable(store, 9)).length, 2)
    },
  },
  {
    id: 'S43',
    title: 'returns the sessions of a chatmode, of agents and of an owner, the longest waiting first',
    async check(db) {
      const store = await db.connect()
      const made: string[] = []
      for (const [i, [chatmode, agent, userId, tenant]] of (
        [
          ['chat', 'coach', 'ada', 'local'],
          ['chat', 'critic', 'bob', 'local'],
          ['code', 'coach', 'bob', 'local'],
          ['code', 'critic', 'ada', 'local'],
          ['chat', 'coach', 'ada', 'local'],
          ['chat', 'coach', 'ada', 'other'],
        ] as const
      ).entries()) {
        made.push(await createSession(store, { chatmode, agent, userId, tenant, at: noonPlus(10 - i) }))
      }
      const [a, b, c, d, e, f] = made
      const ids = async (query: Partial<ClaimQuery>) => (await claimable(store, 99, query)).map(([id]) => id)
      assert.deepEqual(await ids({}), [e, d, c, b, a, f])
      assert.deepEqual(await ids({ chatmode: 'chat' }), [e, b, a, f])
      assert.deepEqual(await ids({ chatmode: 'none' }), [])
      assert.deepEqual(await ids({ agents: ['critic'] }), [d, b])
      assert.deepEqual(await ids({ agents: ['critic', 'coach', 'coach'] }), [e, d, c, b, a, f])
      assert.deepEqual(await ids({ agents: [] }), [])
      assert.deepEqual(await ids({ agents: ['coach'], chatmode: 'code' }), [c])
      assert.deepEqual(await ids({ agents: ['critic'], limit: 1 }), [d])
      assert.deepEqual(await ids({ agents: ['critic'], tenants: 1, after: 'local' }), [d, b])
      assert.deepEqual(await ids({ within: { tenant: 'local' } }), [e, d, c, b, a])
      assert.deepEqual(await ids({ within: { tenant: 'none' } }), [])
      assert.deepEqual(await ids({ within: { tenant: 'other' }, after: 'other' }), [f])
      assert.deepEqual(await ids({ within: { tenant: 'local', userId: 'ada' } }), [e, d, a])
      assert.deepEqual(await ids({ within: { tenant: 'local', userId: 'ada' }, chatmode: 'chat' }), [e, a])
      assert.deepEqual(await ids({ within: { tenant: 'local', userId: 'ada' }, agents: ['critic'] }), [d])
      assert.deepEqual(await ids({ within: { tenant: 'local', userId: 'ada' }, limit: 1 }), [e])
      assert.deepEqual(await ids({ within: { tenant: 'other', userId: 'bob' } }), [])
      for (const limit of upTo(5)) {
        assert.deepEqual(await ids({ within: { tenant: 'local' }, limit }), [e, d, c, b, a].slice(0, limit))
      }
      // an agent that takes over
      await store.decide(
        folding(a ?? '', noonPlus(20), [() => systemEvent('agent_changed', { from: 'coach', to: 'judge' })]),
      )
      assert.deepEqual(await ids({ agents: ['judge'] }), [a])
      // sessions that became due at the same time
      const same = [await createSession(store, { tenant: 'x' }), await createSession(store, { tenant: 'x' })]
      assert.deepEqual(await ids({ within: { tenant: 'x' } }), same.toSorted())
    },
  },
  {
    id: 'S43',
    title: 'tenants take turns, up to a limit of tenants and of sessions of each',
    async check(db) {
      const store = await db.connect()
      const by = new Map<string, string[]>()
      for (const tenant of ['a', 'c', 'b', 'd']) {
        const ids: string[] = []
        for (const n of upTo(3)) {
          ids.push(await createSession(store, { tenant, at: noonPlus(n), chatmode: `m${n % 2}` }))
        }
        by.set(tenant, ids)
      }
      // every session of d is at work
      for (const [i, sessionId] of (by.get('d') ?? []).entries()) {
        await startRun(store, sessionId, noonPlus(4), noonPlus(60 + i))
      }
      const turns = async (query: Partial<ClaimQuery>) => {
        const found = await store.claimable({ at: noonPlus(50), tenants: 9, limit: 1, ...query })
        for (const [i, { sessionId, tenant }] of found.entries()) {
          const nth = found.slice(0, i).filter((before) => before.tenant === tenant).length
          assert.equal(sessionId, by.get(tenant)?.[nth])
        }
        return found.map(({ tenant }) => tenant).join('')
      }
      assert.equal(await turns({}), 'abc')
      assert.equal(await turns({ after: 'a' }), 'bca')
      assert.equal(await turns({ after: 'aa' }), 'bca')
      assert.equal(await turns({ after: 'c' }), 'abc')
      assert.equal(await turns({ after: 'z' }), 'abc')
      assert.equal(await turns({ tenants: 1 }), 'a')
      assert.equal(await turns({ tenants: 1, after: 'a' }), 'b')
      assert.equal(await turns({ tenants: 1, after: 'c' }), 'a')
      assert.equal(await turns({ tenants: 2, after: 'b' }), 'ca')
      assert.equal(await turns({ tenants: 2, limit: 2 }), 'aabb')
      assert.equal(await turns({ after: 'b', limit: 9 }), 'cccaaabbb')
      assert.deepEqual(
        (await claimable(store, 50, { chatmode: 'm0', after: 'a', tenants: 2 })).map(([id]) => id),
        ['b', 'c'].map((tenant) => by.get(tenant)?.[1]),
      )
      assert.equal(await turns({ at: noonPlus(60) }), 'abcd')
    },
  },
  {
    id: 'S43',
    title: 'an imported run is due at once, for it has no lease',
    async check(db) {
      const store = await db.connect()
      const started = ['run_started', { runId: 'r', generation: 3, turns: 0 }] as const
      const life = foreignSession({}, [started, ['user_message']])
      await importSession(store, life)
      const view = await store.load({ sessionId: life.sessionId })
      assert.deepEqual(view?.record.run, { id: 'r', generation: 3, startedAt: noonPlus(1) })
      assert.equal(view?.leaseUntil, undefined)
      assert.deepEqual(await claimable(store, 1), [[life.sessionId, noonPlus(1)]])
      await store.append(appendRequest(life.sessionId, { run: 3, at: noonPlus(5) }))
      const renewal = { sessionId: life.sessionId, generation: 3, at: noonPlus(5), until: noonPlus(9) }
      assert.equal(await store.renew(renewal), false)
      await startRun(store, life.sessionId, noonPlus(6), noonPlus(9))
      assert.equal((await store.load({ sessionId: life.sessionId }))?.run?.generation, 4)
      assert.deepEqual(await claimable(store, 8), [])
    },
  },
]

/** S44. */
export const askingRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S44',
    title: 'returns the open requests of a session until they are resolved',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      const asking = (status: AskingQuery['status']) => other.asking({ tenant: 'local', status, limit: 9 })
      assert.deepEqual([await asking('open'), await asking('any')], [[], []])
      const parts = { id: 'a', kind: 'approval', schema: { type: 'boolean' }, toolCallId: 't' }
      await store.decide(folding(sessionId, noonPlus(1), [() => systemEvent('request_opened', parts, 'May I?')]))
      await openRequest(store, sessionId, noonPlus(2), 'b')
      const view = await other.load({ sessionId })
      const first = { ...parts, question: 'May I?', openedAt: noonPlus(1) }
      const second = { id: 'b', kind: 'approval', question: 'May I b?', openedAt: noonPlus(2) }
      assert.deepEqual(view?.requests, [first, second])
      assert.equal(view?.requestsAt, noonPlus(2))
      const row = (seconds: number) => [{ sessionId, requestsAt: noonPlus(seconds) }]
      assert.deepEqual([await asking('open'), await asking('any')], [row(2), row(2)])
      await store.append(appendRequest(sessionId, { at: noonPlus(3) }))
      await resolveRequest(store, sessionId, noonPlus(4), 'a')
      assert.deepEqual((await other.load({ sessionId }))?.requests, [second])
      assert.deepEqual([await asking('open'), await asking('any')], [row(4), row(4)])
      await resolveRequest(other, sessionId, noonPlus(5), 'b')
      const after = await store.load({ sessionId })
      assert.deepEqual([after?.requests, after?.requestsAt], [undefined, noonPlus(5)])
      assert.deepEqual([await asking('open'), await asking('any')], [[], row(5)])
      await openRequest(store, sessionId, noonPlus(6), 'c')
      assert.deepEqual(await asking('open'), row(6))
      await store.purge({ sessionId }, noonPlus(7))
      assert.deepEqual([await asking('open'), await asking('any')], [[], []])
    },
  },
  {
    id: 'S44',
    title: 'returns sessions of a tenant or a user in pages, the newest request first',
    async check(db) {
      const store = await db.connect()
      const rows: { sessionId: string; requestsAt: string; userId: string; isOpen: boolean }[] = []
      for (const n of upTo(12)) {
        const userId = n % 3 === 0 ? 'bob' : 'ada'
        const sessionId = await createSession(store, { userId })
        const requestsAt = noonPlus(100 - Math.floor(n / 3))
        const isOpen = n % 4 !== 0
        if (isOpen) await openRequest(store, sessionId, requestsAt, 'q')
        else {
          await openRequest(store, sessionId, noonPlus(1), 'q')
          await resolveRequest(store, sessionId, requestsAt, 'q')
        }
        rows.push({ sessionId, requestsAt, userId, isOpen })
      }
      await createSession(store)
      await openRequest(store, await createSession(store, { tenant: 'other' }), noonPlus(1), 'q')
      const key = ({ requestsAt, sessionId }: (typeof rows)[0]) => `${requestsAt} ${sessionId}`
      rows.sort((a, b) => (key(a) < key(b) ? 1 : -1))
      for (const status of ['open', 'any'] as const) {
        for (const userId of [undefined, 'ada', 'bob', 'eve']) {
          const query = { tenant: 'local', status, ...(userId !== undefined && { userId }) }
          const expected = rows
            .filter((row) => (status === 'any' || row.isOpen) && (userId === undefined || row.userId === userId))
            .map(({ sessionId, requestsAt }) => ({ sessionId, requestsAt }))
          assert.deepEqual(await store.asking({ ...query, limit: 99 }), expected)
          const seen: typeof expected = []
          for (let page = await store.asking({ ...query, limit: 2 }); page.length > 0; ) {
            assert(page.length <= 2)
            seen.push(...page)
            const { sessionId: id = '', requestsAt = '' } = page.at(-1) ?? {}
            page = await store.asking({ ...query, limit: 2, cursor: { requestsAt, id } })
          }
          assert.deepEqual(seen, expected)
        }
      }
    },
  },
]
