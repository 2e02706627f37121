import type { Memory, MemoryChange } from '../domain/memory/memory.ts'
import type { TextAnalysis } from '../domain/recall/analyze.ts'
import type { Principal } from '../domain/record.ts'
import type { UserKey } from './recall-index.ts'
import type { IdempotencyStamp, PurgeCounts } from './session-store.ts'

/**
 * Memories of users, stored beside the log.
 *
 * - M1 `change` passes the requested memories to the decider and stores its result in one step: rows, history, words
 *   and the mark, or nothing. No other change of the same user comes in between. A decider that throws writes nothing.
 * - M2 A change writes only if its sessions exist and belong to the user and, with a `mark`, if that session is
 *   extracted exactly up to `from` and its log reaches `to`; otherwise it returns `stale` without calling the decider.
 *   `purge` deletes sessions in the same step, so no memory names a deleted session. It is also `stale` if one of them
 *   has a child that is not among them.
 * - M3 The `version`s of a memory's history are 1, 2, 3 … in the order of its changes. `history` returns those after a
 *   version, `LIMITS.page` at most, and ends like every page with the change that takes it to `LIMITS.pageSize`.
 * - M4 A memory is returned as written: content, numbers, lineage, and metadata with its key order.
 * - M5 `list` returns a user's memories in ascending order of id, after `after`, including expired and superseded ones.
 *   Like every page of memories it also ends with the memory that takes it to `LIMITS.pageSize` characters as JSON.
 *   `get` returns such a page in the order of its ids.
 * - M6 `fromSource` finds every memory whose lineage names the source.
 * - M7 `index.lookup` and `index.postings` of the corpus `memory` return a memory written with words, and no longer one
 *   that was removed or lost its words. A removed memory leaves no history.
 * - M8 `markUsed` raises the use counts of existing memories and changes nothing else.
 * - M9 `purge` removes everything of a user: memories, history, words of both corpora, and keys. It counts memories and
 *   keys.
 * - M10 `unindexed` returns memories without words in the index or with words of an older version, for example rows of
 *   an adopted table; not superseded ones.
 * - M11 With `within`, data of other tenants and users does not exist.
 * - M12 A key belongs to the user whose memories it changed, regardless of the caller. It is stored with the change if
 *   the decider returns a `response`. A repeat with the same fingerprint returns that response (`replayed`), checked
 *   before M2 and without the decider; another fingerprint throws `IdempotencyMismatchError`. `findResponse` finds it
 *   without knowing the user, since the memory may be gone.
 * - M13 `forgetKeys` removes at most `limit` keys older than a time, oldest first, of anyone within, and counts them.
 *   Nothing else changes; a later call with such a key is a new change.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface MemoryStore {
  change(request: ChangeRequest): Promise<ChangeResult>
  /** Returns a page of the existing ones. No id occurs twice. */
  get(ids: readonly string[], within: Principal | undefined): Promise<Memory[]>
  list(query: MemoriesQuery): Promise<Memory[]>
  /** @param after a version @default 0 */
  history(id: string, within: Principal | undefined, after?: number): Promise<MemoryChange[]>
  /** Returns at most `limit`, in ascending order of id after `after`. */
  fromSource(query: SourceQuery): Promise<Memory[]>
  markUsed(user: UserKey, ids: readonly string[], at: string): Promise<void>
  /** Returns at most `limit` memories expired at that time, of anyone within. */
  expired(at: string, limit: number, within: Principal | undefined): Promise<Memory[]>
  unindexed(user: UserKey, version: number, limit: number): Promise<Memory[]>
  /** Returns the response stored with the key and fingerprint, of anyone within. */
  findResponse(stamp: IdempotencyStamp, within: Principal | undefined): Promise<string | undefined>
  /** Removes keys from before that time; returns how many. */
  forgetKeys(before: string, limit: number, within: Principal | undefined): Promise<number>
  purge(user: UserKey): Promise<{ memories: number; keys: number }>
}

export interface ChangeRequest extends UserKey {
  readonly at: string
  /** Memories for the decider: by id … */
  readonly ids?: readonly string[]
  /** … or by fingerprint, without superseded ones … */
  readonly fingerprints?: readonly string[]
  /** … or by a source in their lineage, see `sourceKey`. */
  readonly sources?: readonly string[]
  /** Sessions that the decision refers to. */
  readonly sessions?: readonly string[]
  readonly mark?: ExtractionMark
  /** Sessions to purge. */
  readonly purge?: readonly string[]
  readonly idempotency?: IdempotencyStamp
  /** Pure: it may be called more than once. */
  decide(found: readonly Memory[]): MemoryWrites
}

/** Extraction progress of a session, before and after. */
export interface ExtractionMark {
  readonly sessionId: string
  readonly from: number
  readonly to: number
}

export interface MemoryWrites {
  /** At most one per memory. */
  readonly puts: readonly MemoryPut[]
  readonly removals?: readonly string[]
  /**
   * Stored with the key: ids, outcomes and counts as JSON. It outlives the memories, so it never contains their
   * content. Without it the key is not stored, and the change must be safe to repeat.
   */
  readonly response?: string
}

/** A new memory, or the replacement of the one with its id. */
export interface MemoryPut {
  readonly memory: Memory
  /** Equal for memories that say the same. Absent: unchanged. */
  readonly fingerprint?: string
  /** For the index; `null` removes the memory from it. Absent: unchanged. */
  readonly words?: { readonly description: TextAnalysis; readonly version: number } | null
  /** For the history, in this order. The store assigns versions. */
  readonly changes?: readonly Omit<MemoryChange, 'version'>[]
}

export interface ChangeResult {
  readonly outcome: 'written' | 'stale' | 'replayed'
  /** The memories as written. */
  readonly memories: readonly Memory[]
  /** Set on a replay. */
  readonly response?: string
  /** Set on a purge. */
  readonly purged?: PurgeCounts
}

export interface MemoriesQuery extends UserKey {
  readonly after?: string
  readonly limit: number
}

export interface SourceQuery extends UserKey {
  /** See `sourceKey`. */
  readonly key: string
  readonly after?: string
  readonly limit: number
}
