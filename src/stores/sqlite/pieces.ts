import type { Database } from 'better-sqlite3'
import { prepared } from './statement.ts'

/**
 * Milliseconds of long work in one transaction. Its commit takes about as long again, so other writers and the event
 * loop wait for about 10 ms, and longer only for a single large event.
 */
export const PIECE_MS = 5

const MAX_EVENTS = 64
const MAX_BYTES = 256 * 1024

const SELECT_BATCH = `
  select e.sequence, e.type, octet_length(coalesce(e.parts, '')) + coalesce(
      octet_length(e.content), octet_length(t.content) + octet_length(coalesce(t.parts, '')), 0) as bytes
  from session_events e
  left join session_texts t on e.content is null and t.session_id = e.session_id and t.sequence = e.sequence
  where e.session_id = ? and e.sequence > ?
  order by e.sequence
  limit ${MAX_EVENTS}`

/** Rows of a table to remove at a time. */
const MAX_ROWS = 100

/** The statement that removes some of the rows with this condition. `key` identifies them among each other. */
export function removeSomeSql(table: string, key: string, condition: string): string {
  return `
    delete from ${table}
    where ${condition} and (${key}) in (select ${key} from ${table} where ${condition} limit ${MAX_ROWS})`
}

/** Repeats a step until it returns false, or until the time is over. Returns whether the steps have ended. */
export function runPiece(step: () => boolean, ms: number): boolean {
  const end = performance.now() + ms
  for (;;) {
    if (!step()) return true
    if (performance.now() >= end) return false
  }
}

/** An event of a batch. */
interface BatchRow {
  sequence: number
  type: string
  bytes: number
}

/** Splits the events of a session into batches, of one event if it is large. */
export function eventBatches(db: Database) {
  const selectBatch = prepared<[string, number], BatchRow>(db, SELECT_BATCH)

  return {
    /** The events of the batch after `after`; none: there is no later event. */
    next(sessionId: string, after: number): BatchRow[] {
      let total = 0
      return selectBatch.all(sessionId, after).filter(({ bytes }, i) => {
        total += bytes
        return i === 0 || total <= MAX_BYTES
      })
    },
  }
}

export type EventBatches = ReturnType<typeof eventBatches>
