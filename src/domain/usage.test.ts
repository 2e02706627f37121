import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './json.ts'
import {
  addIncrement,
  addSums,
  fromNano,
  incrementOf,
  joinUsage,
  NO_USAGE,
  type SessionUsage,
  toNano,
  type Usage,
  UsageRows,
  usageAfter,
  usageOf,
  usageProblem,
} from './usage.ts'

const USAGE: Usage = { model: 'm', inputTokens: 10, outputTokens: 2 }
const carrier = (usage: unknown, type = 'model_message') => ({ type, parts: { usage: usage as Json } })

describe('the usage of an event', () => {
  it.each<[unknown, string, string]>([
    ['many', '', 'must be an object'],
    [[], '', 'must be an object'],
    [{ ...USAGE, total: 1 }, 'total', 'is not a known field'],
    [{ ...USAGE, constructor: 1 }, 'constructor', 'is not a known field'],
    [{ inputTokens: 1, outputTokens: 1 }, 'model', 'name of the model'],
    [{ ...USAGE, model: '' }, 'model', 'name of the model'],
    [{ ...USAGE, model: 'x'.repeat(129) }, 'model', 'at most 128'],
    [{ ...USAGE, model: 'a\0' }, 'model', 'NUL'],
    [{ ...USAGE, model: '\ud800' }, 'model', 'well-formed'],
    [{ model: 'm', outputTokens: 1 }, 'inputTokens', 'whole number'],
    [{ ...USAGE, inputTokens: 1.5 }, 'inputTokens', 'whole number'],
    [{ ...USAGE, outputTokens: -1 }, 'outputTokens', 'whole number'],
    [{ ...USAGE, outputTokens: '2' }, 'outputTokens', 'whole number'],
    [{ ...USAGE, cacheReadTokens: 1e8 + 1 }, 'cacheReadTokens', 'from 0 to 100000000'],
    [{ ...USAGE, cacheReadTokens: 6, cacheWriteTokens: 5 }, 'inputTokens', 'at least 11'],
    [{ ...USAGE, costUsd: -0.1 }, 'costUsd', 'US dollars'],
    [{ ...USAGE, costUsd: Number.NaN }, 'costUsd', 'US dollars'],
    [{ ...USAGE, costUsd: 10_001 }, 'costUsd', 'US dollars'],
  ])('is refused as %j by the name of the field', (value, field, message) => {
    expect(usageProblem(value)).toEqual([field, expect.stringContaining(message)])
    expect(usageOf(carrier(value))).toBeUndefined()
  })

  it('is read where the event may carry it and it is valid', () => {
    const all = { ...USAGE, cacheReadTokens: 7, cacheWriteTokens: 3, costUsd: 0.5 }
    expect(usageOf(carrier(all))).toEqual(all)
    expect(usageOf(carrier(USAGE, 'tool_call'))).toEqual(USAGE)
    expect(usageOf(carrier(USAGE, 'user_message'))).toBeUndefined()
    expect(usageOf({ type: 'model_message', parts: [] })).toBeUndefined()
    expect(usageOf({ type: 'model_message' })).toBeUndefined()
    expect(usageProblem({ ...USAGE, costUsd: undefined })).toBeUndefined()
  })
})

describe('sums', () => {
  it('of costs are exact, in any order', () => {
    const cost = fc.integer({ min: 0, max: 1_000_000_000_000 }).map((nano) => nano / 1e9)
    const add = (costs: number[]) => costs.reduce((sum, costUsd) => addSums(sum, { ...NO_USAGE, costUsd }), NO_USAGE)
    fc.assert(
      fc.property(fc.array(cost), (costs) => {
        const nano = costs.reduce((sum, each) => sum + BigInt(Math.round(each * 1e9)), 0n)
        expect(add(costs).costUsd).toBe(Number(nano) / 1e9)
        expect(add(costs.toReversed())).toEqual(add(costs))
      }),
    )
    expect(add([0.1, 0.2]).costUsd).toBe(0.3)
  })

  it('are the same dollars after the way to billionths and back', () => {
    const nano = fc.integer({ min: 0, max: 2 ** 51 })
    fc.assert(
      fc.property(nano, (n) => {
        expect(toNano(fromNano(n))).toBe(n)
      }),
    )
  })

  it('of joined calls have the fields that one of them has', () => {
    expect(joinUsage(USAGE, { ...USAGE, model: 'n', cacheReadTokens: 4, costUsd: 0.25 })).toEqual({
      model: 'm',
      inputTokens: 20,
      outputTokens: 4,
      cacheReadTokens: 4,
      costUsd: 0.25,
    })
  })
})

