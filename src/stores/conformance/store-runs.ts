import assert from 'node:assert/strict'
import type { Store } from '../../ports/store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { finishRequest, finishRun, folding, soon, startRequest, startRun, systemEvent } from './run-samples.ts'
import {
  advanceView,
  appendRequest,
  createSession,
  endSession,
  expectError,
  forkSession,
  NOON,
  noonPlus,
  readLog,
  someEvent,
  upTo,
} from './samples.ts'
import { askingRules, claimRules } from './store-claims.ts'

/** All that a refused write must leave as it was. */
async function snapshot(store: Store, sessionId: string) {
  return [await store.load({ sessionId }), await readLog(store, sessionId), await store.logSize({ sessionId })]
}

/** S41. */
const appendRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S41',
    title: 'appends for the live run only, whether its lease has expired or not',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      const write = (run: number, at = noonPlus(2)) => appendRequest(sessionId, { run, at })
      async function refused(run: number, at?: string) {
        const before = await snapshot(other, sessionId)
        for (const by of [store, other]) {
          const request = { ...write(run, at), idempotency: { key: `of ${run}`, fingerprint: 'f' } }
          const { details } = await expectError('RUN_LOST', by.append(request))
          assert.deepEqual(details, { sessionId, generation: run })
        }
        assert.deepEqual(await snapshot(store, sessionId), before)
        assert.deepEqual(await snapshot(other, sessionId), before)
      }
      await store.append(appendRequest(sessionId))
      await refused(1)
      await startRun(other, sessionId, noonPlus(1), noonPlus(10))
      await store.append(write(1))
      await other.append(write(1, noonPlus(99)))
      await refused(2)
      await startRun(store, sessionId, noonPlus(100), noonPlus(110))
      await other.append(write(2, noonPlus(100)))
      await refused(1, noonPlus(100))
      await finishRun(other, sessionId, noonPlus(101))
      await refused(2, noonPlus(102))
      await refused(3, noonPlus(102))
      await store.append(appendRequest(sessionId, { at: noonPlus(103) }))
      assert.equal((await readLog(store, sessionId)).length, 9)
    },
  },
  {
    id: 'S41',
    title: 'checks the run after the key and the end of the session',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await startRun(store, sessionId, NOON, noonPlus(10))
      const idempotency = { key: 'k', fingerprint: 'f' }
      const request = appendRequest(sessionId, { run: 1, idempotency })
      const { events } = await store.append(request)
      await finishRun(store, sessionId, noonPlus(1))
      assert.deepEqual(await store.append(request), { events, replayed: true })
      assert.deepEqual(await store.append({ ...request, run: 7 }), { events, replayed: true })
      const other = { ...request, idempotency: { key: 'k', fingerprint: 'g' } }
      await expectError('IDEMPOTENCY_MISMATCH', store.append(other))
      await endSession(store, sessionId, noonPlus(2))
      await expectError('SESSION_ENDED', store.append(appendRequest(sessionId, { run: 1, at: noonPlus(3) })))
      const expiring = await createSession(store, { expiresAt: noonPlus(5) })
      await expectError('SESSION_ENDED', store.append(appendRequest(expiring, { run: 1, at: noonPlus(5) })))
      assert.deepEqual(await store.append(request), { events, replayed: true })
    },
  },
  {
    id: 'S41',
    title: 'stores nothing of a run after the start of the next one, over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const sessionId = await createSession(first)
      await startRun(first, sessionId, NOON, noonPlus(1))
      const writes = upTo(60).map(async (n) => {
        const store = stores[n % 4] ?? first
        if (n === 20) await startRun(store, sessionId, noonPlus(2), noonPlus(3))
        else await store.append(appendRequest(sessionId, { run: 1, at: noonPlus(2) }))
      })
      const results = await Promise.allSettled(writes)
      const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
      for (const code of codes) assert.equal(code, 'RUN_LOST')
      const log = await readLog(first, sessionId)
      assert.equal(log.at(-1)?.type, 'run_started')
      assert.equal(log.length, 2 + 60 - codes.length)
      await first.append(appendRequest(sessionId, { run: 2, at: noonPlus(2) }))
    },
  },
]

