import type { Memory, MemoryChange } from '../domain/memory/memory.ts'
import type { TextAnalysis } from '../domain/recall/analyze.ts'
import type { Principal } from '../domain/record.ts'
import type { UserKey } from './recall-index.ts'
import type { IdempotencyStamp, PurgeCounts } from './session-store.ts'

/**
 * What is remembered of users, beside the log and never in its way.
 *
 * - M1 `change` hands the decider the memories it names, as they are, and stores what it returns in one step: rows, history, words
 *   and the mark, or nothing. No other change of the same user comes in between. A decider that throws leaves nothing behind.
 * - M2 A change writes only if the sessions it names are there and the user's and, with a `mark`, if the events of that session up to `from` are
 *   extracted, no more and no less, and its log reaches `to`; else it gives `stale` and the decider is not called. With `purge` that
 *   session goes in the same step, so that no memory ever names a session that is gone.
 * - M3 `version` of a history is 1, 2, 3 … for each memory, in the order of the changes.
 * - M4 What a memory holds comes back the same: content, numbers, lineage, metadata with its keys in order.
 * - M5 `list` gives a user's memories in ascending order of id, from behind `after`, also those that expired or were superseded.
 * - M6 `fromSource` finds every memory whose lineage names the source.
 * - M7 A memory that is removed, or whose words are taken out, is not in `index.lookup` or `index.postings` of the shelf `memory`
 *   any more; one that is put with words is. A removed one leaves no history.
 * - M8 `used` raises the counts of memories that are there, and nothing else.
 * - M9 `purge` removes everything of a user: memories, history, words of both shelves, keys, and counts memories and keys.
 * - M10 `unread` gives memories that have no words in the index, or those of an older version, such as those of a table that was there before;
 *   not those that were superseded.
 * - M11 With `within`, what belongs to another tenant or user does not exist.
 * - M12 A key belongs to the user whose memories it changed, whoever the caller was. It is stored in the step of the change, if the decider
 *   gives an `answer`. The same key and fingerprint again gives that answer (`replayed`), checked before M2 and without the decider; another
 *   fingerprint throws `IdempotencyMismatchError`. `answered` gives the answer to those who do not know the user: the memory may be gone.
 * - M13 `forgetKeys` removes keys of anyone within whose change was made before that moment, the oldest first and at most `limit`, and counts
 *   them. Nothing else goes, and what comes with such a key is a change like any other.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface MemoryStore {
  change(request: ChangeRequest): Promise<ChangeResult>
  /** Those that are there, in any order. */
  get(ids: readonly string[], within: Principal | undefined): Promise<Memory[]>
  list(query: MemoriesQuery): Promise<Memory[]>
  history(id: string, within: Principal | undefined): Promise<MemoryChange[]>
  /** At most `limit`, in ascending order of id from behind `after`. */
  fromSource(query: SourceQuery): Promise<Memory[]>
  markUsed(user: UserKey, ids: readonly string[], at: string): Promise<void>
  /** Those that expired by then, of anyone within; at most `limit`. */
  expired(at: string, limit: number, within: Principal | undefined): Promise<Memory[]>
  unindexed(user: UserKey, version: number, limit: number): Promise<Memory[]>
  /** What the key was stored with, of anyone within, if it came with the same fingerprint. */
  findAnswer(stamp: IdempotencyStamp, within: Principal | undefined): Promise<string | undefined>
  /** Removes keys that came before then; gives how many. */
  forgetKeys(before: string, limit: number, within: Principal | undefined): Promise<number>
  purge(user: UserKey): Promise<{ memories: number; keys: number }>
}

export interface ChangeRequest extends UserKey {
  readonly at: string
  /** Memories the decider wants to see: by id … */
  readonly ids?: readonly string[]
  /** … or by what they say; only those that were not superseded. */
  readonly fingerprints?: readonly string[]
  /** … or by a source that their lineage names, see `sourceKey`. */
  readonly source?: string
  /** Sessions that what is decided will name. */
  readonly sessions?: readonly string[]
  readonly mark?: ExtractionMark
  /** A session to purge. */
  readonly purge?: string
  readonly idempotency?: IdempotencyStamp
  /** Pure: it may be called more than once. */
  decide(found: readonly Memory[]): MemoryWrites
}

/** How far memories were extracted from a session, before and after. */
export interface ExtractionMark {
  readonly sessionId: string
  readonly from: number
  readonly to: number
}

export interface MemoryWrites {
  /** At most one for each memory. */
  readonly puts: readonly MemoryPut[]
  readonly removals?: readonly string[]
  /**
   * Goes with the key: ids, outcomes and counts as JSON. It outlives the memories, so it never holds what they say. Absent: the key is not
   * stored, and the change must do no harm twice.
   */
  readonly response?: string
}

/** A memory that is new, or takes the place of the one with its id. */
export interface MemoryPut {
  readonly memory: Memory
  /** Equal for memories that say the same. Absent: as it was. */
  readonly fingerprint?: string
  /** For the index; `null` takes it out. Absent: as it was. */
  readonly words?: { readonly description: TextAnalysis; readonly version: number } | null
  /** For the history, in this order; absent: nothing to tell. Versions are given by the store. */
  readonly changes?: readonly Omit<MemoryChange, 'version'>[]
}

export interface ChangeResult {
  readonly outcome: 'written' | 'stale' | 'replayed'
  /** As they were written. */
  readonly memories: readonly Memory[]
  /** Of a change that was replayed. */
  readonly response?: string
  /** Of a change that purges. */
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
