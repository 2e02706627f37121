import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventType, SessionEvent } from './event.ts'
import type { Json } from './json.ts'
import { pairCalls, tokensOf, type Window, windowBuilder } from './window.ts'

/** What an event says, without the shape it is written in: the reference below reads this, never the parts. */
interface Said {
  type: EventType
  content: string
  calls?: readonly Call[]
  /** Id of the call that a result answers. */
  answers?: string
}

interface Call {
  id: string
  name: string
  arguments: Json
}

const characters = (text: string) => text.length

function partsOf({ type, calls, answers }: Said): Json | undefined {
  if (type === 'tool_result') return answers === undefined ? undefined : { toolCallId: answers }
  if (calls === undefined) return undefined
  const parts = calls.map((call): Json => ({ ...call }))
  return type === 'tool_call' ? parts[0] : { toolCalls: parts }
}

function logOf(said: readonly Said[]): SessionEvent[] {
  return said.map((one, i) => {
    const parts = partsOf(one)
    const event: SessionEvent = {
      id: `event-${i + 1}`,
      sessionId: 'session',
      sequence: i + 1,
      type: one.type,
      role: 'system',
      content: one.content,
      createdAt: '2026-01-31T09:30:00.000Z',
    }
    return parts === undefined ? event : { ...event, parts }
  })
}

async function windowOf(events: readonly SessionEvent[], maxTokens?: number): Promise<Window> {
  const window = windowBuilder(maxTokens)
  for (const event of events.toReversed()) {
    if (window.add(event, await tokensOf(event, characters, window.left()))) continue
    const cutAt = window.cutAt()?.sequence ?? 0
    const start = events.findLast(({ type, sequence }) => type === 'user_message' && sequence < cutAt)
    return window.cut(start && { event: start, tokens: await tokensOf(start, characters) })
  }
  return window.whole()
}

const user = (content: string): Said => ({ type: 'user_message', content })
const model = (content: string, calls?: readonly Call[]): Said => ({
  type: 'model_message',
  content,
  ...(calls && { calls }),
})
const call = (id: string, args: Json = ''): Said => ({
  type: 'tool_call',
  content: '',
  calls: [{ id, name: 'f', arguments: args }],
})
const result = (id: string, content: string): Said => ({ type: 'tool_result', content, answers: id })
const contents = (window: { events: readonly SessionEvent[] }) => window.events.map(({ content }) => content)
const sequences = (window: { events: readonly SessionEvent[] }) => window.events.map(({ sequence }) => sequence)

describe('what an event costs', () => {
  const cost = (type: EventType, content: string, parts?: Json) => {
    const [event] = logOf([{ type, content }]) as [SessionEvent]
    return tokensOf(parts === undefined ? event : { ...event, parts }, characters)
  }

  it('is its content', async () => {
    expect(await cost('user_message', 'hello')).toBe(5)
  })

  it('is nothing for an empty event, even by a tokenizer that charges for empty texts', async () => {
    const [event] = logOf([user('')]) as [SessionEvent]
    expect(await tokensOf(event, () => 1)).toBe(0)
    const parts = { id: 'a', name: '', arguments: '' }
    expect(await tokensOf({ ...event, type: 'tool_call', parts }, () => 1)).toBe(0)
  })

  it('adds the name and the arguments of each call', async () => {
    expect(await cost('tool_call', '', { id: 'a', name: 'read', arguments: 'x.ts' })).toBe('readx.ts'.length)
    const toolCalls = [
      { id: 'a', name: 'read', arguments: { path: 'x.ts' } },
      { id: 'b', name: 'list', arguments: null },
    ]
    const texts = ['so', 'read{"path":"x.ts"}', 'listnull']
    expect(await cost('model_message', 'so', { toolCalls })).toBe(texts.join('').length)
  })

  it('takes a call without arguments, or with a name that is not text, as it was written', async () => {
    expect(await cost('tool_call', '', { id: 'a', name: 'read' })).toBe('read'.length)
    expect(await cost('tool_call', '', { id: 'a' })).toBe(0)
    expect(await cost('tool_call', '', { id: 'a', name: { toString: 1, valueOf: 2 } })).toBe(
      '{"toString":1,"valueOf":2}'.length,
    )
  })

  it('is counted no further than asked', async () => {
    const counted: string[] = []
    const watched = (text: string) => {
      counted.push(text)
      return text.length
    }
    const parts = { toolCalls: [{ id: 'a', name: 'read', arguments: 'x.ts' }] }
    const [event] = logOf([model('12345')]) as [SessionEvent]
    expect(await tokensOf({ ...event, parts }, watched, 6)).toBeGreaterThan(6)
    expect(counted).toEqual(['12345', 'read'])
  })

  it('does not count other parts', async () => {
    expect(await cost('tool_result', 'ok', { toolCallId: 'a', more: 'text' })).toBe(2)
    expect(await cost('x.note', 'ok', { id: 'a', name: 'read', arguments: 'x.ts' })).toBe(2)
  })
})

