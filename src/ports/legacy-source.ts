import type { LegacySession } from '../domain/legacy.ts'

/**
 * Reads the sessions of an older system from its event table, one after the other.
 *
 * - L1 `sessions` yields each session once, in ascending byte order of its id, after `after`, whatever the number and
 *   order of rows.
 * - L2 A session's events are folded by time, ties by id, holding one at a time.
 * - L3 It only reads, from one snapshot: concurrent writes are not seen.
 */
export interface LegacySource {
  /** Counts the sessions after `after`. */
  count(after?: string): Promise<number>
  sessions(after?: string): AsyncIterable<LegacySession>
  close(): Promise<void>
}
