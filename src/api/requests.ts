import type { Json, JsonObject } from '../domain/json.ts'

/** A question to a person that `session.request` opens, such as the approval of a tool call. */
export interface RequestInput {
  /** Unique in the session. @default a new id */
  id?: string
  /** What it is about, such as `approval`. */
  kind: string
  question: string
  /**
   * JSON Schema of the value that resolves it. Keywords that cannot be checked are refused, among them `pattern`; see
   * the guide. @default any JSON
   */
  schema?: JsonObject
  /** The tool call that waits for it. */
  toolCallId?: string
}

/** State of a request. */
export type RequestStatus = 'open' | 'resolved'

/** A request of a session. */
export interface SessionRequest extends RequestInput {
  id: string
  status: RequestStatus
  openedAt: string
  resolvedAt?: string
  /** The value that resolved it. */
  value?: Json
}

/** Selects requests of a session. */
export interface RequestsQuery {
  /** @default both: the open ones first */
  status?: RequestStatus
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the previous page. */
  cursor?: string
}

/** Selects requests of many sessions. */
export interface FindRequests {
  /** @default 'open' */
  status?: RequestStatus
  /** Only sessions of this user. @default the caller's own, for a caller who is limited to one user */
  userId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
  /** 1 to 500. @default 100 */
  limit?: number
  /** `nextCursor` of the previous page. */
  cursor?: string
}

/** A request and the session it belongs to. */
export interface FoundRequest extends SessionRequest {
  sessionId: string
  userId: string
}
