import { describe, expect, it } from 'vitest'
import { formatProgress, formatUtc } from './progress.ts'
import type { SessionStatus } from './record.ts'
import { summarizeWork, type WorkSummary } from './work.ts'

const NOTHING = summarizeWork([])
const WORK: WorkSummary = {
  ...NOTHING,
  decisions: ['use jitter', 'five retries'],
  filesRead: ['README.md'],
  filesWritten: [{ path: 'src/a.ts', hash: 'h' }, { path: 'src/b.ts' }],
  commands: [{ command: 'npm test', exitCode: 0 }, { command: 'npm run lint', exitCode: 2 }, { command: 'ls' }],
  plans: ['read it', 'change it'],
  openQuestions: ['Which delay?'],
  turns: 1,
  toolCalls: 12,
}

const AT = '2026-01-31T09:30:00.000Z'

describe('the progress', () => {
  const record = { task: 'Add\nretries', startedAt: AT, status: { state: 'running' } } as const

  it('lists the work and the status', () => {
    const status: SessionStatus = { state: 'awaiting_user', question: 'Which\ndelay?', askedAt: AT }
    expect(formatProgress({ ...record, status }, WORK)).toBe(
      `Task: Add retries
Started: 2026-01-31 09:30 UTC, 1 turn, 12 tool calls so far
Plan:
  - change it
Decisions:
  - use jitter
  - five retries
Files written:
  - src/a.ts
  - src/b.ts
Files read:
  - README.md
Commands:
  - npm test passed
  - npm run lint failed with 2
  - ls
Waiting for an answer: Which delay?`,
    )
  })

  it('says that there is nothing yet', () => {
    expect(formatProgress({ startedAt: AT, status: { state: 'running' } }, NOTHING)).toBe(
      `Task: not stated
Started: 2026-01-31 09:30 UTC, 0 turns, 0 tool calls so far
No work recorded yet.
Status: working.`,
    )
  })

  it('shows the end of long lists, in short lines', () => {
    const decisions = [...Array.from({ length: 19 }, (_, i) => `d${i}`), 'z'.repeat(500)]
    const lines = formatProgress(record, { ...NOTHING, decisions, omitted: { decisions: 3 } }).split('\n')
    expect(lines.slice(2, 5)).toEqual(['Decisions (the last 8 of 23):', '  - d12', '  - d13'])
    expect(Math.max(...lines.map((line) => line.length))).toBe(100)
  })

  it.each<[SessionStatus, string]>([
    [{ state: 'interrupted', userMessage: 'five' }, 'Interrupted: five'],
    [{ state: 'pending_complete', summary: 'all in' }, 'Waiting for confirmation: all in'],
    [{ state: 'complete' }, 'Complete.'],
    [{ state: 'aborted', reason: 'no time' }, 'Ended early: no time'],
  ])('ends with where the session stands: %j', (status, line) => {
    expect(
      formatProgress({ ...record, status }, WORK)
        .split('\n')
        .at(-1),
    ).toBe(line)
  })

  it('formats times to the minute', () => {
    expect(formatUtc('2026-12-01T23:59:59.999Z')).toBe('2026-12-01 23:59 UTC')
  })
})
