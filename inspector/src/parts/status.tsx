import type { SessionRecord, SessionState } from '../api/types.ts'
import { now } from './time.tsx'

/** What each state is called for people. */
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

/** Where a session stands; one that has expired acts as ended, whatever its state says. */
export function StatusBadge({ record }: { record: SessionRecord }) {
  return <StateBadge state={record.status.state} expired={isExpired(record)} />
}

export function isExpired({ endedAt, expiresAt }: SessionRecord): boolean {
  return endedAt === undefined && expiresAt !== undefined && Date.parse(expiresAt) <= now.value
}
