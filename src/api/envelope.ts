import type { Analysis, Envelope } from '../domain/envelope.ts'
import type { JsonObject } from '../domain/json.ts'

/** Changes to an envelope. Metadata and analysis are merge patches (RFC 7396): `null` removes a key. */
export interface EnvelopePatch {
  /** Persona from now on; an empty text removes it. */
  personaId?: string
  /** Must not use {@link RESERVED_KEYS}. */
  metadata?: JsonObject
  analysis?: { [Key in keyof Analysis]?: Analysis[Key] | null } & JsonObject
}

/** Bulk work on envelopes, for the operator. */
export interface Envelopes {
  /**
   * Creates sessions and envelopes from the event table of an older system. Stop and repeat it at any time: existing
   * rows stay as they are.
   */
  backfill(options: BackfillOptions): Promise<BackfillReport>
  /**
   * Deletes stored envelopes and empties the cache: those of one backfill that nobody has changed since, or those
   * written since a time. Sessions and logs stay, so nothing is lost: reads fold the envelope from the log, and
   * `rebuild` stores it again.
   */
  rollback(options: RollbackOptions): Promise<RollbackReport>
  /** Fills the cache from the store, with all envelopes or those of the given sessions. */
  warm(options?: WarmOptions): Promise<WarmReport>
  /** Yields every envelope in the cache. */
  cached(): AsyncIterable<Envelope>
}

/** Progress of a long operation. */
export interface Progress {
  sessions: number
  /** Total when the operation started. */
  of: number
}

/** Source and scope of a backfill. */
export interface BackfillOptions {
  /** Database of the older system: `postgres://…` or `sqlite:PATH`. */
  from: string
  /** @default 'session_events' */
  table?: string
  /** Name of this backfill, stored with each envelope it writes. @default derived from the current time */
  batch?: string
  /** Count without writing. @default false */
  dryRun?: boolean
  /** Maximum number of sessions to read. */
  limit?: number
  /** Only sessions after this id. */
  after?: string
  /** Tenant for sessions without one. @default 'local' */
  tenant?: string
  /** User for sessions without a subject. @default 'unknown' */
  userId?: string
  onProgress?: (progress: Progress) => void
}

/** Result of a backfill; in a dry run, what it would do. */
export interface BackfillReport {
  batch: string
  dryRun: boolean
  /** Sessions read. */
  sessions: number
  /** New in the store. */
  created: number
  /** Written by an earlier backfill and changed at the source since. */
  updated: number
  /** Already up to date. */
  unchanged: number
  /** Not touched: written by someone else since, or never by a backfill. */
  kept: number
  /** Sessions that could not be stored. */
  failed: number
  /** The first hundred problems. */
  problems: { sessionId: string; problem: string; failed: boolean }[]
  /** Id of the last session read: pass it as `after` to continue. */
  last?: string
}

/** Envelopes to roll back: set `batch` or `since`. */
export interface RollbackOptions {
  /** Envelopes of this backfill. */
  batch?: string
  /** Envelopes last written at or after this time (ISO 8601). */
  since?: string
  /** Count without deleting. @default false */
  dryRun?: boolean
  onProgress?: (progress: Progress) => void
}

/** Result of a rollback; in a dry run, what it would do. */
export interface RollbackReport {
  dryRun: boolean
  /** Envelopes deleted from the store. */
  envelopes: number
  /** Envelopes deleted from the cache; absent without a cache. */
  cached?: number
}

/** Sessions to warm. */
export interface WarmOptions {
  /** Only these sessions. @default all */
  sessions?: Iterable<string> | AsyncIterable<string>
  onProgress?: (progress: Progress) => void
}

/** Result of warming the cache. */
export interface WarmReport {
  sessions: number
  filled: number
  /** Already cached. */
  present: number
  /** Not in the store. */
  unknown: number
  /** Not filled: the cache did not respond, or someone wrote at the same moment. */
  failed: number
}

/** Pauses and resumes the creation of sessions. */
export interface Intake {
  /** Refuses new sessions in every process on this store. Existing ones continue. Safe to repeat. */
  pause(): Promise<IntakeStatus>
  /** Accepts new sessions again. */
  resume(): Promise<IntakeStatus>
  status(): Promise<IntakeStatus>
}

/** Whether the intake is paused, and since when. */
export interface IntakeStatus {
  paused: boolean
  since?: string
}
