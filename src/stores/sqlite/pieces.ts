import type { Database } from 'better-sqlite3'
import { prepared } from './statement.ts'

/**
 * Milliseconds of long work in one transaction. Its commit takes about as long again, so other writers and the event
 * loop wait for about 10 ms, and longer only for a single large event.
 */
export const PIECE_MS = 5

const MAX_EVENTS = 16
const MAX_BYTES = 256 * 1024

const SELECT_BATCH = `
  select sequence, octet_length(content) + octet_length(coalesce(parts, '')) as bytes
  from session_events
  where session_id = ? and sequence > ?
  order by sequence
  limit ${MAX_EVENTS}`

/** Repeats a step until it returns false, or until the time is over. Returns whether the steps have ended. */
export function runPiece(step: () => boolean, ms: number): boolean {
  const end = performance.now() + ms
  for (;;) {
    if (!step()) return true
    if (performance.now() >= end) return false
  }
}

/** Splits the events of a session into batches that take about a millisecond. */
export function eventBatches(db: Database) {
  const selectBatch = prepared<[string, number], { sequence: number; bytes: number }>(db, SELECT_BATCH)

  return {
    /** The sequence at which the batch after `after` ends; `undefined`: there is no later event. */
    lastOfNext(sessionId: string, after: number): number | undefined {
      let last: number | undefined
      let total = 0
      for (const { sequence, bytes } of selectBatch.all(sessionId, after)) {
        total += bytes
        if (last !== undefined && total > MAX_BYTES) break
        last = sequence
      }
      return last
    },
  }
}

export type EventBatches = ReturnType<typeof eventBatches>
