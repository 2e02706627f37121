import type { Envelope } from '../domain/envelope.ts'
import type { SessionScratchpad } from '../domain/fold.ts'
import type { JsonObject } from '../domain/json.ts'
import type { SessionRecord, SessionState } from '../domain/record.ts'

/** What a session begins with. */
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
  /** Agent that acts first. @default the first of the agents given to `open()`, else `assistant` */
  agent?: string
  metadata?: JsonObject
  /** From this moment on (ISO 8601) the session acts as ended. */
  expiresAt?: string
  /** The same in milliseconds from the start. */
  expiresInMs?: number
  /** A UUID of the caller's own, of any version but 8. Creating again with the same id and the same values gives the same session. */
  id?: string
}

/** Where to look for a live session. */
export interface ActiveScope {
  userId: string
  /** @default 'default' */
  chatmode?: string
  /** Without it: the newest of any conversation. */
  conversationId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Which sessions to list; filters add up. */
export interface ListSessions {
  /** @default 'local', or the caller's own */
  tenant?: string
  userId?: string
  status?: SessionState
  chatmode?: string
  /** Active agent. */
  agent?: string
  conversationId?: string
  /** Last activity at or after this time (ISO 8601). */
  since?: string
  /** Last activity before this time (ISO 8601). */
  until?: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the page before. */
  cursor?: string
}

/** One page of a list. */
export interface Page<T> {
  items: T[]
  /** Absent on the last page. */
  nextCursor?: string
}

/** Where to fork, and what is new in the fork. */
export interface ForkOptions {
  /** Last event to copy. @default the last one */
  at?: number
  /** A UUID of the caller's own, of any version but 8. It makes the fork repeatable: without `at` a repeat copies as far as the first call did. */
  id?: string
  chatmode?: string
  task?: string
  metadata?: JsonObject
}

/** Every view of a session as it was at one moment. */
export interface Snapshot {
  sequence: number
  record: SessionRecord
  state: SessionScratchpad
  envelope: Envelope
}

/** Whose user to purge. */
export interface PurgeOptions {
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** What a purge removed. */
export interface PurgeReceipt {
  sessions: number
  events: number
  /** Idempotency keys. */
  keys: number
  /** Memories that nothing else supports. */
  memories: number
  purgedAt: string
}
