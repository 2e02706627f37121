import type { TextAnalysis } from '../domain/recall/analyze.ts'
import type { MessageFacts, Place } from '../domain/recall/rank.ts'
import type { Principal } from '../domain/record.ts'
import type { HiddenRanges } from '../domain/rewind.ts'
import type { StoredEvent } from './session-store.ts'

/**
 * The search index over messages and memories, by term. It only looks up; one pure function ranks. A background job
 * builds it from the log and records its progress.
 *
 * - I1 `add` appends messages of one session and moves its mark in one step, if the mark is still `from`. Otherwise, or
 *   if the session does not exist or its log does not reach `to`, it returns false and writes nothing.
 * - I2 `marks` returns the marks of a user's sessions that need indexing: the log is ahead of `indexed`, or the index
 *   has an older version; newest activity first. `newest` limits it to that many of the newest sessions.
 * - I3 `behind` returns ids of sessions that need indexing, and of ended sessions with events after `extracted`, in
 *   ascending order after `after`: of any user, or only `within`.
 * - I4 `lookup` counts a user's corpus: messages, terms, long messages, speakers, and the messages that contain each
 *   requested term. Removed messages do not count.
 * - I5 `postings` returns the blocks of each term in order of session and block; beyond `limit`, the last ones.
 * - I6 `facts` returns the messages at the given places, the last `perSession` of the sessions, and the last `limit` of
 *   the time span, ties by session and turn; each once, in order of session and turn.
 * - I7 `events` returns the events at the given places, in their order, without those that no longer exist. It ends
 *   with the event that takes it to `LIMITS.pageSize` characters.
 * - I8 `drop` removes a session from the index and resets `indexed` to 0. A purge does the same in its own step.
 * - I9 Every call but `behind` sees only one user of one tenant.
 * - I10 `hidden` returns the hidden ranges (S45) of those given sessions that have some, in any order.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface RecallIndex {
  add(request: AddRequest): Promise<boolean>
  mark(sessionId: string): Promise<IndexMark | undefined>
  marks(user: UserKey, version: number, newest?: number): Promise<IndexMark[]>
  behind(query: BehindQuery): Promise<string[]>
  lookup(partition: IndexPartition, terms: readonly string[]): Promise<Lookup>
  postings(partition: IndexPartition, terms: readonly string[], limit: number): Promise<PostingBlock[]>
  facts(user: UserKey, query: FactsQuery): Promise<IndexedFacts[]>
  events(user: UserKey, places: readonly EventPlace[]): Promise<PlacedEvent[]>
  hidden(user: UserKey, sessions: readonly string[]): Promise<RewoundSession[]>
  drop(sessionId: string): Promise<void>
}

export interface UserKey {
  readonly tenant: string
  readonly userId: string
}

/** A user's messages of all sessions, or memories. */
export interface IndexPartition extends UserKey {
  readonly corpus: 'messages' | 'memories'
}

/** Indexing and extraction progress of a session. */
export interface IndexMark extends UserKey {
  readonly sessionId: string
  readonly head: number
  /** Last indexed event; 0 for none. */
  readonly indexed: number
  /** Highest indexed turn; 0 for none. */
  readonly turns: number
  /** Version of its entries. */
  readonly version: number
  /** Last event whose memories were extracted. */
  readonly extracted: number
  /** Events up to this one are copies that the source session has already indexed. */
  readonly copied: number
}

export interface AddRequest {
  readonly sessionId: string
  /** `indexed` before the call. */
  readonly from: number
  /** `indexed` after the call. */
  readonly to: number
  readonly version: number
  /** In ascending order of turn. */
  readonly messages: readonly NewMessage[]
}

/** A message to index. */
export interface NewMessage {
  readonly turn: number
  readonly sequence: number
  readonly kind: 'event' | 'commit'
  readonly speaker: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly words: TextAnalysis
}

export interface IndexedFacts extends MessageFacts {
  readonly kind: 'event' | 'commit'
}

export interface BehindQuery {
  readonly version: number
  readonly after?: string
  readonly limit: number
  readonly within?: Principal
}

export interface Lookup {
  readonly messages: number
  readonly terms: number
  readonly longMessages: number
  /** At most 500, those with most messages first, ties by name. */
  readonly speakers: readonly string[]
  /** Terms without a message may be absent. */
  readonly frequencies: ReadonlyMap<string, number>
}

/** A session's messages that contain a term, in one block of turns. See `domain/recall/postings.ts`. */
export interface PostingBlock {
  readonly term: string
  /** For a memory, its id. */
  readonly session: string
  readonly block: number
  readonly data: Uint8Array
}

export interface FactsQuery {
  readonly places: readonly Place[]
  readonly sessions: readonly string[]
  readonly perSession: number
  /** From (inclusive) to (exclusive), in milliseconds since 1970. */
  readonly span?: { readonly from: number; readonly to: number; readonly limit: number }
}

export interface EventPlace {
  readonly session: string
  readonly sequence: number
}

/** A session with hidden events. */
export interface RewoundSession {
  readonly session: string
  readonly hidden: HiddenRanges
}

export interface PlacedEvent {
  readonly session: string
  readonly event: StoredEvent
}
