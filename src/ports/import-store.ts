import type { SessionView } from '../domain/fold.ts'
import type { Principal } from '../domain/record.ts'
import type { UsageChange } from '../domain/usage.ts'
import type { ChecksummedEvent, SessionKey, StoredEdge } from './session-store.ts'

/**
 * Imports sessions of another store unchanged, one block of events at a time.
 *
 * - T1 `write` stores events with their sequences, ids, times and checksums, the views after them, and their edges and
 *   usage: all or nothing. It throws `SequenceConflictError` unless the stored part of the session ends at `after`.
 * - T2 Until its `done` block, an imported session is invisible to every other call: reads (S16), lists, totals,
 *   indexes and sweeps; and it does not occupy its scope. Only `find` shows its progress.
 * - T3 The `done` block makes the session visible at once, as if it had been written here: its live scope, its
 *   envelope, its commit at the original position. It throws `SessionActiveError` if another session is live in its
 *   scope and `ImportConflictError` if another commit has its position; then nothing is written. A paused intake does
 *   not matter.
 * - T4 For a session that is already visible, each block adds its events and replaces the stored views, `done` or not.
 *   T3 applies to the result.
 * - T5 `unfinished` returns the ids of unfinished imports, and of the sessions that a purge or a fork has hidden (S22),
 *   in ascending order. `discard` removes everything stored of one and returns the number of its events; 0 if there is
 *   none.
 * - T6 A `create` or `fork` with the id of an unfinished import throws `IdempotencyMismatchError`, as with the id of
 *   any other session.
 * - T7 An id that belongs to another tenant or user than the block names throws `ImportConflictError`, finished or not.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface ImportStore {
  /** Returns the stored part of a session, finished or not; `undefined` if there is none. */
  find(sessionId: string): Promise<FoundImport | undefined>
  write(block: ImportBlock): Promise<void>
  unfinished(query: UnfinishedQuery): Promise<string[]>
  discard(key: SessionKey): Promise<number>
}

export interface FoundImport {
  readonly view: SessionView
  /** Id of the event at its head. */
  readonly lastEventId: string
  /** The import has not reached its `done` block. */
  readonly isUnfinished: boolean
}

export interface ImportBlock {
  readonly sessionId: string
  /** Sequence before the block's first event; 0 at the start. */
  readonly after: number
  /** At least one event. */
  readonly events: readonly ChecksummedEvent[]
  /** The views after the last event. */
  readonly view: SessionView
  /** Edges of these events only. */
  readonly edges: readonly StoredEdge[]
  /** The usage of these events; absent if there is none. */
  readonly usage?: UsageChange
  readonly done: boolean
}

export interface UnfinishedQuery {
  readonly after?: string
  readonly limit: number
  readonly within?: Principal
  /** Only hidden sessions whose process has ended. A repeated import continues, so imports are never abandoned. */
  readonly abandoned?: boolean
}
