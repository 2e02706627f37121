import type { Envelope } from '../domain/envelope.ts'
import type { SessionScratchpad } from '../domain/fold.ts'
import type { JsonObject } from '../domain/json.ts'
import type { LabelValue } from '../domain/label.ts'
import type { ParentLink, SessionRecord, SessionState } from '../domain/record.ts'

/** Values of a new session. */
export interface CreateSession {
  userId: string
  /** @default 'default' */
  chatmode?: string
  conversationId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
  workflow?: string
  skill?: string
  gitBranch?: string
  task?: string
  /** First active agent. @default the first of the agents given to `open()`, else `assistant` */
  agent?: string
  metadata?: JsonObject
  /**
   * Makes it the session of a sub-agent. The parent is a live session of the same tenant and user; `sequence` is the
   * event that called for the child. The child ends when its parent ends, and is purged with it.
   */
  parent?: ParentLink
  /** From this time on (ISO 8601) the session acts as ended. */
  expiresAt?: string
  /** The same in milliseconds from the start. */
  expiresInMs?: number
  /** A caller-made UUID of any version but 8. Creating again with the same id and values returns the same session. */
  id?: string
}

/** Scope to search for a live session. */
export interface ActiveScope {
  userId: string
  /** @default 'default' */
  chatmode?: string
  /** Without it any conversation matches, the newest session first, but no child session. */
  conversationId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Filters of a session list; all filters apply. */
export interface ListSessions {
  /** @default 'local', or the caller's own */
  tenant?: string
  userId?: string
  status?: SessionState
  chatmode?: string
  /** Active agent. */
  agent?: string
  conversationId?: string
  /** Only the children of this session. */
  parent?: string
  /** Only sessions whose metadata has these top-level members with equal values. At most 8. */
  metadata?: Readonly<Record<string, LabelValue>>
  /** Active at or after this time (ISO 8601). */
  since?: string
  /** Last active before this time (ISO 8601). */
  until?: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the previous page. */
  cursor?: string
}

/** One page of a list. */
export interface Page<T> {
  /**
   * A page of large items has fewer than its limit. One filtered by metadata that many sessions have may be empty and
   * still have a `nextCursor`.
   */
  items: T[]
  /** Absent on the last page. */
  nextCursor?: string
}

/** Position of a fork, and its own values. */
export interface ForkOptions {
  /** Last event to copy. @default the last one */
  at?: number
  /**
   * A caller-made UUID of any version but 8. Makes the call repeatable: without `at` a repeat copies as far as the
   * first call did.
   */
  id?: string
  chatmode?: string
  task?: string
  metadata?: JsonObject
}

/** Every view of a session at one sequence. */
export interface Snapshot {
  sequence: number
  record: SessionRecord
  state: SessionScratchpad
  envelope: Envelope
}

/** Options of `users.purge`. */
export interface PurgeOptions {
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Counts of what a purge deleted. */
export interface PurgeReceipt {
  sessions: number
  events: number
  /** Idempotency keys. */
  keys: number
  /** Memories without any other support. */
  memories: number
  purgedAt: string
  /**
   * True if a long-running reader of a SQLite file keeps older copies of the purged data in its write-ahead log. A
   * sweep removes them later.
   */
  pending?: boolean
}
