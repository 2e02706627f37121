import type { Analysis, Envelope } from '../domain/envelope.ts'
import type { JsonObject } from '../domain/json.ts'

/** What to change in an envelope. Metadata and analysis are merged by RFC 7396: `null` removes a key. */
export interface EnvelopePatch {
  /** Persona that guides the conversation from here on; empty for none. */
  personaId?: string
  /** Must not use the names of the envelope's own fields. */
  metadata?: JsonObject
  analysis?: { [Key in keyof Analysis]?: Analysis[Key] | null } & JsonObject
}

/** Envelopes of all sessions at once, for whoever runs the store. */
export interface Envelopes {
  /**
   * Makes sessions and envelopes of the sessions in an older system's table of events. It can be stopped and run again at any time: what is
   * there already stays as it is.
   */
  backfill(options: BackfillOptions): Promise<BackfillReport>
  /**
   * Takes stored envelopes away again: those of one backfill that nobody wrote since, or those last written since a moment, and empties the
   * cache. Sessions and their logs stay, and so nothing is lost: reads fold the envelope from the log, and `rebuild` stores it again.
   */
  rollback(options: RollbackOptions): Promise<RollbackReport>
  /** Fills the cache from the store, with all envelopes or those of the sessions named. */
  warm(options?: WarmOptions): Promise<WarmReport>
  /** Every envelope that the cache holds. */
  cached(): AsyncIterable<Envelope>
}

/** How far long work is. */
export interface Progress {
  sessions: number
  /** As many as there were when it began. */
  of: number
}

/** Where to backfill from, and how. */
export interface BackfillOptions {
  /** Database of the older system: `postgres://…` or `sqlite:PATH`. */
  from: string
  /** @default 'session_events' */
  table?: string
  /** Name of this backfill, kept with each envelope it writes. @default made from the time */
  batch?: string
  /** Only look and count. @default false */
  dryRun?: boolean
  /** Sessions to look at, at most. */
  limit?: number
  /** Only sessions behind this id. */
  after?: string
  /** Tenant of sessions that name none. @default 'local' */
  tenant?: string
  /** User of sessions that name no subject. @default 'unknown' */
  userId?: string
  onProgress?: (progress: Progress) => void
}

/** What a backfill did, or in a dry run would do. */
export interface BackfillReport {
  batch: string
  dryRun: boolean
  /** Sessions looked at. */
  sessions: number
  /** Of them new in the store. */
  created: number
  /** Written by an earlier backfill and different since. */
  updated: number
  /** Already as they should be. */
  unchanged: number
  /** Written by others since, or never by a backfill: left as they are. */
  kept: number
  /** Sessions that could not be taken. */
  failed: number
  /** What was wrong, of the first hundred. */
  problems: { sessionId: string; problem: string; failed: boolean }[]
  /** Id of the last session looked at: go on behind it with `after`. */
  last?: string
}

/** What to roll back: one of the two. */
export interface RollbackOptions {
  /** Envelopes of this backfill. */
  batch?: string
  /** Envelopes last written at or after this time (ISO 8601). */
  since?: string
  /** Only count. @default false */
  dryRun?: boolean
  onProgress?: (progress: Progress) => void
}

/** What a rollback did, or in a dry run would do. */
export interface RollbackReport {
  dryRun: boolean
  /** Envelopes taken out of the store. */
  envelopes: number
  /** Envelopes taken out of the cache; absent where there is none. */
  cached?: number
}

/** What to warm. */
export interface WarmOptions {
  /** Only these sessions. @default all */
  sessions?: Iterable<string> | AsyncIterable<string>
  onProgress?: (progress: Progress) => void
}

/** What came into the cache. */
export interface WarmReport {
  sessions: number
  filled: number
  /** Were there already. */
  present: number
  /** Not in the store. */
  unknown: number
  /** Could not be filled: the cache did not answer, or others wrote at the same moment. */
  failed: number
}

/** Whether new sessions are taken. */
export interface Intake {
  /** Stops taking new sessions, in every process on this store. What exists goes on. Repeat it safely. */
  pause(): Promise<IntakeStatus>
  /** Takes new sessions again. */
  resume(): Promise<IntakeStatus>
  status(): Promise<IntakeStatus>
}

/** Whether new sessions are taken, and since when not. */
export interface IntakeStatus {
  paused: boolean
  since?: string
}
