import type { TextAnalysis } from '../domain/recall/analyze.ts'
import type { MessageFacts, Place } from '../domain/recall/rank.ts'
import type { StoredEvent } from './session-store.ts'

/**
 * The words of what users said and of what is remembered of them, by term. Only looks up: one pure function ranks. It is built
 * from the log, behind the writers' backs, and says how far it has come.
 *
 * - I1 `add` puts messages of one session behind those it holds and moves the session's mark, in one step, if the mark is
 *   still `from`. Else, or if the session does not exist or its log does not reach `to`, it gives false and writes nothing.
 * - I2 `marks` gives how far the readers of the user's logs have come, for sessions of which something is left to read: the log
 *   reaches further than `indexed`, or the index is of an older version; newest activity first. With `newest` it looks at
 *   no more than the newest so many.
 * - I3 `behind` gives ids of sessions of any user of which something is left, in ascending order from behind `after`; also those
 *   that have ended with events behind `extracted`.
 * - I4 `lookup` counts what is on a shelf of a user: messages, their terms, long ones, by whom, and how many messages hold
 *   each of the terms asked for. What was removed is not counted.
 * - I5 `postings` gives the blocks of each term, in order of session and block; of more than `limit` the last.
 * - I6 `facts` gives the messages at the places asked for, the last `perSession` of the sessions, and the last `limit` of the span
 *   of time, ties by session and turn; each once, in order of session and turn.
 * - I7 `events` gives the events at the places asked for, in their order; what does not exist any more is left out.
 * - I8 `drop` removes a session from the index and puts `indexed` back to 0. A purge does it too, in the same step.
 * - I9 Everything is of one user of one tenant, and nothing of another is seen.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface RecallIndex {
  add(request: AddRequest): Promise<boolean>
  mark(sessionId: string): Promise<IndexMark | undefined>
  marks(user: UserKey, version: number, newest?: number): Promise<IndexMark[]>
  behind(query: BehindQuery): Promise<string[]>
  lookup(shelf: IndexPartition, terms: readonly string[]): Promise<Lookup>
  postings(shelf: IndexPartition, terms: readonly string[], limit: number): Promise<PostingBlock[]>
  facts(user: UserKey, query: FactsQuery): Promise<IndexedFacts[]>
  events(user: UserKey, places: readonly EventPlace[]): Promise<PlacedEvent[]>
  drop(sessionId: string): Promise<void>
}

export interface UserKey {
  readonly tenant: string
  readonly userId: string
}

/** What a user said in all sessions, or what is remembered. */
export interface IndexPartition extends UserKey {
  readonly corpus: 'said' | 'memory'
}

/** How far the readers of a session's log have come. */
export interface IndexMark extends UserKey {
  readonly sessionId: string
  readonly head: number
  /** Last event that is in the index; 0 for none. */
  readonly indexed: number
  /** Greatest turn in the index; 0 for none. */
  readonly turns: number
  /** Version of its entries. */
  readonly version: number
  /** Last event that memories were extracted from. */
  readonly extracted: number
  /** Events up to this one are copies of another session's, whose own index has them. */
  readonly copied: number
}

export interface AddRequest {
  readonly sessionId: string
  /** `indexed` as it was read. */
  readonly from: number
  /** `indexed` as it is then. */
  readonly to: number
  readonly version: number
  /** In order of turn, which only rises. */
  readonly messages: readonly NewMessage[]
}

/** A message on its way into the index. */
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
}

export interface Lookup {
  readonly messages: number
  readonly terms: number
  readonly longMessages: number
  /** At most 500 of them, those with most messages first, ties by name. */
  readonly speakers: readonly string[]
  /** Terms that no message holds may be left out. */
  readonly frequencies: ReadonlyMap<string, number>
}

/** The messages of one session that hold a term, within one block of turns. See `domain/recall/postings.ts`. */
export interface PostingBlock {
  readonly term: string
  /** Of a memory: its id. */
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

export interface PlacedEvent {
  readonly session: string
  readonly event: StoredEvent
}
