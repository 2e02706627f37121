import { describe, expect, it } from 'vitest'
import type { Json, SessionEvent, SessionRecord } from '../../api/types.ts'
import { runsOf } from './runs.ts'

const T0 = Date.parse('2026-03-01T09:00:00.000Z')
const iso = (second: number) => new Date(T0 + second * 1000).toISOString()

/** Events one second apart. */
const log = (...given: [type: string, parts?: Json | undefined, content?: string][]) =>
  given.map(([type, parts, content = ''], i) => {
    const event = { sequence: i + 1, type, content, createdAt: iso(i), ...(parts !== undefined && { parts }) }
    return event as SessionEvent
  })
const started = (generation: number, worker?: string): [string, Json] => [
  'run_started',
  { runId: `r${generation}`, generation, turns: 0, ...(worker !== undefined && { worker }) },
]
const finished = (generation: number, outcome: string, more: object = {}): [string, Json, string] => [
  'run_finished',
  { runId: `r${generation}`, generation, outcome, ...more } as Json,
  'a note',
]
const record = (more: Partial<SessionRecord> = {}) =>
  ({ head: 100, startedAt: iso(0), status: { state: 'running' }, ...more }) as SessionRecord
const NOW = T0 + 60_000

describe('the runs of a session', () => {
  it('have start, end, outcome, worker and note, newest first', () => {
    const events = log(
      started(1, 'a'),
      finished(1, 'failed', { retryAt: iso(9) }),
      started(2),
      finished(2, 'completed'),
    )
    expect(runsOf(events, record(), NOW)).toMatchObject([
      { generation: 2, worker: undefined, state: 'completed', from: T0 + 2000, to: T0 + 3000, first: 3, last: 4 },
      { generation: 1, worker: 'a', state: 'failed', note: 'a note', retryAt: iso(9) },
    ])
  })

  it('last to the present while live, and tell who asked to stop', () => {
    const live = { id: 'r1', generation: 1, startedAt: iso(0) }
    const events = log(started(1), ['cancel_requested', undefined, 'too slow'])
    expect(runsOf(events.slice(0, 1), record({ run: live }), NOW)).toMatchObject([{ state: 'live', to: NOW }])
    const cancelled = { at: iso(1), reason: 'too slow' }
    expect(runsOf(events, record({ run: { ...live, cancelled } }), NOW)).toMatchObject([
      { state: 'stopping', stop: { sequence: 2, reason: 'too slow' } },
    ])
  })

  it('are live if their start is newer than the record', () => {
    expect(runsOf(log(started(1)), record({ head: 0 }), NOW)).toMatchObject([{ state: 'live' }])
  })

  it('end with the next run, or the session, or at the fork, if the log has no end of theirs', () => {
    const states = (...args: Parameters<typeof runsOf>) => runsOf(...args).map(({ state, to }) => [state, to - T0])
    expect(states(log(started(1), started(2), finished(2, 'completed')), record(), NOW)[1]).toEqual([
      'unfinished',
      1000,
    ])
    expect(states(log(started(1)), record({ endedAt: iso(30) }), NOW)).toEqual([['unfinished', 30_000]])
    expect(states(log(started(1)), record({ startedAt: iso(40) }), NOW)).toEqual([['unfinished', 40_000]])
    expect(states(log(started(1)), record({ startedAt: iso(-9) }), NOW)).toEqual([['unfinished', 0]])
  })

  it('are read from any parts, and from a log whose start is not here', () => {
    const events = log(finished(1, 'completed'), ['run_started', 7], ['run_finished', { outcome: 'odd' }])
    expect(runsOf(events, record(), NOW)).toMatchObject([{ generation: 0, state: 'unfinished', first: 2, last: 3 }])
    expect(runsOf([], record(), NOW)).toEqual([])
  })
})