describe('pairing calls with results', () => {
  const paired = (...said: Said[]) => {
    const { events, dangling } = pairCalls(logOf(said))
    return { kept: sequences({ events }), dangling }
  }

  it('keeps a call with its result, and names the call that has none', async () => {
    expect(paired(call('a'), result('a', '1'), call('b'))).toEqual({ kept: [1, 2, 3], dangling: ['b'] })
  })

  it('leaves out a result without a call, one that came before its call, and one that names no call', async () => {
    const nameless: Said = { type: 'tool_result', content: '?' }
    expect(paired(result('z', '1'), result('a', '2'), call('a'), nameless)).toEqual({ kept: [3], dangling: ['a'] })
  })

  it('takes the announcement in a message and the tool_call that repeats it as one call', async () => {
    const announced = model('', [{ id: 'a', name: 'f', arguments: '' }])
    expect(paired(announced, call('a'), result('a', '1'))).toEqual({ kept: [1, 2, 3], dangling: [] })
    expect(paired(announced, call('a'))).toEqual({ kept: [1, 2], dangling: ['a'] })
  })

  it('lets an id be used again after its result', async () => {
    expect(paired(call('a'), result('a', '1'), call('a'))).toEqual({ kept: [1, 2, 3], dangling: ['a'] })
  })

  it('keeps a second result of the same call', async () => {
    expect(paired(call('a'), result('a', '1'), result('a', '2'))).toEqual({ kept: [1, 2, 3], dangling: [] })
  })

  it('names calls in the order they were made', async () => {
    expect(paired(call('b'), call('a'), call('c'), result('a', '1')).dangling).toEqual(['b', 'c'])
  })
})

describe('a window', () => {
  it('is empty, and costs nothing, when the log is', async () => {
    expect(await windowOf([], 10)).toEqual({ events: [], tokens: 0, dangling: [] })
    expect(await windowOf([])).toEqual({ events: [], dangling: [] })
  })

  it('has no tokens unless a budget was given', async () => {
    const log = logOf([user('one')])
    expect(await windowOf(log)).not.toHaveProperty('tokens')
    expect((await windowOf(log, 3)).tokens).toBe(3)
  })

  it('contains only conversation events, no bookkeeping', async () => {
    const bookkeeping = ['session_started', 'status_changed', 'messages_cleared', 'session_forked'] as const
    const said = bookkeeping.map((type): Said => ({ type, content: 'long enough to break the budget' }))
    const log = logOf([...said, user('one'), { type: 'x.note', content: 'two' }, ...said])
    expect(contents(await windowOf(log, 6))).toEqual(['one', 'two'])
  })

  it('drops whole turns from the old end until it fits', async () => {
    const log = logOf([user('1111'), model('22'), user('33'), model('4'), user('5'), model('6')])
    expect(contents(await windowOf(log, 11))).toEqual(['1111', '22', '33', '4', '5', '6'])
    expect(contents(await windowOf(log, 6))).toEqual(['33', '4', '5', '6'])
    expect(contents(await windowOf(log, 5))).toEqual(['33', '4', '5', '6'])
    expect(contents(await windowOf(log, 2))).toEqual(['5', '6'])
    for (const budget of [11, 6, 5, 2]) expect(await windowOf(log, budget)).not.toHaveProperty('partial')
  })

  it('then has the longest end of the turn before them, led by its user message', async () => {
    const log = logOf([user('1'), model('2'), call('a'), result('a', '33'), model('4'), user('5'), model('6')])
    expect(await windowOf(log, 6)).toMatchObject({ partial: true, tokens: 4 })
    expect(contents(await windowOf(log, 6))).toEqual(['1', '4', '5', '6'])
    expect(contents(await windowOf(log, 7))).toEqual(['1', '', '33', '4', '5', '6'])
    expect((await windowOf(log, 8)).partial).toBeUndefined()
  })

  it('leaves out a user message that takes more than half of the budget', async () => {
    const log = logOf([user('1111'), model('22'), model('3'), user('4')])
    expect(await windowOf(log, 7)).toMatchObject({ partial: true, tokens: 4 })
    expect(contents(await windowOf(log, 7))).toEqual(['22', '3', '4'])
    expect(contents(await windowOf(log, 5))).toEqual(['22', '3', '4'])
  })

  it('has only whole turns if a user message leaves no room for its turn', async () => {
    const log = logOf([user('111'), model('22'), user('4444')])
    expect(contents(await windowOf(log, 8))).toEqual(['4444'])
    expect((await windowOf(log, 8)).partial).toBeUndefined()
  })

  it('treats events before the first turn as the end of a turn', async () => {
    const log = logOf([{ type: 'system_event', content: 'ab' }, model('c'), user('d')])
    expect(contents(await windowOf(log, 4))).toEqual(['ab', 'c', 'd'])
    expect(contents(await windowOf(log, 3))).toEqual(['c', 'd'])
  })

  it('keeps the longest end of the last turn if the turn does not fit', async () => {
    const log = logOf([user('1'), model('2'), user('333'), model('44'), model('5')])
    expect(await windowOf(log, 5)).toMatchObject({ tokens: 3, partial: true })
    expect(contents(await windowOf(log, 5))).toEqual(['44', '5'])
    expect(contents(await windowOf(log, 2))).toEqual(['5'])
    expect(contents(await windowOf(log, 0))).toEqual([])
  })

  it('does not pay for a result that is left out because its call is outside', async () => {
    const log = logOf([user('1'), call('a', 'arguments'), user('2'), result('a', 'a long result'), model('3')])
    expect(await windowOf(log, 5)).toMatchObject({ tokens: 2, dangling: [] })
    expect(contents(await windowOf(log, 5))).toEqual(['2', '3'])
    expect((await windowOf(log, 5)).partial).toBeUndefined()
  })

  it('leaves out a call whose result does not fit', async () => {
    const log = logOf([user('1'), call('a'), result('a', 'a long result'), model('2')])
    expect(contents(await windowOf(log, 5))).toEqual(['1', '2'])
    expect(await windowOf(log, 15)).toMatchObject({ tokens: 2, dangling: [] })
    expect(contents(await windowOf(log, 16))).toEqual(['1', '', 'a long result', '2'])
  })

  it('says when older events can no longer be part of it, and not before', async () => {
    const [old, first, second] = logOf([user('1'), user('22'), model('3')]) as [
      SessionEvent,
      SessionEvent,
      SessionEvent,
    ]
    const window = windowBuilder(3)
    expect([window.add(second, 1), window.add(first, 2), window.add(old, 1)]).toEqual([true, true, false])
    expect(contents(window.cut())).toEqual(['22', '3'])
  })

  it('never stops asking for more without a budget', async () => {
    const window = windowBuilder()
    for (const event of logOf([user('a'), model('b')])) expect(window.add(event)).toBe(true)
  })
})

