import type { LegacySession } from '../domain/legacy.ts'

/**
 * Sessions of an older system: a table of events, told one session after the other.
 *
 * - L1 `sessions` gives each session once, in ascending order of its id as bytes, from behind `after`; whatever the number and order of the rows.
 * - L2 Events of a session are folded by time, ties by id. However many there are, one at a time is held.
 * - L3 It only reads, at one moment: what is written meanwhile is not seen.
 */
export interface LegacySource {
  /** How many sessions there are behind `after`. */
  count(after?: string): Promise<number>
  sessions(after?: string): AsyncIterable<LegacySession>
  close(): Promise<void>
}
