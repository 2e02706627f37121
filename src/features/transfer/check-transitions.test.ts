import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { amount } from '../../../test/proof.ts'
import { applyStep, step } from '../../../test/properties/steps.ts'
import type { ExportedEvent, SessionBlock, Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'
import { fixedClock } from '../../stores/conformance/samples.ts'

const AT = '2026-03-01T12:00:00.000Z'

type Step = readonly [type: string, parts?: unknown]

const status = (state: string, more: object = {}): Step => ['status_changed', { status: { state, ...more } }]
const asks = status('awaiting_user', { question: 'Tea?', askedAt: AT })
const stopped = status('interrupted', { userMessage: 'Stop' })
const proposes = status('pending_complete', { summary: 'Done' })
const runs = status('running')
const confirmed = status('complete')
const ended = status('complete', { endedBy: 'caller' })
const aborted = status('aborted', { reason: 'Enough' })
const says: Step = ['user_message']
const works: Step = ['work_committed', { id: 'w', parents: [], kind: 'step', observations: [], state: 'running' }]
const commits = (range?: object, position = 1): Step => [
  'session_compacted',
  {
    id: uuid7(),
    position,
    kind: 'normal',
    decisions: [],
    filesRead: [],
    filesWritten: [],
    commands: [],
    openQuestions: [],
    ...(range && { range, hash: 'h' }),
  },
]
const forks = (sequence: number): Step => [
  'session_forked',
  { from: { sessionId: uuid7(), sequence }, conversationId: uuid7(), chatmode: 'd', metadata: {} },
]
const sums = (range: object): Step => ['context_summarized', { range, hash: 'h' }]

function blockOf(steps: readonly Step[]): SessionBlock {
  const scope = { tenant: 'local', userId: 'ada', chatmode: 'd', conversationId: uuid7() }
  const all: Step[] = [['session_started', { ...scope, agent: 'coach', metadata: {} }], ...steps]
  const events = all.map(
    ([type, parts], i) =>
      ({
        sequence: i + 1,
        id: uuid7(),
        type,
        role: 'system',
        content: 'c',
        createdAt: AT,
        ...(parts !== undefined && { parts }),
      }) as ExportedEvent,
  )
  return { sessionId: uuid7(), events, done: true }
}

let tl: Throughline
beforeEach(async () => {
  tl = await open({ url: 'memory:', index: false })
})
afterEach(() => tl.close())

describe('a life that no store would have written', () => {
  it.each<[what: string, steps: Step[], message: RegExp]>([
    ['runs after it was complete', [proposes, confirmed, runs], /^event 4: .*ended/],
    ['runs after it was given up', [aborted, runs], /^event 3: .*ended/],
    ['ends twice', [ended, aborted], /^event 3: .*ended/],
    ['is said something after its end', [ended, says], /^event 3: .*ended/],
    ['has work after its end', [aborted, works], /^event 3: .*ended/],
    ['has a state after its end', [aborted, ['state_changed', { op: 'merge', patch: {} }]], /^event 3: .*ended/],
    ['goes on behind its commit', [ended, commits(), says], /^event 4: .*ended/],
    ['is complete though nobody proposed it', [confirmed], /^event 2: .*running.*complete/],
    ['is asked while it is asked', [asks, asks], /^event 3: .*awaiting_user/],
    ['runs while it runs', [runs], /^event 2: .*running/],
    ['is stopped while it is asked', [asks, stopped], /^event 3: .*awaiting_user.*interrupted/],
    ['is committed while it lives', [says, commits()], /^event 3: .*has not ended/],
    ['is committed twice', [ended, commits(), commits(undefined, 2)], /^event 4: .*has one/],
    ['is committed with a range that goes back', [ended, commits({ from: 2, to: 1 })], /^event 3: .*range/],
    ['is committed with what is not there', [ended, commits({ from: 1, to: 3 })], /^event 3: .*range/],
    ['is summed up to what is not there', [says, sums({ from: 1, to: 900 })], /^event 3: .*range/],
    ['is a fork of what comes before, and of more', [says, forks(7)], /^event 3: .*from\.sequence.* 2/],
  ])('%s: it is refused', async (_what, steps, message) => {
    const { created, refused } = await tl.import([blockOf(steps)])
    expect([created, refused[0]?.code]).toEqual([0, 'VALIDATION'])
    expect(refused[0]?.message).toMatch(message)
  })

  it('is refused where it goes on, too', async () => {
    const { sessionId, events } = blockOf([ended, says])
    await tl.import([{ sessionId, events: events.slice(0, 2), done: true }])
    expect((await tl.import([{ sessionId, events, done: true }])).refused[0]?.message).toMatch(/^event 3: .*ended/)
  })
})

describe('a life that a store may have written', () => {
  it.each<[what: string, steps: Step[]]>([
    ['goes through all states', [asks, runs, stopped, runs, proposes, runs, proposes, confirmed, commits()]],
    ['is ended while it is asked, and committed later', [asks, ended, commits({ from: 1, to: 3 })]],
    ['is given up while it is stopped', [stopped, aborted]],
    ['is a fork of one that ended', [ended, forks(2), says, forks(4), proposes, confirmed]],
    ['is a fork of one with a commit, and has its own', [aborted, commits(), forks(3), aborted, commits(undefined, 7)]],
    ['is a fork of one that waits', [asks, forks(2), runs]],
    ['is summed up', [says, sums({ from: 1, to: 2 }), sums({ from: 1, to: 3 })]],
  ])('%s: it comes in', async (_what, steps) => {
    const report = await tl.import([blockOf(steps)])
    expect(report).toMatchObject({ created: 1, refused: [] })
    // the hashes are made up
    expect((await tl.verify()).differences.filter(({ field }) => field !== 'log.hash')).toEqual([])
  })

  it('comes in whatever the calls were, with expiry and sweeps', { timeout: 600_000 }, async () => {
    const clock = fixedClock()
    const there = await open({ url: 'memory:', index: false, clock })
    const rest = fc.constantFrom(0, 1, 40_000, 90_000_000, 700_000_000)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, rest), { maxLength: 25 }), fc.boolean(), async (steps, expires) => {
        const expiry = expires && { expiresInMs: 60_000 }
        let session = await there.sessions.create({ userId: 'ada', ...expiry })
        const ids = new Set([session.id])
        for (const [next, ms] of steps) {
          session = await applyStep(session, next)
          ids.add(session.id)
          clock.advance(ms)
          if (ms > 90_000_000) await there.sweep()
        }
        for (const sessionId of ids) {
          expect(await tl.import(there.export({ sessionId }))).toMatchObject({ created: 1, refused: [] })
        }
      }),
      { numRuns: amount(40, 1000) },
    )
    await there.close()
  })
})
