import { describe, expect, it } from 'vitest'
import { DEFAULT_POLICY } from './policy.ts'
import type { SessionRecord, SessionStatus } from './record.ts'
import { planByState, type ResumePlan, resumePlan, resumeText } from './resume.ts'

const HOUR = 3_600_000
const hours = (n: number, ms = 0) => new Date(Date.UTC(2026, 0, 31, 9, 30) + n * HOUR + ms).toISOString()

function record(status: SessionStatus, more: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: 's1',
    tenant: 'local',
    userId: 'ada',
    chatmode: 'default',
    conversationId: 'c1',
    task: 'Add retries',
    status,
    activeAgent: 'coach',
    head: 3,
    turns: 1,
    startedAt: hours(-1),
    lastActivityAt: hours(0),
    metadata: {},
    ...more,
  }
}

const ASKED: SessionStatus = { state: 'awaiting_user', question: 'A) or B)?', askedAt: hours(0) }
const plan = (status: SessionStatus, now: string, more?: Partial<SessionRecord>) =>
  resumePlan(record(status, more), now, DEFAULT_POLICY)

describe('coming back to a session', () => {
  it.each<[SessionStatus, ResumePlan]>([
    [ASKED, { plan: 'ask_again', question: 'A) or B)?', askedAt: hours(0) }],
    [
      { state: 'pending_complete', summary: 'all in' },
      { plan: 'present_summary', summary: 'all in' },
    ],
    [
      { state: 'interrupted', userMessage: 'five' },
      { plan: 'repeat_interruption', userMessage: 'five' },
    ],
    [{ state: 'running' }, { plan: 'show_progress' }],
  ])('within the idle timeout goes on where it stands: %j', (status, expected) => {
    expect(plan(status, hours(23))).toStrictEqual(expected)
    expect(plan(status, hours(24))).toStrictEqual(expected)
    expect(planByState(status)).toStrictEqual(expected)
  })

  it('beyond the idle timeout offers to go on, whatever the state', () => {
    for (const now of [hours(24, 1), hours(25), hours(24 * 7)]) {
      expect(plan(ASKED, now)).toStrictEqual({ plan: 'offer', task: 'Add retries', startedAt: hours(-1) })
    }
    const { task: _task, ...nameless } = record(ASKED)
    expect(resumePlan(nameless, hours(25), DEFAULT_POLICY)).toStrictEqual({ plan: 'offer', startedAt: hours(-1) })
  })

  it('beyond the stale timeout finds it expired', () => {
    expect(plan(ASKED, hours(24 * 7, 1))).toEqual({ plan: 'expired' })
    expect(plan(ASKED, hours(24 * 8))).toEqual({ plan: 'expired' })
  })

  it('from the moment it expires on finds it expired, however short it rested', () => {
    expect(plan(ASKED, hours(1), { expiresAt: hours(1) })).toEqual({ plan: 'expired' })
    expect(plan(ASKED, hours(1), { expiresAt: hours(1, 1) })).toMatchObject({ plan: 'ask_again' })
  })

  it('finds nothing to go on with in one that has ended', () => {
    for (const status of [{ state: 'complete' }, { state: 'aborted', reason: 'no time' }] as const) {
      expect(plan(status, hours(24 * 8), { endedAt: hours(0) })).toEqual({ plan: 'new_task' })
      expect(planByState(status)).toEqual({ plan: 'new_task' })
    }
  })

  it('goes by the policy it is given', () => {
    const policy = { idleTimeoutMs: 10, staleTimeoutMs: 20 }
    const after = (ms: number) => resumePlan(record({ state: 'running' }), hours(0, ms), policy).plan
    expect([10, 11, 20, 21].map(after)).toEqual(['show_progress', 'offer', 'offer', 'expired'])
  })
})

describe('what is said', () => {
  it.each<[ResumePlan, string]>([
    [
      { plan: 'offer', task: 'Add retries', startedAt: hours(-1) },
      'You have unfinished work from 2026-01-31 08:30 UTC:\n\nAdd retries\n\n' +
        'Do you want to continue, or start something new?',
    ],
    [
      { plan: 'offer', startedAt: hours(-1) },
      'You have unfinished work from 2026-01-31 08:30 UTC.\n\n' + 'Do you want to continue, or start something new?',
    ],
    [
      { plan: 'ask_again', question: 'A) or B)?', askedAt: hours(0) },
      'Before we continue, I still need your answer:\n\nA) or B)?',
    ],
    [
      { plan: 'present_summary', summary: 'all in' },
      'I think the work is done:\n\nall in\n\nIs that right, or is something missing?',
    ],
    [
      { plan: 'repeat_interruption', userMessage: 'five' },
      'You sent this while I was working, and I have not acted on it yet:\n\nfive',
    ],
    [{ plan: 'show_progress' }, 'I was still working on this. Progress so far:\n\nTask: x\n\nShall I continue?'],
    [{ plan: 'new_task' }, 'What would you like to do next?'],
    [
      { plan: 'expired' },
      'Your last session was inactive for too long, so I closed it and saved its work. What would you like to do next?',
    ],
  ])('for %j', (given, text) => {
    expect(resumeText(given, 'Task: x')).toBe(text)
  })

  it('leaves no gap where there is no progress to show', () => {
    expect(resumeText({ plan: 'show_progress' })).toBe(
      'I was still working on this. Progress so far:\n\nShall I continue?',
    )
  })
})
