import type { Page, WriteOptions } from '../api.ts'
import type { Role } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import type { Memory, MemoryCategory, MemoryChange, MemorySource } from '../domain/memory/memory.ts'
import type { SourceType } from '../domain/memory/source-type.ts'
import type { RecallKind } from '../domain/recall/recall-kind.ts'

/**
 * Memories of users beyond their sessions, each with its sources and a confidence.
 *
 * Writes take an idempotency key, valid for all memory calls of one user. A repeat returns the first outcome with the
 * memories as they are now: deleted ones are left out, and if none is left it throws `MEMORY_NOT_FOUND`. The same key
 * with other input throws `IDEMPOTENCY_MISMATCH`. Keys last 7 days, until the next sweep.
 */
export interface Memories {
  /**
   * Stores a memory. One that says the same as an existing memory merges with it as a corroboration. With a caller-made
   * `id` it never merges, and repeating the call is safe. A list is stored as a whole or not at all, under one key.
   */
  remember(memory: RememberInput, options?: WriteOptions): Promise<Remembered>
  remember(memories: readonly RememberInput[], options?: WriteOptions): Promise<Remembered[]>
  /** Finds memories by the words of the query, best first. Leaves out expired and superseded ones. */
  search(query: SearchMemories): Promise<{ items: FoundMemory[] }>
  /** Throws `MEMORY_NOT_FOUND` if there is no such memory. */
  get(id: string): Promise<Memory>
  /** Lists every memory of a user in order of id, including expired and superseded ones. */
  list(query: ListMemories): Promise<Page<Memory>>
  /** Adds support: removes a quarter of the doubt. The same events or the same source count once. */
  corroborate(id: string, evidence?: Evidence, options?: WriteOptions): Promise<Memory>
  /** Adds counter-evidence: halves the confidence. With `content` or `supersededBy` another memory replaces it. */
  contradict(id: string, evidence?: Contradiction, options?: WriteOptions): Promise<Memory>
  /** Lists the changes of a memory, oldest first. */
  history(id: string): Promise<MemoryChange[]>
  /**
   * Deletes a memory, or everything that comes from a source. A memory that the source only supported stays without
   * that support. After a failure call it again: it continues, and counts only its own deletions.
   */
  forget(id: string, options?: WriteOptions): Promise<Forgotten>
  forget(source: ForgetSource, options?: WriteOptions): Promise<Forgotten>
  /** Extracts memories from a session's new events. Safe to repeat after a failure: each event counts once. */
  extract(sessionId: string): Promise<Extraction>
}

/** A memory to store. */
export interface RememberInput {
  userId: string
  content: string
  /** @default 'facts' */
  category?: MemoryCategory
  /** @default 'explicit' */
  sourceType?: SourceType
  /** 0 to 1, rounded to hundredths. @default 0.8 */
  confidence?: number
  /** Where it applies: a project, a chatmode … @default everywhere */
  scope?: string
  /** Its source: events of a session of the same user, or an external source. */
  source?: MemorySource
  /** From this time on (ISO 8601) it is not returned. */
  expiresAt?: string
  /** The same in milliseconds from now. */
  expiresInMs?: number
  metadata?: JsonObject
  /** A caller-made UUID. */
  id?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** A stored memory and what `remember` did. */
export interface Remembered extends Memory {
  /** `merged` into a memory that says the same; `unchanged` because this id existed. */
  outcome: 'created' | 'merged' | 'unchanged'
}

/** Query and filters of a memory search; all filters apply. */
export interface SearchMemories {
  userId: string
  query: string
  category?: MemoryCategory | readonly MemoryCategory[]
  /** Only memories of this scope, or without one. */
  scope?: string
  /** 0 to 1. */
  minConfidence?: number
  /** Only memories of these source types; leave out `tool_output` to ignore what tools said. */
  sourceTypes?: readonly SourceType[]
  /** 1 to 500. @default 100 */
  limit?: number
  /** False does not count found memories as used. @default true */
  record?: boolean
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** A search hit. */
export interface FoundMemory extends Memory {
  /** Higher is better; the guide explains the formula. */
  score: number
}

/** Filters of a memory list. */
export interface ListMemories {
  userId: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the previous page. */
  cursor?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Evidence for or against a memory. */
export interface Evidence extends MemorySource {
  /** Use `tool_output` for what a tool said. @default the memory's own; 'explicit' for a replacement */
  sourceType?: SourceType
  note?: string
}

/** Evidence against a memory, and its replacement. */
export interface Contradiction extends Evidence {
  /** Id of the replacement, a memory of the same user. */
  supersededBy?: string
  /** Content of a replacement, stored as a new memory of the same category. */
  content?: string
}

/** A source to forget: set `sessionId` or `source`. */
export interface ForgetSource {
  userId: string
  sessionId?: string
  source?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Result of `forget`. */
export interface Forgotten {
  /** Memories deleted. */
  forgotten: number
  /** Memories that lost a lineage entry but stay. */
  kept: number
}

/** Result of `extract`. */
export interface Extraction {
  sessionId: string
  /** First and last event read; `to` is below `from` if there were none. */
  from: number
  to: number
  /** Memories that are new, and memories that were known. */
  created: number
  merged: number
  memories: Remembered[]
}

/** Query and filters of `recall`. */
export interface RecallQuery {
  userId: string
  query: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** Token budget for all contents, counted by the tokenizer given to `open()`. */
  maxTokens?: number
  /** @default all of them */
  kinds?: readonly RecallKind[]
  /** Only items from this time on (ISO 8601). */
  since?: string
  /** Only items before this time (ISO 8601). */
  until?: string
  /** Only memories of these source types. */
  sourceTypes?: readonly SourceType[]
  /** Also messages on branches that a rewind left. @default false */
  abandoned?: boolean
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** A found item and its place in the log. */
export interface RecallItem {
  kind: RecallKind
  /** Id of the event, commit or memory. */
  id: string
  sessionId?: string
  sequence?: number
  content: string
  /** Higher is better, across kinds. */
  score: number
  /** When it was said or stored. */
  at: string
  role?: Role
  agentId?: string
  /** Source type of a memory. */
  sourceType?: SourceType
}

/** Result of `recall`, best first. */
export interface RecallResult {
  items: RecallItem[]
  /** Tokens of all contents. */
  tokens: number
  /** Sessions whose latest events are not indexed yet. Absent if there are none. */
  pending?: number
}

/** Scope of `index`. */
export interface IndexOptions {
  /** Only the sessions of this user. */
  userId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
  /** Called with the progress. */
  onProgress?: (progress: IndexReport) => void
}

/** Result of `index`. */
export interface IndexReport {
  sessions: number
  /** Messages added to the index. */
  messages: number
}
