import { describe, expect, it } from 'vitest'
import type { EventType, Json, SessionEvent } from '../../api/types.ts'
import {
  buildMarkRows,
  CHANGE_KINDS,
  type ChangeKind,
  changeKinds,
  completeSince,
  eventTypes,
  lastChange,
  mergeChanges,
  nextChange,
  TYPES_BY_KIND,
} from './changes.ts'

const event = (sequence: number, type: EventType, parts?: Json): SessionEvent => ({
  id: `${sequence}`,
  sessionId: 's',
  sequence,
  type,
  role: 'system',
  content: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...(parts !== undefined && { parts }),
})

describe('changeKinds', () => {
  it('includes the scratchpad if a handoff leaves its context there', () => {
    expect(changeKinds(event(2, 'agent_transition', { from: 'a', to: 'b', context: {} }))).toEqual([
      'agent',
      'scratchpad',
    ])
    expect(changeKinds(event(2, 'agent_transition', { from: 'a', to: 'b' }))).toEqual(['agent'])
    expect(changeKinds(event(2, 'agent_transition', null))).toEqual(['agent'])
    expect(changeKinds(event(2, 'user_message'))).toEqual([])
    expect(eventTypes('scratchpad')).toEqual(['state_changed', 'handoff_taken', 'agent_transition'])
    expect(eventTypes('envelope')).toEqual(['session_started', 'session_forked', 'envelope_updated'])
  })
})

describe('buildMarkRows', () => {
  it('places marks in rows by kind, between the first and the last event', () => {
    const rows = buildMarkRows(
      [event(1, 'session_started'), event(6, 'state_changed'), event(11, 'envelope_updated')],
      11,
    )
    expect(rows.map(({ kind }) => kind)).toEqual(['scratchpad', 'status', 'agent', 'envelope'])
    expect(rows[0]).toEqual({ kind: 'scratchpad', count: 1, marks: [{ sequence: 6, count: 1, share: 0.5 }] })
    expect(rows[3]?.marks.map(({ share }) => share)).toEqual([0, 1])
    expect(buildMarkRows([event(1, 'session_started')], 1)[0]?.marks).toEqual([{ sequence: 1, count: 1, share: 0 }])
  })

  it('limits the marks and counts every change', () => {
    const events = Array.from({ length: 5000 }, (_, i) => event(i + 2, 'state_changed'))
    const [row] = buildMarkRows(events, 100_000, 200)
    expect(row?.marks.length).toBeLessThanOrEqual(200)
    expect(row?.count).toBe(5000)
  })
})

describe('lastChange and nextChange', () => {
  const read = (cut: readonly ChangeKind[], ...events: SessionEvent[]) =>
    mergeChanges(
      CHANGE_KINDS.map((kind, i) => ({
        events: events.filter(({ type }) => TYPES_BY_KIND[i]?.includes(type)),
        hasMore: cut.includes(kind),
      })),
    )
  const changes = [event(10, 'state_changed'), event(20, 'status_changed'), event(30, 'state_changed')]
  const known = read(['scratchpad'], ...changes)

  it('find loaded changes', () => {
    expect(lastChange(known, 25)).toBe(20)
    expect(lastChange(known, 25, 'scratchpad')).toBe(10)
    expect(lastChange(known, 30, 'scratchpad')).toBe(30)
    expect(nextChange(known, 10)).toBe(20)
    expect(nextChange(known, 30)).toBe(undefined)
  })

  it('return unknown if older changes are not loaded, and undefined if there are none', () => {
    expect(lastChange(known, 5)).toBe('unknown')
    expect(nextChange(known, 5)).toBe('unknown')
    expect(nextChange(read(['work']), 5)).toBe('unknown')
    const all = read([], ...changes)
    expect(lastChange(all, 5)).toBe(undefined)
    expect(nextChange(all, 5)).toBe(10)
  })

  it('work for one kind even if another is incomplete', () => {
    const old = [
      event(1, 'session_started'),
      event(8, 'envelope_updated'),
      event(9, 'agent_transition', { context: {} }),
    ]
    const some = read(['scratchpad'], ...changes, ...old)
    expect(lastChange(some, 25, 'envelope')).toBe(8)
    expect(lastChange(some, 25, 'commit')).toBe(undefined)
    expect(lastChange(some, 9, 'scratchpad')).toBe('unknown')
    expect(lastChange(some, 9)).toBe('unknown')
    expect([completeSince(some, 'scratchpad'), completeSince(some, 'envelope'), completeSince(some)]).toEqual([
      10, 1, 10,
    ])
    expect(TYPES_BY_KIND.flat()).toHaveLength(10)
  })
})
