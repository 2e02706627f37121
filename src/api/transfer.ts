import type { UpkeepProgress } from '../api.ts'
import type { SessionEvent } from '../domain/event.ts'

/** A run of events of one session, as they are in its log. Blocks of a session come in the order of its log. */
export interface SessionBlock {
  sessionId: string
  events: ExportedEvent[]
  /** These are the last of them. */
  done: boolean
}

/** An event on its way from one store to another: all of it but the session it belongs to, which the block names. */
export type ExportedEvent = Omit<SessionEvent, 'sessionId'>

/** Which sessions to export. */
export interface ExportOptions {
  /** Only this one. @default all that the caller may see */
  sessionId?: string
  /** Goes on behind this event of an earlier export. */
  after?: ExportPlace
  /** Called as the work goes on. */
  onProgress?: (progress: UpkeepProgress) => void
}

/** How far an export came. */
export interface ExportPlace {
  sessionId: string
  /** The last event that was exported. */
  sequence: number
  /** The session was exported to its end. */
  done: boolean
}

/** How to import. */
export interface ImportOptions {
  /** Called as the work goes on. */
  onProgress?: (progress: ImportProgress) => void
}

/** How far an import is. */
export interface ImportProgress {
  sessions: number
  /** Looked at: those that were there already count too. */
  events: number
}

/** What an import did. */
export interface ImportReport {
  /** Sessions that came to their end. */
  sessions: number
  /** Of them new here. */
  created: number
  /** Of them here before, with fewer events. */
  extended: number
  /** Of them here before, with all that came. */
  unchanged: number
  /** Events written. */
  events: number
  /** Sessions that were left as they are here, and why. */
  refused: RefusedSession[]
}

/** A session that could not be imported. */
export interface RefusedSession {
  sessionId: string
  /** `IMPORT_CONFLICT`, `SESSION_ACTIVE`, `VALIDATION` … */
  code: string
  message: string
}