const anyContent = fc.string({ maxLength: 5 })
const anyCall = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  name: fc.constantFrom('f', 'read'),
  arguments: fc.oneof(fc.string({ maxLength: 3 }), fc.constant({ n: 1 }), fc.constant(null)),
})
const anyOther = fc.constantFrom<EventType>(
  'session_started',
  'status_changed',
  'messages_cleared',
  'session_forked',
  'system_event',
  'memory_recall',
  'validation_gate',
  'x.note',
)
const anySaid: fc.Arbitrary<Said> = fc.oneof(
  { weight: 3, arbitrary: anyContent.map(user) },
  {
    weight: 2,
    arbitrary: fc.tuple(anyContent, fc.array(anyCall, { maxLength: 3 })).map(([t, calls]) => model(t, calls)),
  },
  { weight: 1, arbitrary: anyContent.map((content) => model(content)) },
  { weight: 3, arbitrary: anyCall.map(({ id, arguments: args }) => call(id, args)) },
  { weight: 4, arbitrary: fc.tuple(anyCall, anyContent).map(([{ id }, content]) => result(id, content)) },
  { weight: 1, arbitrary: anyContent.map((content): Said => ({ type: 'tool_result', content })) },
  { weight: 2, arbitrary: fc.tuple(anyOther, anyContent).map(([type, content]): Said => ({ type, content })) },
)
const anyLog = fc.array(anySaid, { maxLength: 25 })
const anyBudget = fc.nat({ max: 60 })

const RECORDED = ['session_started', 'session_forked', 'status_changed', 'messages_cleared']
const idsOf = (one: Said) => (one.calls ?? []).map(({ id }) => id)

function costOf(one: Said): number {
  const callText = ({ name, arguments: args }: Call) =>
    `${name}${typeof args === 'string' ? args : JSON.stringify(args)}`
  return [one.content, ...(one.calls ?? []).map(callText)].join('').length
}

