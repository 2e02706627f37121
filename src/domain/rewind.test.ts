import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventType, SessionEvent } from './event.ts'
import { evolve, initialView, type SessionView } from './fold.ts'
import type { Json } from './json.ts'
import {
  branchPoint,
  type HiddenRanges,
  hiddenAfter,
  isHidden,
  isSameLine,
  type Rewind,
  type RewoundParts,
  restoredFrom,
  visibleSpans,
} from './rewind.ts'

function event(sequence: number, type: EventType, parts?: unknown): SessionEvent {
  return {
    id: `event-${sequence}`,
    sessionId: 'session-1',
    sequence,
    type,
    role: 'system',
    content: 'text',
    createdAt: new Date(Date.UTC(2026, 0, 31, 0, sequence)).toISOString(),
    ...(parts !== undefined && { parts: parts as Json }),
  }
}

const STARTED = {
  tenant: 'local',
  userId: 'ada',
  chatmode: 'default',
  conversationId: 'c',
  agent: 'coach',
  metadata: {},
}

/** The views after each event of a log; index 0 is unused. */
function viewsOf(log: readonly (readonly [EventType, ((views: SessionView[]) => unknown)?])[]): SessionView[] {
  const views = [undefined as never, initialView(event(1, 'session_started', STARTED))]
  for (const [type, parts] of log) {
    views.push(evolve(views.at(-1) as SessionView, event(views.length, type, parts?.(views))))
  }
  return views
}

const to = (target: number) => (views: SessionView[]) => ({
  to: target,
  restored: restoredFrom(views[target] as SessionView),
})

const at = (views: SessionView[], sequence: number) => views[sequence] as SessionView

describe('a rewind', () => {
  it('restores scratchpad, status, agent and clear, and keeps the counters', () => {
    const views = viewsOf([
      ['state_changed', () => ({ op: 'merge', patch: { plan: 'a' } })],
      ['user_message'],
      ['state_changed', () => ({ op: 'merge', patch: { plan: 'b', more: 1 } })],
      ['messages_cleared'],
      ['agent_changed', () => ({ from: 'coach', to: 'critic' })],
      ['status_changed', () => ({ status: { state: 'interrupted', userMessage: 'wait' } })],
      ['user_message'],
      ['rewound', to(3)],
    ])
    const { record, state, clearedAt, hidden } = at(views, 9)
    const before = at(views, 3)
    expect(state).toStrictEqual({ scratchpad: { plan: 'a' }, version: 3, updatedAt: event(9, 'rewound').createdAt })
    expect(record.status).toStrictEqual(before.record.status)
    expect(record.activeAgent).toBe('coach')
    expect(clearedAt).toBe(0)
    expect(hidden).toStrictEqual([[4, 8]])
    expect([record.head, record.turns]).toStrictEqual([9, 2])
  })

  it('restores the open requests, and says when their list changed', () => {
    const opened = (id: string) => () => ({ id, kind: 'approval' })
    const views = viewsOf([
      ['request_opened', opened('a')],
      ['request_opened', opened('b')],
      ['request_resolved', () => ({ id: 'a', value: true })],
      ['rewound', to(2)],
      ['user_message'],
      ['rewound', to(5)],
      ['rewound', to(1)],
    ])
    const ids = (sequence: number) => at(views, sequence).requests?.map(({ id }) => id)
    expect([2, 3, 4, 5, 7, 8].map(ids)).toStrictEqual([['a'], ['a', 'b'], ['b'], ['a'], ['a'], undefined])
    const times = [5, 7, 8].map((sequence) => at(views, sequence).requestsAt)
    expect(times).toStrictEqual([5, 5, 8].map((sequence) => event(sequence, 'rewound').createdAt))
  })

  it('drops the wakes that were scheduled after its target, and keeps the runs', () => {
    const wake = (id: string) => () => ({ id, at: '2026-02-01T00:00:00.000Z' })
    const views = viewsOf([
      ['run_started', () => ({ runId: 'r', generation: 1, turns: 0 })],
      ['wake_scheduled', wake('early')],
      ['wake_scheduled', wake('fired')],
      ['user_message'],
      ['wake_scheduled', wake('late')],
      ['wake_fired', () => ({ id: 'fired' })],
      ['rewound', to(5)],
    ])
    const { run, record } = at(views, 8)
    expect(run?.wakes.map(({ id }) => id)).toStrictEqual(['early'])
    expect(run).toMatchObject({ generation: 1, wantedAt: event(7, 'wake_fired').createdAt })
    expect(record.run?.id).toBe('r')
    expect(restoredFrom(at(views, 2)).wakes).toBeUndefined()
  })

  it('makes an abandoned branch the line again', () => {
    const views = viewsOf([
      ['user_message'],
      ['user_message'],
      ['rewound', to(2)],
      ['user_message'],
      ['rewound', to(3)],
    ])
    expect(at(views, 4).hidden).toStrictEqual([[3, 3]])
    expect(at(views, 6).hidden).toStrictEqual([[4, 5]])
  })

  it('hides nothing if nothing is between its target and itself', () => {
    expect(hiddenAfter(undefined, 4, 5)).toStrictEqual([])
    expect(hiddenAfter([[2, 3]], 4, 5)).toStrictEqual([[2, 3]])
    expect(at(viewsOf([['rewound', to(1)]]), 2).hidden).toBeUndefined()
  })
})

