import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { APPENDABLE_TYPES, type EventType, RECORDED_TYPES, type SessionEvent, startsTurn } from './event.ts'
import {
  evolve,
  FOLDED_TYPES,
  type ForkedParts,
  initialView,
  isActivity,
  onlyStateChanged,
  type SessionView,
  type StartedParts,
  withCounters,
} from './fold.ts'
import type { Json } from './json.ts'
import { isFinal, type SessionStatus } from './record.ts'
import { NO_USAGE, USAGE_FOLDED_TYPES } from './usage.ts'

const minute = (n: number) => new Date(Date.UTC(2026, 0, 31) + n * 60_000).toISOString()

function event(sequence: number, type: EventType, parts?: unknown): SessionEvent {
  const bare: SessionEvent = {
    id: `event-${sequence}`,
    sessionId: 'session-1',
    sequence,
    type,
    role: 'system',
    content: 'text',
    createdAt: minute(sequence),
  }
  return parts === undefined ? bare : { ...bare, parts: parts as Json }
}

const STARTED: StartedParts = {
  tenant: 'local',
  userId: 'ada',
  chatmode: 'default',
  conversationId: 'conversation-1',
  agent: 'coach',
  workflow: 'spec',
  skill: 'writing',
  gitBranch: 'main',
  task: 'write it down',
  expiresAt: minute(10_000),
  metadata: { a: 1 },
}

const FORKED: ForkedParts = {
  from: { sessionId: 'session-0', sequence: 7 },
  conversationId: 'conversation-2',
  chatmode: 'other',
  task: 'another task',
  metadata: { b: 2 },
}

const started = () => initialView(event(1, 'session_started', STARTED))
const folded = (...events: SessionEvent[]) => events.reduce(evolve, started())

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) deepFreeze(item)
  return Object.freeze(value)
}

describe('the first event', () => {
  it('gives a running session with all it began with, and an empty scratchpad', () => {
    const { agent, ...given } = STARTED
    expect(started()).toStrictEqual<SessionView>({
      record: {
        id: 'session-1',
        ...given,
        status: { state: 'running' },
        activeAgent: 'coach',
        head: 1,
        turns: 0,
        startedAt: minute(1),
        lastActivityAt: minute(1),
      },
      state: { scratchpad: {}, version: 0, updatedAt: minute(1) },
      clearedAt: 0,
      envelopeAt: 1,
      envelope: {
        document: {
          session_id: 'session-1',
          persona_id: '',
          tenant: 'local',
          subject: 'ada',
          metadata: { a: 1 },
          analysis: {},
          timestamps: { created_at: minute(1), updated_at: minute(1) },
        },
      },
    })
  })

  it('keeps who issued the token, and the backfill, for the envelope alone', () => {
    const identity = { issuer: 'https://issuer', scope: 'a b' }
    const { record, envelope } = initialView(event(1, 'session_started', { ...STARTED, identity, batch: 'b1' }))
    expect(envelope).toMatchObject({ document: identity, batch: 'b1' })
    expect(record).toStrictEqual(started().record)
  })

  it('gives no field that was not there', () => {
    const { tenant, userId, chatmode, conversationId, agent } = STARTED
    const { record } = initialView(
      event(1, 'session_started', { tenant, userId, chatmode, conversationId, agent, metadata: {} }),
    )
    for (const field of ['workflow', 'skill', 'gitBranch', 'task', 'expiresAt', 'endedAt', 'forkedFrom', 'agent']) {
      expect(record).not.toHaveProperty(field)
    }
  })
})

