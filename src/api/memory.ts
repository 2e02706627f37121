import type { Page, WriteOptions } from '../api.ts'
import type { Role } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import type { Memory, MemoryCategory, MemoryChange, MemorySource } from '../domain/memory/memory.ts'
import type { SourceType } from '../domain/memory/source-type.ts'
import type { RecallKind } from '../domain/recall/recall-kind.ts'

/**
 * What is remembered of users beyond their sessions, with where it comes from and how far it is believed.
 *
 * The calls that write take an idempotency key, which is valid among the memories of one user, for whatever call. Sent again it gives the
 * first outcome with the memories as they are by then: those that are gone since are left out, and if none is left it throws
 * `MEMORY_NOT_FOUND`. With other input the key is refused with `IDEMPOTENCY_MISMATCH`. It is known for 7 days, until the sweep after them.
 */
export interface Memories {
  /**
   * Keeps something. What says the same as a memory there is merges with it, as a corroboration; with an `id` of the caller's own it
   * never merges, and can be repeated safely. Of several all are kept, or none, and one key is for all of them.
   */
  remember(memory: RememberInput, options?: WriteOptions): Promise<Remembered>
  remember(memories: readonly RememberInput[], options?: WriteOptions): Promise<Remembered[]>
  /** Memories that fit the words of the query, best first. Expired and superseded ones never come back. */
  search(query: SearchMemories): Promise<{ items: FoundMemory[] }>
  /** Throws `MEMORY_NOT_FOUND` if there is no such memory. */
  get(id: string): Promise<Memory>
  /** Every memory of a user, in order of id, expired and superseded ones too. */
  list(query: ListMemories): Promise<Page<Memory>>
  /** Something speaks for it: takes away a quarter of the doubt. The same events, or the same source, count once. */
  corroborate(id: string, evidence?: Evidence, options?: WriteOptions): Promise<Memory>
  /** Something speaks against it: takes away half of the belief. With `content` or `supersededBy` another memory takes its place. */
  contradict(id: string, evidence?: Contradiction, options?: WriteOptions): Promise<Memory>
  /** What happened to a memory, oldest first. */
  history(id: string): Promise<MemoryChange[]>
  /**
   * Removes a memory for good, or all that comes from a source. A memory that comes from elsewhere and was only supported by the source
   * stays, without that support. A call that broke off goes on when it is made again, and counts what it did itself.
   */
  forget(id: string, options?: WriteOptions): Promise<Forgotten>
  forget(source: ForgetSource, options?: WriteOptions): Promise<Forgotten>
  /** Gathers memories from a session's events that it has not gathered from yet. Repeat it after a failure: each counts once. */
  extract(sessionId: string): Promise<Extraction>
}

/** What to keep. */
export interface RememberInput {
  userId: string
  content: string
  /** @default 'facts' */
  category?: MemoryCategory
  /** @default 'explicit' */
  sourceType?: SourceType
  /** 0 to 1, kept to hundredths. @default 0.8 */
  confidence?: number
  /** Where it holds: a project, a chatmode … @default everywhere */
  scope?: string
  /** Where it comes from: events of a session of the same user, or a source outside. */
  source?: MemorySource
  /** From this moment on (ISO 8601) it does not come back. */
  expiresAt?: string
  /** The same in milliseconds from now. */
  expiresInMs?: number
  metadata?: JsonObject
  /** A UUID of the caller's own. */
  id?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** A memory, and how it came to be there. */
export interface Remembered extends Memory {
  /** `merged` with one that says the same, or `unchanged` because it was there under this id. */
  outcome: 'created' | 'merged' | 'unchanged'
}

/** What to look for among memories; filters add up. */
export interface SearchMemories {
  userId: string
  query: string
  category?: MemoryCategory | readonly MemoryCategory[]
  /** Only those that hold there: of this scope, or of none. */
  scope?: string
  /** 0 to 1. */
  minConfidence?: number
  /** Only what came about in these ways, such as all but `tool_output`. */
  sourceTypes?: readonly SourceType[]
  /** 1 to 500. @default 100 */
  limit?: number
  /** False only looks: what is found does not count as used. @default true */
  record?: boolean
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** A memory that was found. */
export interface FoundMemory extends Memory {
  /** Greater is better; see the guide for what it is made of. */
  score: number
}

/** Whose memories to list. */
export interface ListMemories {
  userId: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the page before. */
  cursor?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** What speaks for a memory, or against it. */
export interface Evidence extends MemorySource {
  /** How it came about; what a tool says is `tool_output`. @default as the memory did; of what holds instead: 'explicit' */
  sourceType?: SourceType
  note?: string
}

/** What speaks against a memory, and what holds instead. */
export interface Contradiction extends Evidence {
  /** Id of a memory of the same user that takes its place. */
  supersededBy?: string
  /** What holds instead: becomes a memory of the same kind that takes its place. */
  content?: string
}

/** A source whose memories are to go. One of `sessionId` and `source`. */
export interface ForgetSource {
  userId: string
  sessionId?: string
  source?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** What was forgotten. */
export interface Forgotten {
  /** Memories that are gone. */
  forgotten: number
  /** Memories that lost an entry of their lineage, and stay. */
  kept: number
}

/** What was gathered from a session. */
export interface Extraction {
  sessionId: string
  /** Events that were read, by sequence; `to` is below `from` if there were none. */
  from: number
  to: number
  /** How many memories are new, and how many were known. */
  created: number
  merged: number
  memories: Remembered[]
}

/** What to look for in all that a user's past holds. */
export interface RecallQuery {
  userId: string
  query: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** Budget for the contents together, by the tokenizer given to `open()`. */
  maxTokens?: number
  /** @default all of them */
  kinds?: readonly RecallKind[]
  /** Only what was said, or remembered, at or after this time (ISO 8601). */
  since?: string
  /** Only what was said, or remembered, before this time (ISO 8601). */
  until?: string
  /** Of memories: only what came about in these ways. */
  sourceTypes?: readonly SourceType[]
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Something that was found, with its place in the log. */
export interface RecallItem {
  kind: RecallKind
  /** Of the event, the commit or the memory. */
  id: string
  sessionId?: string
  sequence?: number
  content: string
  /** Greater is better, across kinds. */
  score: number
  /** When it was said or kept. */
  at: string
  role?: Role
  agentId?: string
  /** How a memory came about. */
  sourceType?: SourceType
}

/** What was found, best first. */
export interface RecallResult {
  items: RecallItem[]
  /** What the contents cost together. */
  tokens: number
  /** Sessions whose latest events were not looked at yet, because there were too many at once. Absent: none. */
  pending?: number
}

/** What to bring up to date. */
export interface IndexOptions {
  /** Only the sessions of this user. */
  userId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
  /** Called as the work goes on. */
  onProgress?: (progress: IndexReport) => void
}

/** What was brought up to date. */
export interface IndexReport {
  sessions: number
  /** Messages that came into the index. */
  messages: number
}
