import assert from 'node:assert/strict'
import { startsTurn } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type HiddenRanges, hiddenAfter, isHidden } from '../../domain/rewind.ts'
import { incrementOf, NO_USAGE } from '../../domain/usage.ts'
import { uuid7 } from '../../ids.ts'
import type { ReadQuery, SessionStore, StoredEvent } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import {
  ADA,
  advanceView,
  appendRequest,
  createSession,
  forkSession,
  NOON,
  readLog,
  someEvent,
  someEvents,
  upTo,
} from './samples.ts'

/** Rewinds a session to an event with these hidden ranges and this clear; returns the new ranges. */
async function rewind(
  store: SessionStore,
  sessionId: string,
  to: number,
  { atTarget = [], clearedAt = 0 }: { atTarget?: HiddenRanges; clearedAt?: number } = {},
): Promise<HiddenRanges> {
  let hidden: HiddenRanges = []
  const { events } = await store.decide({
    sessionId,
    at: NOON,
    decide(view) {
      hidden = hiddenAfter(atTarget, to, view.record.head + 1)
      const parts = JSON.stringify({ to })
      const event = someEvent('', 'rewound', { role: 'system', parts })
      return { events: [event], view: { ...advanceView(view, 1), hidden, clearedAt } }
    },
  })
  assert.equal(events[0]?.sequence, (hidden.at(-1)?.[1] ?? 0) + 1)
  return hidden
}

/** What a read of the line returns, computed from the whole log. */
function expectedOf(log: readonly StoredEvent[], hidden: HiddenRanges, query: ReadQuery): number[] {
  const { after = 0, before = Number.POSITIVE_INFINITY, types, order, limit } = query
  const inRange = log.filter(({ sequence, type }) => {
    return sequence > after && sequence < before && (types === undefined || types.includes(type))
  })
  const line = inRange.filter(({ sequence }) => !isHidden(hidden, sequence)).map(({ sequence }) => sequence)
  return (order === 'asc' ? line : line.reverse()).slice(0, limit)
}

const sequences = async (store: SessionStore, sessionId: string, query: ReadQuery) =>
  (await store.read({ sessionId }, query)).map(({ sequence }) => sequence)

/** A session with 600 more events of several types in more than two blocks of sequences. */
async function longSession(store: SessionStore): Promise<string> {
  const id = await createSession(store)
  const typeOf = (n: number) => (n % 290 === 0 ? 'x.rare' : n % 3 === 0 ? 'user_message' : 'model_message')
  await store.append(appendRequest(id, { events: upTo(600).map((n) => someEvent(`m${n}`, typeOf(n))) }))
  return id
}

const RANGES: HiddenRanges = [
  [3, 5],
  [7, 7],
  [254, 258],
  [300, 511],
  [513, 590],
]