const anyUsage = fc.record(
  {
    model: fc.constantFrom('m', 'n'),
    inputTokens: fc.integer({ min: 200, max: 1000 }),
    outputTokens: fc.nat({ max: 1000 }),
    cacheReadTokens: fc.nat({ max: 100 }),
    cacheWriteTokens: fc.nat({ max: 100 }),
    costUsd: fc.nat({ max: 1000 }).map((n) => n / 1000),
  },
  { requiredKeys: ['model', 'inputTokens', 'outputTokens'] },
)
const anyEvent = fc.oneof(
  fc.constantFrom({ type: 'user_message' }, { type: 'model_message' }, { type: 'x.own' }),
  anyUsage.map((usage) => ({ ...carrier(usage), usage: usage as Usage })),
)

describe('the usage of a session', () => {
  it('counts calls, not the events that one call is spread over', () => {
    const rest = { model: 'm', inputTokens: 0, outputTokens: 3 }
    const usage = [carrier(USAGE), carrier(rest, 'tool_call'), carrier(USAGE)].reduce(usageAfter, undefined)
    expect(usage?.total).toMatchObject({ messages: 2, inputTokens: 20, outputTokens: 7 })
  })

  it('is the same event by event as append by append', () => {
    const isTurn = ({ type }: { type: string }) => type === 'user_message'
    fc.assert(
      fc.property(fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 5 })), (appends) => {
        const expected = appends.flat().reduce(usageAfter, undefined as SessionUsage | undefined)
        let usage: SessionUsage | undefined
        for (const events of appends) {
          if (usage !== undefined && events.some(isTurn)) usage = { ...usage, turn: NO_USAGE }
          if (events.some((event) => 'usage' in event)) usage = addIncrement(usage, incrementOf(events))
        }
        expect(usage).toEqual(expected)
      }),
    )
  })

  it('is unchanged, as the same object, by events without usage', () => {
    const usage = usageAfter(undefined, carrier(USAGE))
    expect(usageAfter(usage, { type: 'model_message' })).toBe(usage)
    expect(usageAfter(undefined, { type: 'user_message' })).toBeUndefined()
    expect(usageAfter(usage, { type: 'user_message' })).toEqual({ total: usage?.total, turn: NO_USAGE })
  })
})

describe('the rows of a log', () => {
  const at = (day: number) => `2026-01-0${day}T23:59:59.999Z`

  it('are sums by day and model', () => {
    const rows = new UsageRows()
    rows.add({ ...carrier(USAGE), type: 'model_message', createdAt: at(1) })
    rows.add({ ...carrier(USAGE), type: 'tool_call', createdAt: at(1) })
    rows.add({ ...carrier({ ...USAGE, model: 'n' }), type: 'model_message', createdAt: at(1) })
    rows.add({ ...carrier(USAGE), type: 'model_message', createdAt: at(2) })
    rows.add({ type: 'model_message', createdAt: at(2) })
    const sums = (messages: number) => ({
      ...NO_USAGE,
      messages,
      inputTokens: 10 * messages,
      outputTokens: 2 * messages,
    })
    expect(rows.rows).toEqual([
      { day: '2026-01-01', model: 'm', ...sums(2) },
      { day: '2026-01-01', model: 'n', ...sums(1) },
      { day: '2026-01-02', model: 'm', ...sums(1) },
    ])
    expect(rows.change).toEqual({ cleared: false, rows: rows.rows })
  })

  it('of a fork start after the events it copied', () => {
    const rows = new UsageRows()
    rows.add({ ...carrier(USAGE), type: 'model_message', createdAt: at(1) })
    rows.add({ type: 'session_forked', createdAt: at(2) })
    expect(rows.change).toEqual({ cleared: true, rows: [] })
  })
})
