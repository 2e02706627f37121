import type { SessionStatus } from './record.ts'
import { DISPLACED, EXPIRED } from './resume.ts'

/** Why there is a commit: the task was completed, given up, left alone for too long, or another task took its place. */
export type CommitKind = 'normal' | 'abandoned' | 'stale' | 'interrupted'

/** What kind of commit a session that ended like this leaves. */
export function kindOfCommit(status: SessionStatus): CommitKind {
  if (status.state !== 'aborted') return 'normal'
  if (status.reason === EXPIRED) return 'stale'
  return status.reason === DISPLACED ? 'interrupted' : 'abandoned'
}
