import type { SessionStatus } from './record.ts'

/** Why a commit exists: the task was completed or abandoned, went stale, or a new task interrupted it. */
export type CommitKind = 'normal' | 'abandoned' | 'stale' | 'interrupted'

/** The kind of commit that a session with this final status leaves. */
export function commitKind(status: SessionStatus): CommitKind {
  if (status.state !== 'aborted') return 'normal'
  if (status.cause === 'expired') return 'stale'
  return status.cause === 'displaced' ? 'interrupted' : 'abandoned'
}
