import { SessionEndedError } from './errors.ts'
import type { JsonObject } from './json.ts'
import type { SessionUsage } from './usage.ts'

/** The state a session is in, with what belongs to that state. */
export type SessionStatus =
  | { state: 'running' }
  /** `cause: 'unclear'` when `handle` asks what a message was meant for. */
  | { state: 'awaiting_user'; question: string; askedAt: string; cause?: 'unclear' }
  | { state: 'interrupted'; userMessage: string }
  | { state: 'pending_complete'; summary: string }
  /** `endedBy: 'caller'` when `end()` closed it. */
  | { state: 'complete'; endedBy?: 'caller' }
  /** `cause` is absent when the caller of `abort()` gave the reason. */
  | { state: 'aborted'; reason: string; cause?: AbortCause }

/** Why a session was aborted by a rule instead of by a call to `abort()`. */
export type AbortCause = (typeof ABORT_CAUSES)[number]

/**
 * Every {@link AbortCause}: it expired or went stale, the user declined to continue, a new task displaced it, the user
 * abandoned it, or its parent ended.
 */
export const ABORT_CAUSES = ['expired', 'declined', 'displaced', 'abandoned', 'parent_ended'] as const

/** Name of a state. */
export type SessionState = SessionStatus['state']

/** Every {@link SessionState}, in lifecycle order. */
export const SESSION_STATES = [
  'running',
  'awaiting_user',
  'interrupted',
  'pending_complete',
  'complete',
  'aborted',
] as const satisfies readonly SessionState[]

/** At most one session is live per scope. */
export interface Scope {
  tenant: string
  userId: string
  chatmode: string
  conversationId: string
}

/** Limits a caller to one user's sessions, or to a tenant. */
export interface Principal {
  tenant: string
  userId?: string
  /** Issuer of the caller's token, copied into the envelopes of new sessions. */
  issuer?: string
  /** Scopes of that token. */
  scope?: string
}

/** Whether the caller may see what belongs to `owner`. An unrestricted caller sees everything. */
export function isWithin(owner: { tenant: string; userId: string }, within: Principal | undefined): boolean {
  if (within === undefined) return true
  return owner.tenant === within.tenant && (within.userId === undefined || owner.userId === within.userId)
}

/** The session that started a child session, and the event that called for it. */
export interface ParentLink {
  sessionId: string
  /** Sequence in the log of the parent, such as that of the tool call. */
  sequence?: number
}

/** A run that has started and not finished. */
export interface LiveRun {
  id: string
  /** 1, 2, 3 … in the session. */
  generation: number
  worker?: string
  startedAt: string
  /** When `cancel()` asked it to stop. */
  cancelled?: { at: string; reason?: string }
  /** When the user interrupted it. */
  interruptedAt?: string
}

/** Identity, status and counters of a session. Times are ISO 8601 in UTC. */
export interface SessionRecord extends Scope {
  id: string
  workflow?: string
  skill?: string
  gitBranch?: string
  task?: string
  status: SessionStatus
  activeAgent: string
  /** Sequence of the last event. */
  head: number
  /** Number of user messages. */
  turns: number
  startedAt: string
  /** When the last event was written. */
  lastActivityAt: string
  endedAt?: string
  /** From this time on the session acts as ended. */
  expiresAt?: string
  metadata: JsonObject
  forkedFrom?: { sessionId: string; sequence: number }
  /** Present in the session of a sub-agent. */
  parent?: ParentLink
  /** Absent while no event carried usage. A fork starts without. */
  usage?: SessionUsage
  /** The run that works on it. Its lease may have expired: then the next run takes over. */
  run?: LiveRun
}

/** Returns when the session ended or expired; `undefined` while it is live. */
export function endTime({ endedAt, expiresAt }: EndTimes, now: string): string | undefined {
  return endedAt ?? (expiresAt && expiresAt <= now ? expiresAt : undefined)
}

interface EndTimes {
  endedAt?: string | null
  expiresAt?: string | null
}

/** Throws `SessionEndedError` unless the session is live at that time. */
export function checkLive(record: EndTimes & { id: string }, at: string): void {
  const endedAt = endTime(record, at)
  if (endedAt !== undefined) throw new SessionEndedError({ sessionId: record.id, endedAt })
}

/** Whether a session in this state has ended. */
export function isFinal(state: SessionState): boolean {
  return state === 'complete' || state === 'aborted'
}
