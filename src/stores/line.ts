import type { HiddenRanges } from '../domain/rewind.ts'
import type { ReadQuery } from '../ports/session-store.ts'

/** The ranges that a read leaves out of a session with these hidden ranges. */
export function leftOut({ line, turns }: ReadQuery, hidden: HiddenRanges = []): HiddenRanges {
  if (line !== true && line !== undefined) return line
  return line === true || turns !== undefined ? hidden : []
}
