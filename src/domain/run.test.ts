import { describe, expect, it } from 'vitest'
import type { EventType, SessionEvent } from './event.ts'
import { evolve, initialView, type SessionView } from './fold.ts'
import type { Json } from './json.ts'
import { dueAt, isRunLive, retryTime, withStoredLease } from './run.ts'

const minute = (n: number) => new Date(Date.UTC(2026, 0, 31) + n * 60_000).toISOString()

type Said = [minute: number, type: EventType, parts?: unknown, content?: string]

const STARTED = { tenant: 'local', userId: 'ada', chatmode: 'chat', conversationId: 'c', agent: 'coach', metadata: {} }

/** The views after these events, at these minutes. */
function folded(...said: Said[]): SessionView {
  const events = said.map(([at, type, parts, content = 'text'], i): SessionEvent => {
    const bare = { id: `e${i}`, sessionId: 's', sequence: i + 2, type, role: 'system', content } as const
    return { ...bare, createdAt: minute(at), ...(parts !== undefined && { parts: parts as Json }) }
  })
  const first = { id: 'e', sessionId: 's', sequence: 1, type: 'session_started', role: 'system', content: '' } as const
  return events.reduce(evolve, initialView({ ...first, createdAt: minute(0), parts: STARTED }))
}

const run = (at: number, generation: number, turns = 0): Said => [
  at,
  'run_started',
  { runId: `r${generation}`, generation, turns, worker: 'w' },
]
const over = (at: number, generation: number, outcome = 'completed', retryAt?: string): Said => [
  at,
  'run_finished',
  { runId: `r${generation}`, generation, outcome, ...(retryAt !== undefined && { retryAt }) },
]
const status = (at: number, state: string): Said => [at, 'status_changed', { status: { state } }]
const wake = (at: number, id: string, time: number, key?: string): Said => [
  at,
  'wake_scheduled',
  { id, at: minute(time), ...(key !== undefined && { key }) },
]
const message = (at: number): Said => [at, 'user_message']

describe('the record', () => {
  it('shows the live run until it is over', () => {
    const live = { id: 'r1', generation: 1, worker: 'w', startedAt: minute(1) }
    expect(folded(run(1, 1)).record.run).toEqual(live)
    expect(folded(run(1, 1), over(2, 1)).record.run).toBeUndefined()
    expect(folded(run(1, 1), status(2, 'complete')).record.run).toBeUndefined()
    const next = folded(run(1, 1), over(2, 1, 'lost'), run(2, 2)).record.run
    expect(next).toEqual({ ...live, id: 'r2', generation: 2, startedAt: minute(2) })
  })

  it('shows that the live run was asked to stop', () => {
    const asked = folded(run(1, 1), [2, 'cancel_requested', undefined, 'enough'], status(3, 'interrupted')).record.run
    expect(asked?.cancelled).toEqual({ at: minute(2), reason: 'enough' })
    expect(asked?.interruptedAt).toBe(minute(3))
    expect(folded([2, 'cancel_requested', undefined, '']).record.run).toBeUndefined()
    expect(folded(run(1, 1), [2, 'cancel_requested', undefined, '']).record.run?.cancelled).toEqual({ at: minute(2) })
  })
})

describe('the view of the runs', () => {
  it('counts failures since the last run that completed', () => {
    const failed = folded(run(1, 1), over(2, 1, 'failed', minute(3)), run(3, 2), over(4, 2, 'failed', minute(9)))
    expect(failed.run).toMatchObject({ generation: 2, outcome: 'failed', failures: 2, retryAt: minute(9) })
    const lost = folded(run(1, 1), over(2, 1, 'failed'), run(3, 2), over(4, 2, 'lost'), run(4, 3))
    expect(lost.run).toMatchObject({ failures: 1, outcome: 'lost' })
    expect(folded(run(1, 1), over(2, 1, 'failed'), run(3, 2), over(4, 2)).run?.failures).toBe(0)
  })

  it('keeps wakes by time, and one for each key', () => {
    const view = folded(wake(1, 'a', 9), wake(1, 'b', 5, 'k'), wake(1, 'c', 7, 'k'), wake(1, 'd', 3))
    expect(view.run?.wakes.map(({ id }) => id)).toEqual(['d', 'c', 'a'])
    const fired = folded(wake(1, 'a', 2), wake(1, 'b', 5), [2, 'wake_fired', { id: 'a' }])
    expect(fired.run).toMatchObject({ wantedAt: minute(2), wakes: [{ id: 'b' }] })
  })
})

describe('a session needs work', () => {
  it.each<[string, Said[], number | undefined]>([
    ['from its start on, until its first run', [], 0],
    ['not after a run that completed', [run(1, 1), over(2, 1)], undefined],
    ['after a message, also one during the run', [run(1, 1), message(2), over(3, 1)], 3],
    ['not for a message from before the run', [message(1), run(2, 1, 1), over(3, 1)], undefined],
    ['not while it waits for the user', [run(1, 1), over(2, 1), status(3, 'awaiting_user'), message(4)], undefined],
    ['when it was interrupted', [run(1, 1), over(2, 1), message(3), status(3, 'interrupted')], 3],
    ['at the time of its first wake', [run(1, 1), over(2, 1), wake(3, 'a', 9), wake(3, 'b', 7)], 7],
    ['after a resolved request', [run(1, 1), over(2, 1), [5, 'request_resolved', { id: 'q', value: true }]], 5],
    [
      'not again for a request that a run has seen',
      [[1, 'request_resolved', { id: 'q' }], run(2, 1), over(3, 1)],
      undefined,
    ],
    ['when a failed run may be tried again', [run(1, 1), over(2, 1, 'failed', minute(8))], 8],
    ['not after a failed run that is parked', [run(1, 1), over(2, 1, 'failed')], undefined],
    ['not after a run that was cancelled', [run(1, 1), over(2, 1, 'cancelled')], undefined],
    ['not after its end', [message(1), status(2, 'aborted')], undefined],
    ['at once while a run without a lease is live', [run(1, 1)], 1],
  ])('%s', (_, said, at) => {
    expect(dueAt(folded(...said))).toBe(at === undefined ? undefined : minute(at))
  })

  it('when the lease of the live run expires', () => {
    const view = { ...folded(run(1, 1), message(2)), leaseUntil: minute(6) }
    expect(dueAt(view)).toBe(minute(6))
    expect([isRunLive(view, minute(5)), isRunLive(view, minute(6))]).toEqual([true, false])
  })
})

it('a failed run is tried again after 1, 4, 16 and 64 seconds, and parked after five', () => {
  const seconds = [1, 2, 3, 4, 5, 6].map((failures) => {
    const time = retryTime(failures, minute(0))
    return time === undefined ? undefined : (Date.parse(time) - Date.parse(minute(0))) / 1000
  })
  expect(seconds).toEqual([1, 4, 16, 64, undefined, undefined])
})

it('a repair keeps the lease of the same live run only', () => {
  const view = folded(run(1, 1))
  expect(withStoredLease(view, { generation: 1, leaseUntil: minute(5) }).leaseUntil).toBe(minute(5))
  expect(withStoredLease(view, { generation: 2, leaseUntil: minute(5) }).leaseUntil).toBeUndefined()
  expect(withStoredLease(folded(), { leaseUntil: minute(5) }).leaseUntil).toBeUndefined()
  const own = { ...view, leaseUntil: minute(7) }
  expect(withStoredLease(own, { generation: 1, leaseUntil: minute(5) }).leaseUntil).toBe(minute(7))
})
