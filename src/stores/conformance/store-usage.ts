import assert from 'node:assert/strict'
import {
  type DailyUsage,
  incrementOf,
  NO_USAGE,
  rowKey,
  type SessionUsage,
  type Usage,
  UsageRows,
  type UsageSums,
  usageAfter,
  usageOf,
} from '../../domain/usage.ts'
import { uuid7 } from '../../ids.ts'
import type { AppendRequest, NewEvent, SessionStore, UsageQuery } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { blockOf, foreignSession } from './import-samples.ts'
import {
  advanceView,
  appendRequest,
  createSession,
  endSession,
  expectError,
  forkSession,
  NOON,
  noonPlus,
  readChecksummedLog,
  someEvent,
  upTo,
} from './samples.ts'

const DAY = '2026-03-01'
const NEXT_NOON = '2026-03-02T12:00:00.000Z'
const NEXT_DAY = '2026-03-02'
const hello = () => someEvent()

/** A message of the model with this usage. */
function answer(usage: Usage, type = 'model_message'): NewEvent {
  return someEvent('answer', type, { role: 'assistant', parts: JSON.stringify({ usage }) })
}

const call = (n: number, model = 'm'): Usage => ({ model, inputTokens: n, outputTokens: 2 * n })

/** What {@link call} adds, for several calls at once. */
function sums(...calls: number[]): UsageSums {
  const total = calls.reduce((a, b) => a + b, 0)
  return { ...NO_USAGE, messages: calls.length, inputTokens: total, outputTokens: 2 * total }
}

/** A request to append these events, with the usage that they carry. */
function usageRequest(sessionId: string, events: NewEvent[], given: Partial<AppendRequest> = {}): AppendRequest {
  const carried = events.map((event) => ({ type: event.type, usage: usageIn(event) }))
  const has = carried.some(({ usage }) => usage !== undefined)
  return appendRequest(sessionId, { events, ...(has && { usage: incrementOf(carried) }), ...given })
}

function usageIn({ type, parts }: NewEvent): Usage | undefined {
  return parts === undefined ? undefined : usageOf({ type, parts: JSON.parse(parts) })
}

async function allRows(store: SessionStore, sessionId: string): Promise<DailyUsage[]> {
  return await store.usageRows({ sessionId }, { limit: 100 })
}

async function keysOf(store: SessionStore, query: Partial<UsageQuery>): Promise<string[]> {
  const groups = await store.usage({ by: 'day', tenant: 'local', limit: 100, ...query })
  return groups.map(({ key, messages }) => `${key} ${messages}`)
}

