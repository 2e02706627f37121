import { endTime, type SessionRecord } from '../../domain/record.ts'
import type { Deps } from '../kernel/deps.ts'

/** Whether a session has expired or gone stale and is still open at that moment. */
export function isDue({ policy }: Deps, record: SessionRecord, at: string): boolean {
  if (record.endedAt !== undefined) return false
  return endTime(record, at) !== undefined || Date.parse(at) - Date.parse(record.lastActivityAt) > policy.staleTimeoutMs
}
