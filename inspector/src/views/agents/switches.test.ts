import { describe, expect, it } from 'vitest'
import type { EventType, Json, SessionEvent } from '../../api/types.ts'
import { activeAt, switchesOf } from './switches.ts'

const event = (sequence: number, type: EventType, parts?: Json, content = ''): SessionEvent => ({
  id: `${sequence}`,
  sessionId: 's',
  sequence,
  type,
  role: 'system',
  content,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...(parts !== undefined && { parts }),
})

const started = event(1, 'session_started', { agent: 'a' })

describe('the active agent', () => {
  it('is the first agent until a switch', () => {
    const { spans } = switchesOf([started, event(5, 'agent_changed', { from: 'a', to: 'b' })], 9)
    expect(spans).toEqual([
      { agent: 'a', from: 1, to: 5 },
      { agent: 'b', from: 5, to: 9 },
    ])
    expect([1, 2, 5, 6, 9].map((sequence) => activeAt(spans, sequence))).toEqual(['a', 'a', 'a', 'b', 'b'])
  })

  it('is unknown before the first event that was read', () => {
    const { spans } = switchesOf([event(50, 'agent_changed', { from: 'a', to: 'b' })], 60)
    expect(spans).toEqual([{ agent: 'b', from: 50, to: 60 }])
    expect(activeAt(spans, 10)).toBe(undefined)
    expect(activeAt([], 10)).toBe(undefined)
  })
})

describe('switches', () => {
  it('say whether a handoff was taken, replaced or is pending', () => {
    const handoff = (sequence: number) =>
      event(sequence, 'agent_transition', { from: 'a', to: 'b', context: { artifacts_created: [] } }, `why ${sequence}`)
    const { switches } = switchesOf([started, handoff(3), handoff(5), event(7, 'handoff_taken'), handoff(9)], 10)
    expect(switches.map(({ sequence, takenBy, replacedBy }) => [sequence, takenBy, replacedBy])).toEqual([
      [3, undefined, 5],
      [5, 7, undefined],
      [9, undefined, undefined],
    ])
    expect(switches[0]).toMatchObject({ kind: 'handoff', reason: 'why 3', context: { artifacts_created: [] } })
  })

  it('say where a handoff was removed from the scratchpad before it was taken', () => {
    const handoff = (sequence: number) => event(sequence, 'agent_transition', { from: 'a', to: 'b', context: {} })
    const changed = (sequence: number, parts: Json) => event(sequence, 'state_changed', parts)
    const { switches } = switchesOf(
      [
        started,
        handoff(2),
        changed(3, { op: 'merge', patch: { task: null, handoff_context: { own: 1 } } }),
        changed(4, { op: 'replace', value: { handoff_context: {} } }),
        changed(5, { op: 'merge', patch: { handoff_context: null } }),
        handoff(6),
        changed(7, null),
        changed(8, { op: 'replace', value: {} }),
        changed(9, { op: 'replace', value: {} }),
        event(10, 'handoff_taken'),
        handoff(11),
      ],
      11,
    )
    expect(switches.map(({ removedBy, takenBy, replacedBy }) => [removedBy, takenBy, replacedBy])).toEqual([
      [5, undefined, undefined],
      [8, undefined, undefined],
      [undefined, undefined, undefined],
    ])
  })

  it('have a kind, and tolerate malformed parts', () => {
    const events = [
      started,
      event(2, 'agent_transition', { from: 'a', to: 'b' }, 'why'),
      event(3, 'agent_changed', { from: 'b', to: 'a' }, 'a acts in place of b'),
      event(4, 'agent_transition', null),
      event(5, 'agent_changed', [1]),
      event(6, 'handoff_taken'),
    ]
    const { switches } = switchesOf(events, 6)
    expect(switches.map(({ kind, reason, to }) => [kind, reason, to])).toEqual([
      ['transition', 'why', 'b'],
      ['switch', '', 'a'],
      ['transition', '', 'unknown'],
      ['switch', '', 'unknown'],
    ])
    expect(switchesOf([], 0)).toEqual({ switches: [], spans: [] })
  })
})