describe('an event', () => {
  it.each([...APPENDABLE_TYPES, 'x.note', 'session_started'] as const)('of type %s moves only the counters', (type) => {
    const view = folded(event(2, type, { status: { state: 'complete' }, task: 'no', from: 'no' }))
    const { record } = started()
    expect(view).toStrictEqual({
      ...started(),
      record: { ...record, head: 2, turns: type === 'user_message' ? 1 : 0, lastActivityAt: minute(2) },
    })
  })

  it('of a type that a later version may write is counted like any other', () => {
    expect(folded(event(2, 'from_the_future' as EventType)).record).toMatchObject({ head: 2, turns: 0 })
  })

  it('that clears the messages says from where on they count', () => {
    const view = folded(event(2, 'user_message'), event(3, 'messages_cleared'), event(4, 'user_message'))
    expect(view.clearedAt).toBe(3)
    expect(view.record).toMatchObject({ head: 4, turns: 2 })
    expect(evolve(view, event(5, 'messages_cleared')).clearedAt).toBe(5)
  })
})

describe('a change of status', () => {
  const changed = (status: SessionStatus) => folded(event(2, 'user_message'), event(3, 'status_changed', { status }))

  it.each<SessionStatus>([
    { state: 'running' },
    { state: 'awaiting_user', question: 'which one?', askedAt: minute(3) },
    { state: 'interrupted', userMessage: 'wait' },
    { state: 'pending_complete', summary: 'all done' },
  ])('to $state is kept as it was said, and ends nothing', (status) => {
    const { record } = changed(status)
    expect(record.status).toStrictEqual(status)
    expect(record).not.toHaveProperty('endedAt')
    expect(record).toMatchObject({ head: 3, turns: 1, lastActivityAt: minute(3) })
  })

  it.each<SessionStatus>([
    { state: 'complete' },
    { state: 'complete', endedBy: 'caller' },
    { state: 'aborted', reason: 'no use' },
  ])('to $state ends the session at that moment', (status) => {
    const { record } = changed(status)
    expect(record.status).toStrictEqual(status)
    expect(record).toMatchObject({ head: 3, turns: 1, lastActivityAt: minute(3), endedAt: minute(3) })
  })
})

describe('a change of the envelope', () => {
  const change = { personaId: 'host', metadata: { a: null, b: 2 }, analysis: { intent: 'order' }, batch: 'b1' }
  const later = (view: SessionView) =>
    evolve(evolve(view, event(2, 'user_message')), event(3, 'envelope_updated', change))

  it('changes the metadata of the record with it, says where it stands in the log, and nothing else', () => {
    const { record, state, clearedAt, envelope } = started()
    expect(later(started())).toStrictEqual({
      record: { ...record, head: 3, turns: 1, lastActivityAt: minute(3), metadata: { b: 2 } },
      state,
      clearedAt,
      envelopeAt: 3,
      envelope: {
        document: {
          ...envelope?.document,
          persona_id: 'host',
          metadata: { b: 2 },
          analysis: { intent: 'order' },
          timestamps: { created_at: minute(1), updated_at: minute(3) },
        },
        batch: 'b1',
      },
    })
    expect(evolve(later(started()), event(4, 'user_message'))).toMatchObject({ envelopeAt: 3 })
  })

  it('is known where there is no envelope to change', () => {
    const { envelope: _, ...without } = started()
    const { envelope: _gone, ...expected } = later(started())
    expect(later(without)).toStrictEqual(expected)
    const forked = evolve(without, { ...event(2, 'session_forked', FORKED), sessionId: 'session-2' })
    expect(forked).toMatchObject({ envelopeAt: 2 })
    expect(forked).not.toHaveProperty('envelope')
  })
})

