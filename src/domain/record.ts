import { SessionEndedError } from './errors.ts'
import type { JsonObject } from './json.ts'

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
 * Every {@link AbortCause}: it expired or went stale, the user declined to continue, a new task displaced it, or the
 * user abandoned it.
 */
export const ABORT_CAUSES = ['expired', 'declined', 'displaced', 'abandoned'] as const

/** Name of a state. */
export type SessionState = SessionStatus['state']

/** Every {@link SessionState}, in the order of a life. */
export const SESSION_STATES = [
  'running',
  'awaiting_user',
  'interrupted',
  'pending_complete',
  'complete',
  'aborted',
] as const satisfies readonly SessionState[]

/** Who works on what: at most one live session for each scope. */
export interface Scope {
  tenant: string
  userId: string
  chatmode: string
  conversationId: string
}

/** Whose sessions a caller may see: those of one user, or of everyone in a tenant. */
export interface Principal {
  tenant: string
  userId?: string
  /** Who issued the token that says so, for the envelopes of sessions begun with it. */
  issuer?: string
  /** Scopes of that token. */
  scope?: string
}

/** Whether something that belongs to `owner` exists for the caller. Everything does for one who is not restricted. */
export function isWithin(owner: { tenant: string; userId: string }, within: Principal | undefined): boolean {
  if (within === undefined) return true
  return owner.tenant === within.tenant && (within.userId === undefined || owner.userId === within.userId)
}

/** What a session is and where it stands. Times are ISO 8601 in UTC. */
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
  /** User messages so far. */
  turns: number
  startedAt: string
  /** When the last event was written. */
  lastActivityAt: string
  endedAt?: string
  /** From then on the session acts as ended. */
  expiresAt?: string
  metadata: JsonObject
  forkedFrom?: { sessionId: string; sequence: number }
}

/** When the session ended or expired; `undefined` while it takes events. */
export function endTime({ endedAt, expiresAt }: EndTimes, now: string): string | undefined {
  return endedAt ?? (expiresAt && expiresAt <= now ? expiresAt : undefined)
}

interface EndTimes {
  endedAt?: string | null
  expiresAt?: string | null
}

/** Throws `SessionEndedError` unless the session takes events at that moment. */
export function checkLive(record: EndTimes & { id: string }, at: string): void {
  const endedAt = endTime(record, at)
  if (endedAt !== undefined) throw new SessionEndedError({ sessionId: record.id, endedAt })
}

/** Whether a session in this state has ended. */
export function isFinal(state: SessionState): boolean {
  return state === 'complete' || state === 'aborted'
}
