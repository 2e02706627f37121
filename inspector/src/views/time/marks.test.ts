import { describe, expect, it } from 'vitest'
import type { EventType, Json, SessionEvent } from '../../api/types.ts'
import {
  allSince,
  changeBehind,
  changeUpTo,
  GROUPS,
  KINDS,
  type Kind,
  kindsOf,
  knownOf,
  markRows,
  typesOf,
} from './marks.ts'

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

describe('what events change', () => {
  it('is the scratchpad too where a handoff leaves its context there', () => {
    expect(kindsOf(event(2, 'agent_transition', { from: 'a', to: 'b', context: {} }))).toEqual(['agent', 'scratchpad'])
    expect(kindsOf(event(2, 'agent_transition', { from: 'a', to: 'b' }))).toEqual(['agent'])
    expect(kindsOf(event(2, 'agent_transition', null))).toEqual(['agent'])
    expect(kindsOf(event(2, 'user_message'))).toEqual([])
    expect(typesOf('scratchpad')).toEqual(['state_changed', 'handoff_taken', 'agent_transition'])
    expect(typesOf('envelope')).toEqual(['session_started', 'session_forked', 'envelope_updated'])
  })
})

describe('marks below the slider', () => {
  it('stand in rows by kind, at their place between the first event and the last', () => {
    const rows = markRows([event(1, 'session_started'), event(6, 'state_changed'), event(11, 'envelope_updated')], 11)
    expect(rows.map(({ kind }) => kind)).toEqual(['scratchpad', 'status', 'agent', 'envelope'])
    expect(rows[0]).toEqual({ kind: 'scratchpad', count: 1, marks: [{ sequence: 6, count: 1, share: 0.5 }] })
    expect(rows[3]?.marks.map(({ share }) => share)).toEqual([0, 1])
    expect(markRows([event(1, 'session_started')], 1)[0]?.marks).toEqual([{ sequence: 1, count: 1, share: 0 }])
  })

  it('are no more than asked for, and together count every change', () => {
    const events = Array.from({ length: 5000 }, (_, i) => event(i + 2, 'state_changed'))
    const [row] = markRows(events, 100_000, 200)
    expect(row?.marks.length).toBeLessThanOrEqual(200)
    expect(row?.count).toBe(5000)
  })
})

describe('the change before and after a place', () => {
  const read = (cut: readonly Kind[], ...events: SessionEvent[]) =>
    knownOf(
      KINDS.map((kind) => ({
        events: events.filter(({ type }) => GROUPS[kind].includes(type)),
        hasMore: cut.includes(kind),
      })),
    )
  const changes = [event(10, 'state_changed'), event(20, 'status_changed'), event(30, 'state_changed')]
  const known = read(['scratchpad'], ...changes)

  it('is found among those that are known', () => {
    expect(changeUpTo(known, 25)).toBe(20)
    expect(changeUpTo(known, 25, 'scratchpad')).toBe(10)
    expect(changeUpTo(known, 30, 'scratchpad')).toBe(30)
    expect(changeBehind(known, 10)).toBe(20)
    expect(changeBehind(known, 30)).toBe(undefined)
  })

  it('is unknown where older ones were left out, and absent where there are none', () => {
    expect(changeUpTo(known, 5)).toBe('unknown')
    expect(changeBehind(known, 5)).toBe('unknown')
    expect(changeBehind(read(['work']), 5)).toBe('unknown')
    const all = read([], ...changes)
    expect(changeUpTo(all, 5)).toBe(undefined)
    expect(changeBehind(all, 5)).toBe(10)
  })

  it('is known of one kind, however many of another were left out', () => {
    const old = [
      event(1, 'session_started'),
      event(8, 'envelope_updated'),
      event(9, 'agent_transition', { context: {} }),
    ]
    const some = read(['scratchpad'], ...changes, ...old)
    expect(changeUpTo(some, 25, 'envelope')).toBe(8)
    expect(changeUpTo(some, 25, 'commit')).toBe(undefined)
    expect(changeUpTo(some, 9, 'scratchpad')).toBe('unknown')
    expect(changeUpTo(some, 9)).toBe('unknown')
    expect([allSince(some, 'scratchpad'), allSince(some, 'envelope'), allSince(some)]).toEqual([10, 1, 10])
    expect(Object.values(GROUPS).flat()).toHaveLength(10)
  })
})