describe('a fork', () => {
  const forked = (parts: ForkedParts, ...before: SessionEvent[]) =>
    evolve(folded(...before), { ...event(before.length + 2, 'session_forked', parts), sessionId: 'session-2' })

  it('is a session of its own that says where it came from', () => {
    const view = forked(FORKED, event(2, 'user_message'), event(3, 'messages_cleared'))
    const { expiresAt: _, ...record } = started().record
    expect(view).toStrictEqual<SessionView>({
      record: {
        ...record,
        id: 'session-2',
        conversationId: 'conversation-2',
        chatmode: 'other',
        task: 'another task',
        metadata: { b: 2 },
        head: 4,
        turns: 1,
        startedAt: minute(4),
        lastActivityAt: minute(4),
        forkedFrom: { sessionId: 'session-0', sequence: 7 },
      },
      state: started().state,
      clearedAt: 3,
      envelopeAt: 4,
      envelope: {
        document: {
          session_id: 'session-2',
          persona_id: '',
          tenant: 'local',
          subject: 'ada',
          metadata: { b: 2 },
          analysis: {},
          timestamps: { created_at: minute(4), updated_at: minute(4) },
        },
      },
    })
  })

  it('has no task unless it was given one', () => {
    const { task: _, ...without } = FORKED
    expect(forked(without).record).not.toHaveProperty('task')
  })

  it('runs again where its source had ended, and never expires', () => {
    const ended = event(2, 'status_changed', { status: { state: 'aborted', reason: 'no use' } })
    const { record } = forked(FORKED, ended)
    expect(record.status).toStrictEqual({ state: 'running' })
    expect(record).not.toHaveProperty('endedAt')
    expect(record).not.toHaveProperty('expiresAt')
  })

  it('waits for what its source waited for', () => {
    const status = { state: 'awaiting_user', question: 'which one?', askedAt: minute(2) } as const
    expect(forked(FORKED, event(2, 'status_changed', { status })).record.status).toStrictEqual(status)
  })

  it('can be forked again', () => {
    const again: ForkedParts = { ...FORKED, from: { sessionId: 'session-2', sequence: 2 } }
    expect(evolve(forked(FORKED), event(3, 'session_forked', again)).record.forkedFrom).toStrictEqual(again.from)
  })
})

const anyStatus = fc.constantFrom<SessionStatus>(
  { state: 'running' },
  { state: 'awaiting_user', question: 'q', askedAt: minute(0) },
  { state: 'interrupted', userMessage: 'm' },
  { state: 'pending_complete', summary: 's' },
  { state: 'complete' },
  { state: 'aborted', reason: 'r' },
)
const anyStep: fc.Arbitrary<{ type: EventType; parts?: unknown }> = fc.oneof(
  fc.constantFrom<EventType>(...APPENDABLE_TYPES, 'x.note', 'messages_cleared').map((type) => ({ type })),
  anyStatus.map((status) => ({ type: 'status_changed', parts: { status } }) as const),
  fc.constant({ type: 'session_forked', parts: FORKED } as const),
  fc
    .constantFrom({ metadata: { n: 1 } }, { metadata: { n: null }, batch: 'b1' }, { personaId: 'p' }, { whole: true })
    .map((parts) => ({ type: 'envelope_updated', parts }) as const),
  fc
    .nat({ max: 9 })
    .map(
      (n) => ({ type: 'model_message', parts: { usage: { model: 'm', inputTokens: n, outputTokens: 1 } } }) as const,
    ),
)
const anyEvents = fc.array(fc.tuple(anyStep, fc.nat({ max: 1000 })), { maxLength: 30 }).map((steps) =>
  steps.map(
    ([{ type, parts }, at], i): SessionEvent => ({
      ...event(i + 2, type, parts),
      // clocks may go back: the last event counts, not the latest time
      createdAt: minute(at),
    }),
  ),
)

it('needs only the events of the types that change a view or usage, and counters of the others', () => {
  const all = [...APPENDABLE_TYPES, ...Object.keys(RECORDED_TYPES), 'x.own'] as EventType[]
  const types: readonly string[] = [...FOLDED_TYPES, ...USAGE_FOLDED_TYPES]
  const isFolded = ({ type }: SessionEvent) => types.includes(type)
  for (const type of all.filter((one) => !isFolded(event(2, one)))) {
    const turns = startsTurn({ type }) ? 1 : 0
    const counters = { sequence: 2, turns, lastActivityAt: minute(2) }
    expect(evolve(started(), event(2, type, { id: 'a' })), type).toEqual(withCounters(started(), counters))
  }
  fc.assert(
    fc.property(anyEvents, (events) => {
      const whole = folded(...events)
      const last = [event(1, 'session_started'), ...events].findLast(isActivity)
      const counters = { sequence: whole.record.head, turns: whole.record.turns, lastActivityAt: last?.createdAt ?? '' }
      expect(withCounters(folded(...events.filter(isFolded)), counters)).toEqual(whole)
    }),
  )
})

