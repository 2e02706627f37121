import {
  type ErrorCode,
  InternalError,
  RateLimitedError,
  ThroughlineError,
  TooLargeError,
  ValidationError,
} from '../domain/errors.ts'
import { SlowBodyError } from './body.ts'

// a Record over the union: a new code without a status does not compile
export const STATUS: Record<ErrorCode, 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503> = {
  VALIDATION: 400,
  UNAUTHENTICATED: 401,
  QUOTA_EXCEEDED: 403,
  SESSION_NOT_FOUND: 404,
  MEMORY_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  SESSION_ENDED: 409,
  SESSION_ACTIVE: 409,
  RUN_ACTIVE: 409,
  RUN_LOST: 409,
  REQUEST_RESOLVED: 409,
  SEQUENCE_CONFLICT: 409,
  INVALID_TRANSITION: 409,
  IMPORT_CONFLICT: 409,
  TOO_LARGE: 413,
  IDEMPOTENCY_MISMATCH: 422,
  TOO_MANY_STREAMS: 429,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  STORAGE: 503,
  INTAKE_PAUSED: 503,
  SCHEMA_OUTDATED: 503,
  SCHEMA_NEWER: 503,
  UNAVAILABLE: 503,
}

/** The title of each code. */
const TITLE: Record<ErrorCode, string> = {
  VALIDATION: 'Invalid input',
  UNAUTHENTICATED: 'A valid token is required',
  QUOTA_EXCEEDED: 'The storage quota is used up',
  SESSION_NOT_FOUND: 'No such session',
  MEMORY_NOT_FOUND: 'No such memory',
  ROUTE_NOT_FOUND: 'No such route',
  SESSION_ENDED: 'The session has ended',
  SESSION_ACTIVE: 'The scope already has a live session',
  RUN_ACTIVE: 'Another run is live',
  RUN_LOST: 'The run is over',
  REQUEST_RESOLVED: 'The request was resolved before',
  SEQUENCE_CONFLICT: 'Another writer was first',
  INVALID_TRANSITION: 'Not allowed in this state',
  IMPORT_CONFLICT: 'The stored session differs',
  TOO_LARGE: 'Too large',
  IDEMPOTENCY_MISMATCH: 'The key was used with different content',
  TOO_MANY_STREAMS: 'Too many streams',
  RATE_LIMITED: 'Too much at once',
  INTERNAL: 'Internal error',
  STORAGE: 'The store failed',
  INTAKE_PAUSED: 'New sessions are paused',
  SCHEMA_OUTDATED: 'The store has an older schema',
  SCHEMA_NEWER: 'The store has a newer schema',
  UNAVAILABLE: 'Try again in a moment',
}

/** A problem (RFC 9457) with the code, message and details of the library's error. */
export interface Problem {
  /** `docs/errors.md` explains the codes; there is no page for each. */
  type: 'about:blank'
  title: string
  status: number
  code: ErrorCode
  detail: string
  details: Readonly<Record<string, string | number>>
  /** Request id, as in the log. */
  instance: string
}

/** The error as a response body. */
export function problemOf(error: ThroughlineError, requestId: string): Problem {
  const { code, message, details } = error
  const status = error instanceof SlowBodyError ? 408 : STATUS[code]
  // a driver's message may contain payloads or the database's address
  const isDriver = code === 'STORAGE' && error.cause !== undefined
  const detail = isDriver ? `the store failed; the log of the server says more under request ${requestId}` : message
  return { type: 'about:blank', title: TITLE[code], status, code, detail, details, instance: requestId }
}

/** Maps errors of the framework, and unexpected ones, to our own. */
export function knownError(error: unknown, requestId: string): ThroughlineError {
  if (error instanceof ThroughlineError) return error
  const { code, limit } = error as { code?: string; limit?: number }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new TooLargeError({ field: 'body', limit: limit ?? 0, actual: (limit ?? 0) + 1 })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ValidationError('content-type', 'must be application/json')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ValidationError('content-length', 'must be the length of the body')
    case 'FST_ERR_BAD_URL':
      return new ValidationError('path', 'must be percent-encoded UTF-8')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ValidationError('path', 'must not have parts of more than 512 characters')
    default:
      return new InternalError(requestId, { cause: error })
  }
}

/** Seconds to wait before retrying, for errors where a retry helps. */
export function retryAfter(error: ThroughlineError): number | undefined {
  if (error instanceof RateLimitedError) return error.details.retryAfter
  return error.code === 'UNAVAILABLE' || error.code === 'INTAKE_PAUSED' ? 1 : undefined
}