describe('the line', () => {
  const HIDDEN: HiddenRanges = [
    [3, 5],
    [7, 7],
    [10, 20],
  ]

  it('is read in spans between the hidden ranges', () => {
    const spans = (after: number, before: number, order: 'asc' | 'desc' = 'asc') =>
      visibleSpans(HIDDEN, { after, before }, order).map((span) => [span.after, span.before])
    expect(spans(0, 100)).toStrictEqual([
      [0, 3],
      [5, 7],
      [7, 10],
      [20, 100],
    ])
    expect(spans(0, 9, 'desc')).toStrictEqual([
      [7, 9],
      [5, 7],
      [0, 3],
    ])
    expect(spans(3, 6)).toStrictEqual([])
    expect(spans(12, 22)).toStrictEqual([[20, 22]])
    expect(spans(20, 21)).toStrictEqual([])
  })

  it('is the same with the same ranges', () => {
    expect(isSameLine(undefined, undefined)).toBe(true)
    expect(isSameLine(undefined, [[1, 2]])).toBe(false)
    expect(isSameLine([[1, 2]], undefined)).toBe(false)
    expect(isSameLine([[1, 2]], [[1, 2]])).toBe(true)
  })
})

/** A log of plain events and rewinds: 0 is a plain event, any other number chooses the target of a rewind. */
const logs = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 1000 })), {
  maxLength: 60,
})

describe('any sequence of rewinds', () => {
  it('leaves the line of the naive model', () => {
    fc.assert(
      fc.property(logs, (choices) => {
        const lines: number[][] = [[], [1]]
        const hiddenAt: HiddenRanges[] = [[], []]
        const rewinds: Rewind[] = []
        for (const choice of choices) {
          const sequence = lines.length
          const target = 1 + (choice % (sequence - 1))
          const previous = choice === 0 ? sequence - 1 : target
          lines.push([...(lines[previous] as number[]), sequence])
          hiddenAt.push(
            choice === 0 ? (hiddenAt[previous] as HiddenRanges) : hiddenAfter(hiddenAt[target], target, sequence),
          )
          if (choice !== 0) rewinds.unshift({ sequence, to: target })
        }
        const head = lines.length - 1
        const line = new Set(lines[head])
        const hidden = hiddenAt[head] as HiddenRanges
        const all = Array.from({ length: head }, (_, i) => i + 1)
        expect(all.filter((sequence) => !isHidden(hidden, sequence))).toStrictEqual(lines[head])
        const read = visibleSpans(hidden, { after: 0, before: head + 1 }, 'asc').flatMap(({ after, before }) =>
          all.slice(after, before - 1),
        )
        expect(read).toStrictEqual(lines[head])
        for (const sequence of all) {
          const point = (lines[sequence] as number[]).findLast((earlier) => line.has(earlier))
          expect(branchPoint(rewinds, hidden, sequence)).toBe(point)
        }
      }),
    )
  })

  it('never needs more than a fold: the parts say all', () => {
    fc.assert(
      fc.property(logs, (choices) => {
        const views = viewsOf(
          choices.map((choice, i) =>
            choice === 0
              ? ['state_changed', () => ({ op: 'replace', value: { at: i } })]
              : ['rewound', to(1 + (choice % (i + 1)))],
          ),
        )
        for (const [i, choice] of choices.entries()) {
          if (choice === 0) continue
          const [target, after] = [at(views, 1 + (choice % (i + 1))), at(views, i + 2)]
          expect(after.state.scratchpad).toStrictEqual(target.state.scratchpad)
          expect(after.state.version).toBe(at(views, i + 1).state.version + 1)
        }
      }),
    )
  })

  it('keeps its parts as JSON', () => {
    const { restored } = to(2)(viewsOf([['user_message']])) satisfies RewoundParts
    expect(JSON.parse(JSON.stringify(restored))).toStrictEqual(restored)
  })
})