/** S45 and I10; S6 and S34 of rewinds. */
export const rewindRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S45',
    title: 'reads the line: every range, type, order and limit',
    async check(db) {
      const store = await db.connect()
      const id = await longSession(store)
      const hidden = await rewind(store, id, 592, { atTarget: RANGES })
      const [reader, log] = [await db.connect(), await readLog(store, id)]
      assert.deepEqual((await reader.load({ sessionId: id }))?.hidden, hidden)
      assert.equal(log.length, 602)
      const spans = [
        {},
        { after: 4 },
        { before: 304 },
        { after: 6, before: 8 },
        { after: 253, before: 514 },
        { after: 999 },
      ]
      const types = [undefined, ['x.rare'], ['user_message', 'rewound'], ['x.never']]
      for (const span of spans) {
        for (const type of types) {
          for (const order of ['asc', 'desc'] as const) {
            for (const limit of [1, 3, 200, 1000]) {
              const query = { ...span, ...(type !== undefined && { types: type }), order, limit }
              const expected = expectedOf(log, hidden, query)
              assert.deepEqual(await sequences(reader, id, { ...query, line: true }), expected)
              assert.deepEqual(await sequences(reader, id, { ...query, line: hidden }), expected)
            }
          }
        }
      }
    },
  },
  {
    id: 'S45',
    title: 'reads a line that is given instead of the current one, and the whole log without one',
    async check(db) {
      const store = await db.connect()
      const id = await longSession(store)
      const before = await rewind(store, id, 100)
      const hidden = await rewind(store, id, 50)
      const log = await readLog(store, id)
      assert.equal(log.length, 603)
      const query = { order: 'asc', limit: 1000 } as const
      assert.deepEqual(await sequences(store, id, { ...query, line: true }), expectedOf(log, hidden, query))
      assert.deepEqual(await sequences(store, id, { ...query, line: before }), expectedOf(log, before, query))
      assert.deepEqual(await sequences(store, id, { ...query, line: [] }), upTo(603))
      const turns = { order: 'desc', limit: 1000, turns: 2 } as const
      assert.deepEqual(await sequences(store, id, { ...turns, line: [] }), [603, 602, 601, 600, 599, 598])
    },
  },
  {
    id: 'S45',
    title: 'leaves hidden events out of windows, and goes back to the restored clear',
    async check(db) {
      const store = await db.connect()
      const id = await longSession(store)
      const hidden = await rewind(store, id, 592, { atTarget: RANGES, clearedAt: 6 })
      const log = await readLog(store, id)
      const line = expectedOf(log, hidden, { after: 6, order: 'desc', limit: 1000 })
      const starts = line.filter((sequence) => startsTurn(log[sequence - 1] as StoredEvent))
      for (const turns of [1, 2, 3, 20, 60, 1000]) {
        const start = starts[turns - 1] ?? 0
        const window = line.filter((sequence) => sequence >= start)
        assert.deepEqual(await sequences(store, id, { order: 'desc', limit: 1000, turns }), window)
        assert.deepEqual(await sequences(store, id, { order: 'desc', limit: 7, turns }), window.slice(0, 7))
      }
      const rest = await sequences(store, id, { order: 'desc', limit: 1000, turns: 1000, before: 302 })
      assert.deepEqual(
        rest,
        line.filter((sequence) => sequence < 302),
      )
    },
  },
  {
    id: 'S45',
    title: 'counts only visible events to the size of a page',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      const half = 'x'.repeat(LIMITS.pageSize / 2)
      await store.append(appendRequest(id, { events: [half, half, 'a', half, half].map((text) => someEvent(text)) }))
      const hidden = await rewind(store, id, 4, { atTarget: [[2, 3]] })
      assert.deepEqual(hidden, [
        [2, 3],
        [5, 6],
      ])
      await store.append(appendRequest(id, { events: [half, half, 'b'].map((text) => someEvent(text)) }))
      const query = { order: 'asc', limit: 100, line: true } as const
      assert.deepEqual(await sequences(store, id, query), [1, 4, 7, 8, 9])
      assert.deepEqual(await sequences(store, id, { ...query, after: 9 }), [10])
      assert.deepEqual(await sequences(store, id, { ...query, order: 'desc' }), [10, 9, 8])
      const [first] = await store.read({ sessionId: id }, { ...query, after: 4, types: ['user_message'] })
      assert.equal(first?.content, half)
    },
  },
  {
    id: 'S45',
    title: 'reads a line of 100 rewinds page by page',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      let hidden: HiddenRanges = []
      for (const n of upTo(100)) {
        const { events } = await store.append(appendRequest(id, { events: someEvents(4) }))
        const to = n % 10 === 0 ? 1 : (events[1]?.sequence ?? 0)
        hidden = await rewind(store, id, to, { atTarget: hidden.filter(([, end]) => end < to) })
      }
      await store.append(appendRequest(id, { events: someEvents(2) }))
      for (const n of upTo(99)) {
        const { events } = await store.append(appendRequest(id, { events: someEvents(2) }))
        hidden = await rewind(store, id, events[0]?.sequence ?? 0, { atTarget: hidden })
        assert.equal(hidden.length, n + 1)
      }
      const log = await readLog(store, id)
      for (const order of ['asc', 'desc'] as const) {
        const found: number[] = []
        for (let range = {}; ; ) {
          const page = await sequences(store, id, { ...range, order, limit: 7, line: true })
          found.push(...page)
          if (page.length < 7) break
          range = order === 'asc' ? { after: page.at(-1) } : { before: page.at(-1) }
        }
        assert.deepEqual(found, expectedOf(log, hidden, { order, limit: 10_000 }))
      }
    },
  },
  {
    id: 'S45',
    title: 'keeps the hidden ranges through forks and repairs, and removes them where a view has none',
    async check(db) {
      const store = await db.connect()
      const id = await createSession(store)
      await store.append(appendRequest(id, { events: someEvents(5) }))
      const hidden = await rewind(store, id, 2)
      const fork = await forkSession(store, id, 7)
      assert.deepEqual((await store.load({ sessionId: fork }))?.hidden, hidden)
      const line = { order: 'asc', limit: 100, line: true } as const
      assert.deepEqual(await sequences(store, fork, line), [1, 2, 7, 8])

      const view = await store.load({ sessionId: id })
      assert(view)
      assert.equal(await store.repair({ sessionId: id }, 7, { ...view, hidden: [[4, 5]] }, []), true)
      assert.deepEqual((await store.load({ sessionId: id }))?.hidden, [[4, 5]])
      assert.deepEqual(await sequences(store, id, line), [1, 2, 3, 6, 7])
      const { hidden: _hidden, ...whole } = view
      assert.equal(await store.repair({ sessionId: id }, 7, whole, []), true)
      assert.equal('hidden' in ((await store.load({ sessionId: id })) ?? {}), false)
      assert.deepEqual(await sequences(store, id, line), upTo(7))
      assert.equal('hidden' in ((await store.record({ sessionId: fork })) ?? {}), false)
    },
  },
  {
    id: 'S6',
    title: 'lets no event come between a rewind and what it saw',
    async check(db) {
      const store = await db.connect()
      const stores = [store, await db.connect(), await db.connect()]
      const id = await createSession(store)
      await store.append(appendRequest(id, { events: someEvents(4) }))
      const appends = stores.map(async (other) => {
        for (const _ of upTo(20)) await other.append(appendRequest(id))
      })
      const rewinds = stores.slice(0, 2).map(async (other) => {
        for (const n of upTo(5)) await rewind(other, id, 1 + n, { clearedAt: n })
      })
      await Promise.all([...appends, ...rewinds])
      const log = await readLog(store, id)
      const last = log.findLast(({ type }) => type === 'rewound')
      const { to } = JSON.parse(last?.parts ?? '{}') as { to: number }
      const view = await store.load({ sessionId: id })
      assert.deepEqual(view?.hidden, [[to + 1, (last?.sequence ?? 0) - 1]])
      assert.equal(view.clearedAt, to - 1)
      assert.deepEqual([view.record.head, log.length], [75, 75])
    },
  },
  {
    id: 'S34',
    title: 'adds the usage of a decision',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      const usage = { model: 'm', inputTokens: 10, outputTokens: 5 }
      const sums = { ...NO_USAGE, messages: 1, inputTokens: 10, outputTokens: 5 }
      const decide = async () => {
        const increment = incrementOf([{ type: 'model_message', usage }])
        await store.decide({
          sessionId,
          at: NOON,
          decide: (view) => {
            const { total = NO_USAGE, turn = NO_USAGE } = view.record.usage ?? {}
            const add = (n: number) => ({ ...sums, messages: n, inputTokens: 10 * n, outputTokens: 5 * n })
            const after = { total: add(total.messages + 1), turn: add(turn.messages + 1) }
            return {
              events: [someEvent('a', 'model_message', { parts: JSON.stringify({ usage }) })],
              view: advanceView(view, 1, { usage: after, task: uuid7() }),
              usage: increment,
            }
          },
        })
      }
      await decide()
      assert.deepEqual((await store.record({ sessionId }))?.usage, { total: sums, turn: sums })
      await decide()
      const twice = { ...sums, messages: 2, inputTokens: 20, outputTokens: 10 }
      assert.deepEqual((await store.record({ sessionId }))?.usage, { total: twice, turn: twice })
      const rows = await store.usageRows({ sessionId }, { limit: 10 })
      assert.deepEqual(rows, [{ day: NOON.slice(0, 10), model: 'm', ...twice }])
    },
  },
  {
    id: 'I10',
    title: 'returns the hidden ranges of the sessions that have some, of one user',
    async check(db) {
      const store = await db.connect()
      const [one, other, never] = [await createSession(store), await createSession(store), await createSession(store)]
      const bobs = await createSession(store, { userId: 'bob' })
      for (const id of [one, other, bobs]) await store.append(appendRequest(id, { events: someEvents(5) }))
      const hidden = await rewind(store, one, 3, { atTarget: [[2, 2]] })
      const short = await rewind(store, other, 1)
      await rewind(store, bobs, 2)
      const found = async (user: typeof ADA, ids: string[]) =>
        new Map((await store.index.hidden(user, ids)).map((each) => [each.session, each.hidden]))
      const all = [one, other, never, bobs, uuid7()]
      assert.deepEqual(
        await found(ADA, all),
        new Map([
          [one, hidden],
          [other, short],
        ]),
      )
      assert.deepEqual(await found(ADA, [never]), new Map())
      assert.deepEqual(await found({ ...ADA, tenant: 'other' }, all), new Map())
      assert.deepEqual([...(await found({ ...ADA, userId: 'bob' }, all)).keys()], [bobs])
      assert.deepEqual(await found(ADA, []), new Map())
    },
  },
]
