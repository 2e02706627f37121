import type { SessionView } from '../domain/fold.ts'
import type { Principal } from '../domain/record.ts'
import type { StoredEdge, StoredEvent } from './session-store.ts'

/**
 * Sessions that come in as they are, from another store, a block of events at a time.
 *
 * - T1 `write` stores events under the sequences, ids and times that they have, with the views after them and their edges: all of it or
 *   nothing. What is there of the session must end right before them, at `after`; otherwise it throws `SequenceConflictError`.
 * - T2 Until a block is `done`, a session that comes in exists for no other call: not to look at (S16), not in lists, totals, indexes or sweeps, and it
 *   takes nobody's place in its scope. `find` alone gives how far it came.
 * - T3 With the block that is `done` the session is there, all at once, as if it had been written here: its live scope, its envelope, its commit at the
 *   position that it had. It throws `SessionActiveError` where another session is live in its scope, and `ImportConflictError` where another commit has
 *   its position in the conversation; then nothing is written. The intake need not be open for it.
 * - T4 Of a session that is there already each block adds its events and puts the views in place of the stored ones, whether it is `done` or not.
 *   T3 holds for what it becomes.
 * - T5 `begun` gives the ids of what has begun to come in and is not done, in ascending order. `discard` removes all that is stored of one such session, and
 *   gives the number of its events; 0 if there is none.
 * - T6 A `create` or `fork` under the id of a session that is coming in throws `IdempotencyMismatchError`, as one under the id of another session does.
 * - T7 An id that is there under another tenant or user than the block's views name throws `ImportConflictError`, be it done or coming in.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface ImportStore {
  /** What is there of a session, done or not; `undefined` if nothing is. */
  find(sessionId: string): Promise<FoundImport | undefined>
  write(block: ImportBlock): Promise<void>
  unfinished(query: UnfinishedQuery): Promise<string[]>
  discard(sessionId: string): Promise<number>
}

export interface FoundImport {
  readonly view: SessionView
  /** Id of the event at its head. */
  readonly lastEventId: string
  /** It is coming in and not there yet. */
  readonly isUnfinished: boolean
}

export interface ImportBlock {
  readonly sessionId: string
  /** Sequence of the event before the first of the block; 0 at the beginning. */
  readonly after: number
  /** At least one. */
  readonly events: readonly StoredEvent[]
  /** The views after the last of them. */
  readonly view: SessionView
  /** Edges of these events alone. */
  readonly edges: readonly StoredEdge[]
  readonly done: boolean
}

export interface UnfinishedQuery {
  readonly after?: string
  readonly limit: number
  readonly within?: Principal
}