/** S34 usage of appends, S35 reports, T1 and T2 of usage. */
export const usageRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S34',
    title: 'adds the usage of appends to the record, in total and of the turn',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const append = async (...events: NewEvent[]) => {
        await store.append(usageRequest(sessionId, events))
        const [record, view] = await Promise.all([store.record({ sessionId }), store.load({ sessionId })])
        const [listed] = await store.list({ tenant: 'local', limit: 1 })
        assert.deepEqual(view?.record, record)
        assert.deepEqual(listed, record)
        return record?.usage
      }
      assert.equal(await append(hello()), undefined)
      assert.equal('usage' in ((await store.record({ sessionId })) ?? {}), false)
      assert.deepEqual(await append(answer(call(1))), { total: sums(1), turn: sums(1) })
      const full = { ...call(2), cacheReadTokens: 1, cacheWriteTokens: 1, costUsd: 0.1 }
      const added = { ...sums(1, 2), cacheReadTokens: 1, cacheWriteTokens: 1, costUsd: 0.1 }
      assert.deepEqual(await append(answer(full, 'tool_call')), { total: added, turn: added })
      assert.deepEqual(await append(hello()), { total: added, turn: NO_USAGE })
      assert.deepEqual(await append(answer(call(3)), hello(), answer(call(4)), hello(), answer(call(5))), {
        total: { ...added, ...sums(1, 2, 3, 4, 5), cacheReadTokens: 1, cacheWriteTokens: 1, costUsd: 0.1 },
        turn: sums(5),
      })
      const ended = await append(answer({ ...call(6), costUsd: 0.2 }), hello())
      assert.deepEqual([ended?.total.costUsd, ended?.turn], [0.3, NO_USAGE])
      assert.deepEqual((await append(someEvent('note', 'x.note')))?.turn, NO_USAGE)
    },
  },
  {
    id: 'S34',
    title: 'adds the usage of appends to the sums by day and model',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.append(usageRequest(sessionId, [answer(call(1, 'b')), answer(call(2, 'a')), answer(call(3, 'b'))]))
      await store.append(usageRequest(sessionId, [answer(call(4, 'b'))], { at: NEXT_NOON }))
      await store.append(usageRequest(sessionId, [answer(call(5, '🙂')), answer(call(6, '\uffee'))]))
      const rows = [
        { day: DAY, model: 'a', ...sums(2) },
        { day: DAY, model: 'b', ...sums(1, 3) },
        { day: DAY, model: '\uffee', ...sums(6) },
        { day: DAY, model: '🙂', ...sums(5) },
        { day: NEXT_DAY, model: 'b', ...sums(4) },
      ]
      assert.deepEqual(await allRows(store, sessionId), rows)
      const paged: DailyUsage[] = []
      for (let after = {}; paged.length < rows.length; after = { after: paged.at(-1) }) {
        paged.push(...(await store.usageRows({ sessionId }, { limit: 2, ...after })))
      }
      assert.deepEqual(paged, rows)
      await expectError('SESSION_NOT_FOUND', store.usageRows({ sessionId: uuid7() }, { limit: 1 }))
      const bob = { tenant: 'local', userId: 'bob' }
      await expectError('SESSION_NOT_FOUND', store.usageRows({ sessionId, within: bob }, { limit: 1 }))
    },
  },
  {
    id: 'S34',
    title: 'adds nothing for an append that was replayed or refused, whatever else is in its batch',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const over = await createSession(store)
      await endSession(store, over)
      const idempotency = { key: 'k', fingerprint: 'f' }
      const keyed = usageRequest(sessionId, [answer(call(1))], { idempotency })
      const results = await Promise.allSettled([
        store.append(keyed),
        store.append(usageRequest(sessionId, [answer(call(2))])),
        store.append(usageRequest(over, [answer(call(4))])),
        store.append(usageRequest(uuid7(), [answer(call(8))])),
        store.append(usageRequest(sessionId, [answer(call(16))], { expectedSequence: 99 })),
        store.append({ ...keyed, idempotency: { key: 'k', fingerprint: 'other' } }),
        store.append(keyed),
      ])
      const statuses = results.map(({ status }) => status.slice(0, 2))
      assert.deepEqual(statuses, ['fu', 'fu', 're', 're', 're', 're', 'fu'])
      await store.append(keyed)
      assert.deepEqual((await store.record({ sessionId }))?.usage, { total: sums(1, 2), turn: sums(1, 2) })
      assert.deepEqual(await allRows(store, sessionId), [{ day: DAY, model: 'm', ...sums(1, 2) }])
      assert.equal((await store.record({ sessionId: over }))?.usage, undefined)
      assert.deepEqual(await allRows(store, over), [])
    },
  },
  {
    id: 'S34',
    title: 'has the sums that a fold of the log gives, after any appends and decisions of two connections',
    async check(db) {
      const stores = await Promise.all([db.connect(), db.connect()])
      const [store] = stores
      const ids = await Promise.all(upTo(3).map(() => createSession(store)))
      // numbers from 0 to 1 that are the same in every run
      let seed = 42
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
        return seed % below
      }
      const someAnswer = (): NewEvent => {
        const cached = random(2) === 0 ? {} : { cacheReadTokens: random(50), cacheWriteTokens: random(50) }
        const costUsd = random(1000) / 1e6
        return answer({ model: `m${random(3)}`, inputTokens: 100, outputTokens: random(9), ...cached, costUsd })
      }
      const someAppend = (n: number) => {
        const events = upTo(1 + random(4)).map(() =>
          [hello, someAnswer, () => someEvent('r', 'tool_result')][random(3)]?.(),
        )
        return usageRequest(ids[random(3)] ?? '', events as NewEvent[], { at: noonPlus(3600 * n) })
      }
      for (const n of upTo(12)) {
        const writes: Promise<unknown>[] = upTo(6).map((i) => (stores[i % 2] ?? store).append(someAppend(n)))
        const sessionId = ids[random(3)] ?? ''
        const decide = (view: Parameters<typeof advanceView>[0]) => ({
          events: [hello()],
          view: evolved(view),
        })
        writes.push(store.decide({ sessionId, at: noonPlus(3600 * n), decide }))
        await Promise.all(writes)
      }
      for (const sessionId of ids) {
        const rows = new UsageRows()
        let usage: SessionUsage | undefined
        for (const { parts, ...event } of await readChecksummedLog(store, sessionId)) {
          const folded = { ...event, type: event.type as 'user_message', ...(parts && { parts: JSON.parse(parts) }) }
          usage = usageAfter(usage, folded)
          rows.add(folded)
        }
        assert.deepEqual((await store.record({ sessionId }))?.usage, usage)
        const expected = rows.rows.sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
        assert.deepEqual(await allRows(store, sessionId), expected)
      }
    },
  },
  {
    id: 'S34',
    title: 'starts a fork without usage, and keeps that of its source',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.append(usageRequest(sessionId, [answer(call(1))]))
      const fork = await forkSession(store, sessionId, 2, NEXT_NOON)
      assert.equal((await store.record({ sessionId: fork }))?.usage, undefined)
      assert.deepEqual(await allRows(store, fork), [])
      await store.append(usageRequest(fork, [answer(call(2))], { at: NEXT_NOON }))
      assert.deepEqual((await store.record({ sessionId: fork }))?.usage?.total, sums(2))
      assert.deepEqual((await store.record({ sessionId }))?.usage?.total, sums(1))
      assert.deepEqual(await keysOf(store, {}), [`${DAY} 1`, `${NEXT_DAY} 1`])
    },
  },
  {
    id: 'S34',
    title: 'replaces the sums in a repair, and goes on from them',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.append(usageRequest(sessionId, [answer(call(1)), answer(call(2, 'wrong'))]))
      const view = await store.load({ sessionId })
      assert(view)
      const usage = { total: sums(7), turn: sums(3) }
      const row = { day: NEXT_DAY, model: 'right', ...sums(7) }
      assert.equal(await store.repair({ sessionId }, 3, advanceView(view, 0, { usage }), [], [row]), true)
      assert.deepEqual((await store.record({ sessionId }))?.usage, usage)
      assert.deepEqual(await allRows(store, sessionId), [row])
      await store.append(usageRequest(sessionId, [answer(call(5))]))
      assert.deepEqual((await store.record({ sessionId }))?.usage, { total: sums(7, 5), turn: sums(3, 5) }, 'after')
      const { usage: _usage, ...without } = view.record
      assert.equal(await store.repair({ sessionId }, 4, { ...view, record: { ...without, head: 4 } }, []), true)
      assert.equal((await store.record({ sessionId }))?.usage, undefined)
      assert.deepEqual(await allRows(store, sessionId), [])
    },
  },
  {
    id: 'S22',
    title: 'removes the usage of a session with it',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.append(usageRequest(sessionId, [answer(call(1)), answer(call(2, 'n'))]))
      await store.purge({ sessionId }, NOON)
      assert.deepEqual(await keysOf(store, {}), [])
      await createSession(store, { id: sessionId })
      assert.deepEqual(await allRows(store, sessionId), [])
      assert.equal((await store.record({ sessionId }))?.usage, undefined)
    },
  },
  {
    id: 'S35',
    title: 'sums by tenant, user, day and model, of the given days and owner',
    async check(db) {
      const store = await db.connect()
      const write = async (tenant: string, userId: string, at: string, ...calls: Usage[]) => {
        const sessionId = await createSession(store, { tenant, userId, at })
        await store.append(
          usageRequest(
            sessionId,
            calls.map((each) => answer(each)),
            { at },
          ),
        )
      }
      await write('local', 'ada', NOON, call(1), call(2, 'n'))
      await write('local', 'ada', NEXT_NOON, call(3))
      await write('local', 'bob', NOON, call(4, 'n'), call(5, 'n'))
      await write('other', 'ada', NOON, call(6))
      assert.deepEqual(await store.usage({ by: 'user', tenant: 'local', limit: 9 }), [
        { key: 'ada', ...sums(1, 2, 3) },
        { key: 'bob', ...sums(4, 5) },
      ])
      assert.deepEqual(await store.usage({ by: 'model', tenant: 'local', limit: 9 }), [
        { key: 'm', ...sums(1, 3) },
        { key: 'n', ...sums(2, 4, 5) },
      ])
      assert.deepEqual(await keysOf(store, { by: 'day' }), [`${DAY} 4`, `${NEXT_DAY} 1`])
      assert.deepEqual(await keysOf(store, { by: 'tenant' }), ['local 5'])
      const everyone = await store.usage({ by: 'tenant', limit: 9 })
      assert.deepEqual(everyone, [
        { key: 'local', ...sums(1, 2, 3, 4, 5) },
        { key: 'other', ...sums(6) },
      ])
      for (const by of ['tenant', 'user', 'day', 'model'] as const) {
        const firstDay = await keysOf(store, { by, userId: 'ada', until: NEXT_DAY })
        assert.deepEqual(
          firstDay,
          { tenant: ['local 2'], user: ['ada 2'], day: [`${DAY} 2`], model: ['m 1', 'n 1'] }[by],
        )
        const secondDay = await keysOf(store, { by, since: NEXT_DAY, until: '2026-03-03' })
        assert.deepEqual(
          secondDay,
          { tenant: ['local 1'], user: ['ada 1'], day: [`${NEXT_DAY} 1`], model: ['m 1'] }[by],
        )
        assert.deepEqual(await keysOf(store, { by, since: '2026-03-03' }), [])
        assert.deepEqual(await keysOf(store, { by, tenant: 'nobody' }), [])
      }
      assert.deepEqual(await store.usage({ by: 'tenant', since: NEXT_DAY, limit: 9 }), [{ key: 'local', ...sums(3) }])
    },
  },
  {
    id: 'S35',
    title: 'returns groups by code points, page by page',
    async check(db) {
      const store = await db.connect()
      const names = ['A', 'a', 'ä', '\uffee', '🙂']
      for (const name of names.toReversed()) {
        const sessionId = await createSession(store, { userId: name, tenant: name })
        const mine = await createSession(store, { userId: name })
        await store.append(usageRequest(sessionId, [answer(call(1, name))]))
        await store.append(usageRequest(mine, [answer(call(1, name)), answer(call(2, name))]))
      }
      const queries = [{ by: 'user', tenant: 'local' }, { by: 'model', tenant: 'local' }, { by: 'tenant' }] as const
      for (const query of queries) {
        const whole = await store.usage({ ...query, limit: 100 })
        const tenants = [...names, 'local'].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        assert.deepEqual(
          whole.map(({ key }) => key),
          query.by === 'tenant' ? tenants : names,
        )
        const paged: typeof whole = []
        for (let after = {}; ; after = { after: paged.at(-1)?.key }) {
          const page = await store.usage({ ...query, limit: 2, ...after })
          paged.push(...page)
          if (page.length < 2) break
        }
        assert.deepEqual(paged, whole)
      }
    },
  },
  {
    id: 'T1',
    title: 'stores the usage of each block',
    async check(db) {
      const store = await db.connect()
      const life = foreignSession({}, [
        ['model_message', { usage: call(1) as never }],
        ['user_message'],
        ['model_message', { usage: { ...call(2), costUsd: 0.25 } as never }],
        ['tool_call', { usage: call(3, 'n') as never }],
      ])
      for (const [after, head] of [
        [0, 2],
        [2, 4],
        [4, 5],
      ] as const) {
        assert.deepEqual(await keysOf(store, {}), [], 'unfinished')
        await store.imports.write(blockOf(life, after, head))
      }
      const { sessionId } = life
      const turn = { ...sums(2, 3), costUsd: 0.25 }
      assert.deepEqual((await store.record({ sessionId }))?.usage, {
        total: { ...turn, ...sums(1, 2, 3), costUsd: 0.25 },
        turn,
      })
      assert.deepEqual(await allRows(store, sessionId), [
        { day: DAY, model: 'm', ...sums(1, 2), costUsd: 0.25 },
        { day: DAY, model: 'n', ...sums(3) },
      ])
      assert.deepEqual(await keysOf(store, { by: 'tenant' }), ['local 3'])
      await store.append(usageRequest(sessionId, [answer(call(4))]))
      assert.deepEqual((await store.record({ sessionId }))?.usage?.turn, { ...sums(2, 3, 4), costUsd: 0.25 })
    },
  },
  {
    id: 'T1',
    title: 'starts the usage of an imported fork at the fork, and leaves none of a discarded import',
    async check(db) {
      const store = await db.connect()
      const forked = {
        from: { sessionId: uuid7(), sequence: 3 },
        conversationId: 'c',
        chatmode: 'default',
        metadata: {},
      }
      const life = foreignSession({}, [
        ['model_message', { usage: call(1) as never }],
        ['model_message', { usage: call(2) as never }],
        ['session_forked', forked],
        ['model_message', { usage: call(4, 'n') as never }],
      ])
      for (const [after, head] of [
        [0, 2],
        [2, 5],
      ] as const)
        await store.imports.write(blockOf(life, after, head))
      assert.deepEqual(await allRows(store, life.sessionId), [{ day: DAY, model: 'n', ...sums(4) }])
      assert.deepEqual((await store.record(life))?.usage, { total: sums(4), turn: sums(4) })

      const left = foreignSession({}, [['model_message', { usage: call(1) as never }], ['user_message']])
      await store.imports.write(blockOf(left, 0, 2))
      await store.imports.discard({ sessionId: left.sessionId })
      await createSession(store, { id: left.sessionId })
      assert.deepEqual(await allRows(store, left.sessionId), [])
    },
  },
]

function evolved(view: Parameters<typeof advanceView>[0]): Parameters<typeof advanceView>[0] {
  const usage = usageAfter(view.record.usage, { type: 'user_message' })
  return advanceView(view, 1, { turns: view.record.turns + 1, ...(usage !== undefined && { usage }) })
}