/** S42. */
const leaseRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S42',
    title: 'stores the live run and its lease with the decision, and removes them with it',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      const lease = async () => (await other.load({ sessionId }))?.leaseUntil
      assert.equal((await other.load({ sessionId }))?.run, undefined)
      await startRun(store, sessionId, noonPlus(1), noonPlus(10))
      const live = { id: 'run 1', generation: 1, worker: 'w', startedAt: noonPlus(1) }
      const view = await other.load({ sessionId })
      assert.deepEqual(view?.record.run, live)
      assert.deepEqual(view?.run, { generation: 1, turns: 0, failures: 0, wakes: [] })
      assert.equal(view?.leaseUntil, noonPlus(10))
      assert.deepEqual((await other.record({ sessionId }))?.run, live)
      assert.deepEqual((await other.list({ tenant: 'local', limit: 9 }))[0]?.run, live)
      assert.deepEqual((await other.active({ ...view.record, at: noonPlus(2) }))?.run, live)

      // writes that do not concern it
      await store.append(appendRequest(sessionId, { at: noonPlus(2) }))
      const merge = { op: 'merge', patch: { a: 1 } }
      await other.decide(folding(sessionId, noonPlus(2), [() => systemEvent('state_changed', merge)]))
      await store.decide(folding(sessionId, noonPlus(2), [() => systemEvent('messages_cleared', {})]))
      assert.equal(await lease(), noonPlus(10))
      const cancel = () => someEvent('no longer needed', 'cancel_requested')
      await other.decide(folding(sessionId, noonPlus(3), [cancel]))
      const cancelled = { at: noonPlus(3), reason: 'no longer needed' }
      assert.deepEqual((await store.record({ sessionId }))?.run, { ...live, cancelled })
      assert.equal(await lease(), noonPlus(10))

      // a decision may also set it to an earlier time
      const shorten = folding(sessionId, noonPlus(4), [() => systemEvent('x.released', {})], (now) => ({
        ...now,
        leaseUntil: noonPlus(4),
      }))
      await store.decide(shorten)
      assert.equal(await lease(), noonPlus(4))
      await finishRun(other, sessionId, noonPlus(5))
      assert.equal(await lease(), undefined)
      const after = await store.load({ sessionId })
      assert.equal(after?.record.run, undefined)
      assert.deepEqual(after?.run, { generation: 1, turns: 0, failures: 0, wakes: [], outcome: 'completed' })
      assert.equal((await other.record({ sessionId }))?.run, undefined)
    },
  },
  {
    id: 'S42',
    title: 'renews the lease of the live run until it expires, never to an earlier time, and writes no event',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      const renew = (generation: number, at: number, until: number) =>
        other.renew({ sessionId, generation, at: noonPlus(at), until: noonPlus(until) })
      const lease = async () => (await store.load({ sessionId }))?.leaseUntil
      assert.equal(await renew(1, 1, 5), false)
      await startRun(store, sessionId, noonPlus(1), noonPlus(10))
      const before = await store.load({ sessionId })
      assert.equal(await renew(2, 2, 30), false)
      assert.equal(await renew(1, 2, 20), true)
      assert.equal(await lease(), noonPlus(20))
      assert.equal(await renew(1, 12, 15), true)
      assert.equal(await lease(), noonPlus(20))
      assert.equal(await renew(1, 20, 30), false)
      assert.equal(await renew(1, 21, 30), false)
      assert.deepEqual(await store.load({ sessionId }), { ...before, leaseUntil: noonPlus(20) })
      assert.equal((await readLog(store, sessionId)).length, 2)
      assert.equal(await renew(1, 19, 30), true)

      await store.append(appendRequest(sessionId, { at: noonPlus(22), run: 1 }))
      assert.equal(await lease(), noonPlus(30))
      await startRun(store, sessionId, noonPlus(31), noonPlus(40))
      assert.equal(await renew(1, 32, 50), false)
      assert.equal(await renew(2, 32, 50), true)
      await finishRun(store, sessionId, noonPlus(33))
      assert.equal(await renew(2, 34, 60), false)
      assert.equal(await lease(), undefined)
      await startRun(store, sessionId, noonPlus(34), noonPlus(60))
      await endSession(store, sessionId, noonPlus(35))
      const request = { generation: 3, at: NOON, until: noonPlus(70) }
      const stranger = { sessionId, within: { tenant: 'other' } }
      await expectError('SESSION_NOT_FOUND', other.renew({ ...stranger, ...request }))
      await store.purge({ sessionId }, NOON)
      await expectError('SESSION_NOT_FOUND', other.renew({ sessionId, ...request }))
    },
  },
  {
    id: 'S42',
    title: 'keeps every renewal that comes during an unrelated decision',
    async check(db) {
      const [store, other] = [await db.connect(), await db.connect()]
      const sessionId = await createSession(store)
      await startRun(store, sessionId, NOON, noonPlus(10))
      const made = [
        () => systemEvent('messages_cleared', {}),
        () => systemEvent('state_changed', { op: 'merge', patch: { a: 1 } }),
        () => systemEvent('agent_changed', { from: 'coach', to: 'motivator' }),
      ]
      for (const n of upTo(30)) {
        const until = noonPlus(10 + n)
        const by = n % 2 ? store : other
        const renewals: Promise<boolean>[] = []
        const { decide, ...request } = folding(sessionId, noonPlus(1), [made[n % 3] as (typeof made)[0]])
        await store.decide({
          ...request,
          decide(view) {
            renewals.push(soon(() => by.renew({ sessionId, generation: 1, at: noonPlus(1), until })))
            return decide(view)
          },
        })
        assert.deepEqual(new Set(await Promise.all(renewals)), new Set([true]))
        assert.equal((await other.load({ sessionId }))?.leaseUntil, until)
        const at = { tenants: 9, limit: 9 }
        assert.deepEqual(await store.claimable({ at: noonPlus(9 + n), ...at }), [])
        assert.deepEqual(await other.claimable({ at: until, ...at }), [{ sessionId, tenant: 'local', dueAt: until }])
      }
      assert.equal((await store.record({ sessionId }))?.head, 32)
    },
  },
  {
    id: 'S42',
    title: 'never renews a run that another decision takes over, over four connections',
    async check(db) {
      const stores = await Promise.all(upTo(4).map(() => db.connect()))
      const [first] = stores
      assert(first)
      const sessionId = await createSession(first)
      await startRun(first, sessionId, NOON, noonPlus(10))
      for (const generation of upTo(10)) {
        const renewals = stores.map((store) =>
          store.renew({ sessionId, generation, at: noonPlus(1), until: noonPlus(1000 - generation) }),
        )
        const until = noonPlus(20 + generation)
        const next = stores[generation % 4]?.decide(startRequest(sessionId, noonPlus(1), until))
        await Promise.all([...renewals, next])
        const view = await first.load({ sessionId })
        assert.equal(view?.record.run?.generation, generation + 1)
        assert.equal(view?.leaseUntil, until)
      }
    },
  },
  {
    id: 'S42',
    title: 'a fork starts without run, lease and requests, and a repair keeps the lease of the live run',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await startRun(store, sessionId, noonPlus(1), noonPlus(10))
      await store.decide(folding(sessionId, noonPlus(1), [() => systemEvent('request_opened', { id: 'q', kind: 'k' })]))
      const fork = await store.load({ sessionId: await forkSession(store, sessionId, 3, noonPlus(2)) })
      assert(fork)
      const { run, leaseUntil, requests, requestsAt, record } = fork
      assert.deepEqual([run, leaseUntil, requests, requestsAt, record.run], Array(5).fill(undefined))

      const view = await store.load({ sessionId })
      assert(view)
      const { leaseUntil: _lease, ...folded } = view
      assert.equal(await store.repair({ sessionId }, 3, folded, []), true)
      assert.deepEqual(await store.load({ sessionId }), view)
      const query = { tenants: 9, limit: 9, within: { tenant: 'local', userId: 'ada' } }
      const due = async (at: string) => (await store.claimable({ at, ...query })).map((found) => found.sessionId)
      assert.deepEqual(await due(noonPlus(9)), [record.id])
      assert.deepEqual(await due(noonPlus(10)), [record.id, sessionId])

      // a repair that removes the run, and one that puts it back
      const { run: _live, ...rest } = folded.record
      const { run: _run, requests: _open, requestsAt: _asked, ...never } = folded
      assert.equal(await store.repair({ sessionId }, 3, { ...never, record: rest }, []), true)
      assert.deepEqual(await store.load({ sessionId }), { ...never, record: rest })
      assert.deepEqual(await due(NOON), [sessionId])
      await expectError('RUN_LOST', store.append(appendRequest(sessionId, { run: 1 })))
      assert.equal(await store.repair({ sessionId }, 3, folded, []), true)
      assert.deepEqual(await store.load({ sessionId }), folded)
      assert.deepEqual(await due(NOON), [])
      assert.deepEqual(await due(noonPlus(1)), [sessionId])
      await store.append(appendRequest(sessionId, { run: 1 }))
    },
  },
  {
    id: 'S42',
    title: 'a decision that changes the scratchpad alone keeps run, lease and requests',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await startRun(store, sessionId, NOON, noonPlus(10))
      await store.decide(folding(sessionId, NOON, [() => systemEvent('request_opened', { id: 'q', kind: 'k' })]))
      const before = await store.load({ sessionId })
      assert(before)
      await store.decide({
        sessionId,
        at: NOON,
        reads: 'state',
        decide: (view) => {
          const state = { scratchpad: { a: 1 }, version: 1, updatedAt: NOON }
          return { events: [someEvent('changed', 'state_changed')], view: { ...advanceView(view, 1), state } }
        },
      })
      const { record, state: _, ...rest } = before
      const after = await store.load({ sessionId })
      assert.deepEqual({ ...after, state: undefined }, { ...rest, record: { ...record, head: 4 }, state: undefined })
      await store.decide(finishRequest(sessionId))
      assert.equal((await store.load({ sessionId }))?.leaseUntil, undefined)
    },
  },
]

/** S41 to S44. */
export const runRules: readonly Rule<StoreDatabase>[] = [...appendRules, ...leaseRules, ...claimRules, ...askingRules]