describe('usage', () => {
  const usage = { model: 'm', inputTokens: 5, outputTokens: 1 }
  const sums = { ...NO_USAGE, messages: 1, inputTokens: 5, outputTokens: 1 }

  it('is summed in total and since the last user message', () => {
    const { record } = folded(event(2, 'model_message', { usage }))
    expect(record.usage).toEqual({ total: sums, turn: sums })
    const next = folded(event(2, 'tool_call', { usage }), event(3, 'user_message'))
    expect(next.record.usage).toEqual({ total: sums, turn: NO_USAGE })
    expect(folded(event(2, 'user_message', { usage }), event(3, 'model_message')).record).not.toHaveProperty('usage')
  })

  it('of a fork starts at zero', () => {
    const { record } = folded(event(2, 'model_message', { usage }), event(3, 'session_forked', FORKED))
    expect(record).not.toHaveProperty('usage')
  })
})

describe('any log', () => {
  it('has the head, the turns and the last activity that its events say', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { record, clearedAt, state } = folded(...events)
        expect(record.head).toBe(events.length + 1)
        expect(record.turns).toBe(events.filter(({ type }) => type === 'user_message').length)
        expect(record.lastActivityAt).toBe(events.at(-1)?.createdAt ?? minute(1))
        expect(clearedAt).toBe(events.findLast(({ type }) => type === 'messages_cleared')?.sequence ?? 0)
        expect(state).toStrictEqual(started().state)
      }),
    )
  })

  it('has the same envelope and metadata whether one was kept on the way or not', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { envelope, ...view } = folded(...events)
        const { envelope: _, ...without } = started()
        expect(events.reduce(evolve, without)).toStrictEqual(view)
        expect(envelope?.document.metadata).toStrictEqual(view.record.metadata)
        const last = events.findLast(({ type }) => type === 'envelope_updated' || type === 'session_forked')
        expect(view.envelopeAt).toBe(last?.sequence ?? 1)
        expect(envelope?.document.timestamps.updated_at).toBe(last?.createdAt ?? minute(1))
      }),
    )
  })

  it('has ended if its status is final', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { record } = folded(...events)
        if (isFinal(record.status.state)) expect(record.endedAt).toBeDefined()
      }),
    )
  })

  it('is known to have changed the scratchpad alone where all else is as it was', () => {
    const others = ({ record, state: _state, envelope: _envelope, ...rest }: SessionView) => ({
      ...rest,
      record: { ...record, head: 0, turns: 0, lastActivityAt: '' },
    })
    fc.assert(
      fc.property(anyEvents, (events) => {
        let before = started()
        for (const next of events) {
          const after = evolve(before, next)
          if (onlyStateChanged(before, after)) expect(others(after)).toStrictEqual(others(before))
          if (next.type === 'state_changed' || next.type === 'handoff_taken') {
            expect(onlyStateChanged(before, after)).toBe(true)
          }
          if (next.type === 'envelope_updated' || next.type === 'messages_cleared') {
            expect(onlyStateChanged(before, after)).toBe(false)
          }
          before = after
        }
      }),
    )
  })

  it('is folded without changing a view that was there before', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let view = deepFreeze(started())
        for (const next of events) view = deepFreeze(evolve(view, deepFreeze(next)))
        expect(view).toStrictEqual(folded(...events))
      }),
    )
  })
})
