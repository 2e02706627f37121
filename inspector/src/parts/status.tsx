import type { SessionRecord, SessionState, SessionStatus } from '../api/types.ts'
import { endTime } from '../domain.ts'
import { now } from './time.tsx'

/** The name of each state on the page. */
export const STATE_NAMES = {
  running: 'running',
  awaiting_user: 'awaiting user',
  interrupted: 'interrupted',
  pending_complete: 'pending complete',
  complete: 'complete',
  aborted: 'aborted',
} as const satisfies Record<SessionState, string>

export function StateBadge({ state, expired = false }: { state: SessionState; expired?: boolean }) {
  return (
    <span class="badge" data-state={expired ? 'expired' : state}>
      {expired ? 'expired' : STATE_NAMES[state]}
    </span>
  )
}

/** The state of a session. An expired one counts as ended, whatever its state. */
export function StatusBadge({ record }: { record: SessionRecord }) {
  return <StateBadge state={record.status.state} expired={isExpired(record)} />
}

/** Whether the session takes no more events: it ended or expired. */
export function isOver(record: SessionRecord): boolean {
  return endTime(record, new Date(now.value).toISOString()) !== undefined
}

export function isExpired(record: SessionRecord): boolean {
  return record.endedAt === undefined && isOver(record)
}

/** The words that came with a status: the question, the interruption, the proposal or the reason; else nothing. */
export function statusText(status: SessionStatus): string {
  const { question, userMessage, summary, reason } = status as Partial<Record<string, unknown>>
  const text = question ?? userMessage ?? summary ?? reason
  return typeof text === 'string' ? text : ''
}