/** Places of the events that a window from `start` to the end may hold. */
function legalFrom(said: readonly Said[], start: number): number[] {
  return said.flatMap((one, at) => {
    if (at < start || RECORDED.includes(one.type)) return []
    if (one.type !== 'tool_result') return [at]
    const called = said
      .slice(start, at)
      .some((earlier) => one.answers !== undefined && idsOf(earlier).includes(one.answers))
    return called ? [at] : []
  })
}

/** The window by the letter of the rule: tries every legal start, oldest first, and takes the first that fits. */
function slowWindow(said: readonly Said[], maxTokens: number): { places: number[]; partial: boolean } {
  const cost = (places: readonly number[]) => places.reduce((sum, at) => sum + costOf(said[at] as Said), 0)
  const turnStarts = said.flatMap(({ type }, at) => (type === 'user_message' ? [at] : []))
  const first =
    [0, ...turnStarts, said.length].find((start) => cost(legalFrom(said, start)) <= maxTokens) ?? said.length
  const turns = legalFrom(said, first)
  if (first === 0) return { places: turns, partial: false }
  const before = turnStarts.findLast((start) => start < first)
  const start = before !== undefined && cost([before]) <= maxTokens / 2 ? [before] : []
  const ends = said.flatMap((_, at) => (at > (before ?? -1) && at < first ? [legalFrom(said, at)] : []))
  const end = ends.find((places) => places.length > turns.length && cost([...start, ...places]) <= maxTokens)
  return end === undefined ? { places: turns, partial: false } : { places: [...start, ...end], partial: true }
}

/** Ids whose last call in the window comes behind every result for it. */
function unanswered(said: readonly Said[], places: readonly number[]): string[] {
  const last = (test: (one: Said) => boolean) => places.findLast((at) => test(said[at] as Said)) ?? -1
  const ids = new Set(places.flatMap((at) => idsOf(said[at] as Said)))
  return [...ids].filter((id) => last((one) => idsOf(one).includes(id)) > last((one) => one.answers === id))
}

const runs = { numRuns: 2000 }

describe('any window', () => {
  it('is the one that a search of every legal start finds', async () => {
    const seen = { whole: 0, partial: 0, cut: 0 }
    await fc.assert(
      fc.asyncProperty(anyLog, anyBudget, async (said, maxTokens) => {
        const { places, partial } = slowWindow(said, maxTokens)
        const window = await windowOf(logOf(said), maxTokens)
        expect(sequences(window)).toEqual(places.map((at) => at + 1))
        expect(window.partial ?? false).toBe(partial)
        seen[partial ? 'partial' : 'whole']++
        if (places.length > 0 && places.length < legalFrom(said, 0).length) seen.cut++
      }),
      runs,
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
  })

  it('counts the tokens of its events, within the budget', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anyBudget, async (said, maxTokens) => {
        const { events, tokens } = await windowOf(logOf(said), maxTokens)
        const costs = await Promise.all(events.map((event) => tokensOf(event, characters)))
        expect(tokens).toBe(costs.reduce((sum, cost) => sum + cost, 0))
        expect(tokens).toBe(events.reduce((sum, { sequence }) => sum + costOf(said[sequence - 1] as Said), 0))
        expect(tokens).toBeLessThanOrEqual(maxTokens)
      }),
      runs,
    )
  })

  it('contains the call of every result, before the result', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.option(anyBudget, { nil: undefined }), async (said, maxTokens) => {
        const kept = (await windowOf(logOf(said), maxTokens)).events.map(({ sequence }) => said[sequence - 1] as Said)
        kept.forEach((one, at) => {
          if (one.type === 'tool_result') expect(kept.slice(0, at).flatMap(idsOf)).toContain(one.answers)
        })
      }),
      runs,
    )
  })

  it('names exactly the calls in it that have no result behind them', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.option(anyBudget, { nil: undefined }), async (said, maxTokens) => {
        const { events, dangling } = await windowOf(logOf(said), maxTokens)
        const places = events.map(({ sequence }) => sequence - 1)
        expect(dangling.toSorted()).toEqual(unanswered(said, places).toSorted())
      }),
      runs,
    )
  })

  it('without a budget contains the whole conversation except results without a call', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (said) => {
        expect(sequences(await windowOf(logOf(said)))).toEqual(legalFrom(said, 0).map((at) => at + 1))
      }),
      runs,
    )
  })

  it('returns the same event objects, oldest first, unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anyBudget, async (said, maxTokens) => {
        const log = logOf(said)
        const { events } = await windowOf(log, maxTokens)
        expect(events.every((event) => event === log[event.sequence - 1])).toBe(true)
        expect(sequences({ events })).toEqual(sequences({ events }).toSorted((a, b) => a - b))
        expect(log).toEqual(logOf(said))
      }),
      runs,
    )
  })
})
