import {
  type ErrorCode,
  IdempotencyMismatchError,
  ImportConflictError,
  IntakePausedError,
  InternalError,
  InvalidTransitionError,
  MemoryNotFoundError,
  QuotaExceededError,
  RateLimitedError,
  RequestResolvedError,
  RouteNotFoundError,
  RunActiveError,
  RunLostError,
  SchemaNewerError,
  SchemaOutdatedError,
  SequenceConflictError,
  SessionActiveError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
  type ThroughlineError,
  TooLargeError,
  TooManyStreamsError,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from '../domain/errors.ts'

type Details<E extends ThroughlineError> = E['details']

/** Rebuilds the error of each code from its details. The received message replaces the one the class writes. */
const ERRORS: Record<ErrorCode, (details: never, message: string) => ThroughlineError> = {
  SESSION_NOT_FOUND: ({ sessionId }: Details<SessionNotFoundError>) => new SessionNotFoundError(sessionId),
  SESSION_ENDED: (details: Details<SessionEndedError>) => new SessionEndedError(details),
  SESSION_ACTIVE: (details: Details<SessionActiveError>) => new SessionActiveError(details),
  RUN_ACTIVE: (details: Details<RunActiveError>) => new RunActiveError(details),
  RUN_LOST: (details: Details<RunLostError>) => new RunLostError(details),
  REQUEST_RESOLVED: (details: Details<RequestResolvedError>) => new RequestResolvedError(details),
  INTAKE_PAUSED: ({ since }: Details<IntakePausedError>) => new IntakePausedError(since),
  MEMORY_NOT_FOUND: ({ memoryId }: Details<MemoryNotFoundError>) => new MemoryNotFoundError(memoryId),
  SEQUENCE_CONFLICT: (details: Details<SequenceConflictError>) => new SequenceConflictError(details),
  INVALID_TRANSITION: (details: Details<InvalidTransitionError>) => new InvalidTransitionError(details),
  IDEMPOTENCY_MISMATCH: (details: Details<IdempotencyMismatchError>) => new IdempotencyMismatchError(details),
  IMPORT_CONFLICT: (details: Details<ImportConflictError>) => new ImportConflictError(details),
  // a malformed request is rejected without a field
  VALIDATION: ({ field = 'request' }: Partial<Details<ValidationError>>, text) => new ValidationError(field, text),
  TOO_LARGE: (details: Details<TooLargeError>) => new TooLargeError({ ...details, field: details.field ?? 'request' }),
  QUOTA_EXCEEDED: (details: Details<QuotaExceededError>) => new QuotaExceededError(details),
  STORAGE: ({ store }: Details<StorageError>, text) => new StorageError(store, text),
  SCHEMA_OUTDATED: (details: Details<SchemaOutdatedError>) => new SchemaOutdatedError(details),
  SCHEMA_NEWER: (details: Details<SchemaNewerError>) => new SchemaNewerError(details),
  UNAUTHENTICATED: (_, text) => new UnauthenticatedError(text),
  TOO_MANY_STREAMS: ({ limit }: Details<TooManyStreamsError>) => new TooManyStreamsError(limit),
  RATE_LIMITED: (details: Details<RateLimitedError>) => new RateLimitedError(details),
  UNAVAILABLE: ({ reason }: Details<UnavailableError>) => new UnavailableError(reason),
  ROUTE_NOT_FOUND: (details: Details<RouteNotFoundError>) => new RouteNotFoundError(details),
  INTERNAL: ({ requestId }: Details<InternalError>) => new InternalError(requestId),
}

/** The error in a problem document (RFC 9457); `undefined` if it is not one of ours. */
export function parseProblem(problem: unknown): ThroughlineError | undefined {
  const { code, detail, details } = (problem ?? {}) as { code?: unknown; detail?: unknown; details?: unknown }
  if (typeof code !== 'string' || typeof detail !== 'string') return undefined
  // a newer server may have more codes
  if (!Object.hasOwn(ERRORS, code)) return new StorageError('http', `the server returned ${code}: ${detail}`)
  const isObject = typeof details === 'object' && details !== null
  const error = ERRORS[code as ErrorCode]((isObject ? details : {}) as never, detail)
  error.message = detail
  return error
}

/** The error of a response. A body that is not a problem document does not come from our server, so it is not shown. */
export function errorFromResponse(origin: string, status: number, text: string): ThroughlineError {
  const hint = status >= 300 && status < 400 ? REDIRECT_HINT : FOREIGN_HINT
  return parseProblem(tryParseJson(text)) ?? new StorageError('http', `${origin} returned status ${status}: ${hint}`)
}

const REDIRECT_HINT = 'it redirects requests; open the new address instead'
const FOREIGN_HINT = 'the response is not from Throughline; check the URL and any proxy in front of the server'

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
