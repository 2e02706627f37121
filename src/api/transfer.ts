import type { UpkeepProgress } from '../api.ts'
import type { SessionEvent } from '../domain/event.ts'

/** Consecutive events of one session. Blocks of a session come in log order. */
export interface SessionBlock {
  sessionId: string
  events: ExportedEvent[]
  /** True for the session's last block. */
  done: boolean
}

/** An event without its session id, which the block names. */
export interface ExportedEvent extends Omit<SessionEvent, 'sessionId'> {
  /** What the event was stored with. An import refuses an event that does not match; without one it makes a new one. */
  checksum?: string
}

/** Scope of an export. */
export interface ExportOptions {
  /** Only this session. @default all that the caller may see */
  sessionId?: string
  /** Continues an earlier export after this event. */
  after?: ExportPlace
  /** Called with the progress. */
  onProgress?: (progress: UpkeepProgress) => void
}

/** Position of an export. */
export interface ExportPlace {
  sessionId: string
  /** Last exported event. */
  sequence: number
  /** True if the session is exported to its end. */
  done: boolean
}

/** Options of `import`. */
export interface ImportOptions {
  /** Called with the progress. */
  onProgress?: (progress: ImportProgress) => void
}

/** Progress of an import. */
export interface ImportProgress {
  sessions: number
  /** Events read, including those that existed. */
  events: number
}

/** Result of an import. */
export interface ImportReport {
  /** Sessions imported to their end. */
  sessions: number
  /** New sessions. */
  created: number
  /** Existing sessions that got more events. */
  extended: number
  /** Existing sessions that had all events. */
  unchanged: number
  /** Events written. */
  events: number
  /** Sessions left unchanged, and why. */
  refused: RefusedSession[]
}

/** A session that was not imported. */
export interface RefusedSession {
  sessionId: string
  /** `IMPORT_CONFLICT`, `SESSION_ACTIVE`, `VALIDATION` … */
  code: string
  message: string
}
