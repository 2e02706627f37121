/** Every error code of this package; `docs/errors.md` explains each and what to do. */
export const ERROR_CODES = [
  'SESSION_NOT_FOUND',
  'SESSION_ENDED',
  'SESSION_ACTIVE',
  'RUN_ACTIVE',
  'RUN_LOST',
  'REQUEST_RESOLVED',
  'INTAKE_PAUSED',
  'MEMORY_NOT_FOUND',
  'SEQUENCE_CONFLICT',
  'INVALID_TRANSITION',
  'IDEMPOTENCY_MISMATCH',
  'IMPORT_CONFLICT',
  'VALIDATION',
  'TOO_LARGE',
  'QUOTA_EXCEEDED',
  'STORAGE',
  'SCHEMA_OUTDATED',
  'SCHEMA_NEWER',
  'UNAUTHENTICATED',
  'TOO_MANY_STREAMS',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'ROUTE_NOT_FOUND',
  'INTERNAL',
] as const

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/**
 * Base of every error thrown on purpose. Match on `code`, not `instanceof`: two copies of the package may be loaded.
 * `details` is safe to log and send: ids, names and numbers, never content.
 */
export abstract class ThroughlineError extends Error {
  abstract readonly code: ErrorCode
  abstract readonly details: Readonly<Record<string, string | number>>
}

/** The session does not exist, or the caller may not see it. */
export class SessionNotFoundError extends ThroughlineError {
  override readonly name = 'SessionNotFoundError'
  readonly code = 'SESSION_NOT_FOUND'
  readonly details: { sessionId: string }

  constructor(sessionId: string, options?: ErrorOptions) {
    super(`session ${sessionId} does not exist`, options)
    this.details = { sessionId }
  }
}

/** The memory does not exist, or the caller may not see it. */
export class MemoryNotFoundError extends ThroughlineError {
  override readonly name = 'MemoryNotFoundError'
  readonly code = 'MEMORY_NOT_FOUND'
  readonly details: { memoryId: string }

  constructor(memoryId: string, options?: ErrorOptions) {
    super(`memory ${memoryId} does not exist`, options)
    this.details = { memoryId }
  }
}

/** The session has ended or expired and accepts no more events. Start another one, or fork it. */
export class SessionEndedError extends ThroughlineError {
  override readonly name = 'SessionEndedError'
  readonly code = 'SESSION_ENDED'
  readonly details: { sessionId: string; endedAt: string }

  constructor(details: SessionEndedError['details'], options?: ErrorOptions) {
    super(`session ${details.sessionId} ended at ${details.endedAt}; start another session or fork this one`, options)
    this.details = details
  }
}

/** A run of another worker is live on the session. Wait for it, or interrupt it. */
export class RunActiveError extends ThroughlineError {
  override readonly name = 'RunActiveError'
  readonly code = 'RUN_ACTIVE'
  readonly details: { sessionId: string; runId: string; worker?: string }

  constructor(details: RunActiveError['details'], options?: ErrorOptions) {
    const by = details.worker === undefined ? '' : ` of worker '${details.worker}'`
    super(`session ${details.sessionId} has the live run ${details.runId}${by}; wait for it, or interrupt it`, options)
    this.details = details
  }
}

/** The run is over: it was finished, its lease expired and another run began, or its session ended. Stop its work. */
export class RunLostError extends ThroughlineError {
  override readonly name = 'RunLostError'
  readonly code = 'RUN_LOST'
  readonly details: { sessionId: string; generation: number }

  constructor(details: RunLostError['details'], options?: ErrorOptions) {
    super(`run ${details.generation} of session ${details.sessionId} is over; nothing was written`, options)
    this.details = details
  }
}

/** The request was resolved before; each is resolved once. */
export class RequestResolvedError extends ThroughlineError {
  override readonly name = 'RequestResolvedError'
  readonly code = 'REQUEST_RESOLVED'
  readonly details: { sessionId: string; requestId: string }

  constructor(details: RequestResolvedError['details'], options?: ErrorOptions) {
    super(`request ${details.requestId} of session ${details.sessionId} was resolved before`, options)
    this.details = details
  }
}

/** The scope (tenant, user, chatmode, conversation) already has a live session. Use it, or end it first. */
export class SessionActiveError extends ThroughlineError {
  override readonly name = 'SessionActiveError'
  readonly code = 'SESSION_ACTIVE'
  readonly details: { sessionId: string; conversationId: string }

  constructor(details: SessionActiveError['details'], options?: ErrorOptions) {
    super(
      `conversation ${details.conversationId} already has an active session, ${details.sessionId}; ` +
        'get it with getOrCreate(), or end it first',
      options,
    )
    this.details = details
  }
}

/** An operator has paused the creation of sessions. Existing sessions continue; try again later. */
export class IntakePausedError extends ThroughlineError {
  override readonly name = 'IntakePausedError'
  readonly code = 'INTAKE_PAUSED'
  readonly details: { since: string }

  constructor(since: string, options?: ErrorOptions) {
    super(`new sessions have been paused since ${since}; try again later`, options)
    this.details = { since }
  }
}

/** The log has moved past the expected sequence. Read the new events, then write again. */
export class SequenceConflictError extends ThroughlineError {
  override readonly name = 'SequenceConflictError'
  readonly code = 'SEQUENCE_CONFLICT'
  readonly details: { sessionId: string; expected: number; actual: number }

  constructor(details: SequenceConflictError['details'], options?: ErrorOptions) {
    super(
      `session ${details.sessionId} is at sequence ${details.actual}, not ${details.expected}; read the new events, then write again`,
      options,
    )
    this.details = details
  }
}

/** The session's state does not allow this command. Nothing was written; check its status and decide again. */
export class InvalidTransitionError extends ThroughlineError {
  override readonly name = 'InvalidTransitionError'
  readonly code = 'INVALID_TRANSITION'
  readonly details: { sessionId: string; state: string; command: string }

  constructor(details: InvalidTransitionError['details'], options?: ErrorOptions) {
    super(`${details.command}() is not allowed while session ${details.sessionId} is ${details.state}`, options)
    this.details = details
  }
}

/**
 * An idempotency key or caller-made session id was reused with other content. Keys belong to a session; for memories,
 * to a user.
 */
export class IdempotencyMismatchError extends ThroughlineError {
  override readonly name = 'IdempotencyMismatchError'
  readonly code = 'IDEMPOTENCY_MISMATCH'
  readonly details:
    | { sessionId: string; key?: string; userId?: never }
    | { userId: string; key: string; sessionId?: never }

  constructor(details: IdempotencyMismatchError['details'], options?: ErrorOptions) {
    const { sessionId, userId, key } = details
    const where = userId === undefined ? `in session ${sessionId}` : `for memories of user ${userId}`
    super(
      key === undefined
        ? `session ${sessionId} already exists with different values; use a new id`
        : `idempotency key '${key}' was already used ${where} with different content; use a new key`,
      options,
    )
    this.details = details
  }
}

/**
 * The imported session differs from the one stored here: it continued here, or its commit's position is taken. Nothing
 * was changed.
 */
export class ImportConflictError extends ThroughlineError {
  override readonly name = 'ImportConflictError'
  readonly code = 'IMPORT_CONFLICT'
  readonly details: { sessionId: string; reason: 'event' | 'commit' | 'owner'; sequence?: number }

  constructor(details: ImportConflictError['details'], options?: ErrorOptions) {
    super(
      `session ${details.sessionId} already exists and differs: ${IMPORT_CONFLICTS[details.reason](details)}`,
      options,
    )
    this.details = details
  }
}

const IMPORT_CONFLICTS: Record<
  ImportConflictError['details']['reason'],
  (details: ImportConflictError['details']) => string
> = {
  event: ({ sequence }) => `event ${sequence} is different; to replace the stored session, purge it and import again`,
  commit: () => 'its conversation already has another commit at that position',
  owner: () => 'the id belongs to another tenant or user',
}

/** Invalid input. `field` is the path of the first problem. */
export class ValidationError extends ThroughlineError {
  override readonly name = 'ValidationError'
  readonly code = 'VALIDATION'
  readonly field: string
  readonly details: { field: string }

  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`${field}: ${problem}`, options)
    this.field = field
    this.details = { field }
  }
}

/** Valid input that exceeds the limit of its field. */
export class TooLargeError extends ThroughlineError {
  override readonly name = 'TooLargeError'
  readonly code = 'TOO_LARGE'
  readonly field: string
  readonly details: { field: string; limit: number; actual: number }

  constructor(details: TooLargeError['details'], options?: ErrorOptions) {
    super(`${details.field}: size ${details.actual} exceeds the limit of ${details.limit}`, options)
    this.field = details.field
    this.details = details
  }
}

/**
 * The tenant or the user stores more than its quota. Nothing was written. Reads, ends and purges still work: purge
 * sessions or forget memories, or ask the operator for a larger quota.
 */
export class QuotaExceededError extends ThroughlineError {
  override readonly name = 'QuotaExceededError'
  readonly code = 'QUOTA_EXCEEDED'
  /** Both in bytes. */
  readonly details: { quota: QuotaKind; limit: number; used: number }

  constructor(details: QuotaExceededError['details'], options?: ErrorOptions) {
    const { quota, limit, used } = details
    super(
      `this ${quota} stores ${used} bytes, its quota is ${limit}; ` +
        'purge sessions or forget memories, or ask the operator for a larger quota',
      options,
    )
    this.details = details
  }
}

/** Whose quota. */
export type QuotaKind = 'tenant' | 'user'

/** The database failed or is unreachable. `cause` is the driver's error. */
export class StorageError extends ThroughlineError {
  override readonly name = 'StorageError'
  readonly code = 'STORAGE'
  readonly details: { store: string }

  constructor(store: string, problem: string, options?: ErrorOptions) {
    super(`${store}: ${problem}`, options)
    this.details = { store }
  }
}

/**
 * The database has an older schema than this version needs, and `migrate` is off. With `madeBy` no migration exists:
 * export with the version that made the database, and import with this one.
 */
export class SchemaOutdatedError extends ThroughlineError {
  override readonly name = 'SchemaOutdatedError'
  readonly code = 'SCHEMA_OUTDATED'
  readonly details: { found: number; needed: number; madeBy?: 'pre-release' }

  constructor(details: SchemaOutdatedError['details'], options?: ErrorOptions) {
    super(
      details.madeBy === undefined
        ? `the database has schema ${details.found}, but this version needs ${details.needed}; ` +
            'run throughline migrate, or open it with { migrate: true }'
        : 'this database comes from an earlier pre-release and cannot be migrated; run throughline export with that ' +
            'version, then throughline import into a new database with this one',
      options,
    )
    this.details = details
  }
}

/** A newer version has migrated the database. Nothing was changed; update the package. */
export class SchemaNewerError extends ThroughlineError {
  override readonly name = 'SchemaNewerError'
  readonly code = 'SCHEMA_NEWER'
  readonly details: { found: number; known: number }

  constructor(details: SchemaNewerError['details'], options?: ErrorOptions) {
    super(
      `the database has schema ${details.found}, but this version knows at most ${details.known}; update throughline`,
      options,
    )
    this.details = details
  }
}

/** The token is missing or invalid. */
export class UnauthenticatedError extends ThroughlineError {
  override readonly name = 'UnauthenticatedError'
  readonly code = 'UNAUTHENTICATED'
  readonly details = {}
}

/** The caller has reached the limit of open streams. Close one first. */
export class TooManyStreamsError extends ThroughlineError {
  override readonly name = 'TooManyStreamsError'
  readonly code = 'TOO_MANY_STREAMS'
  readonly details: { limit: number }

  constructor(limit: number, options?: ErrorOptions) {
    super(`too many open streams (limit ${limit}); close one first`, options)
    this.details = { limit }
  }
}

/**
 * The caller, its tenant or its address uses its share of the server. Nothing was done; try again after `retryAfter`
 * seconds.
 */
export class RateLimitedError extends ThroughlineError {
  override readonly name = 'RateLimitedError'
  readonly code = 'RATE_LIMITED'
  readonly details: { limit: SharedLimit; retryAfter: number }

  constructor(details: RateLimitedError['details'], options?: ErrorOptions) {
    const { limit, retryAfter } = details
    super(`${SHARED_LIMITS[limit]} (limit ${limit}); try again in ${retryAfter} s`, options)
    this.details = details
  }
}

const SHARED_LIMITS = {
  requests: 'too many concurrent requests of this caller or tenant',
  bodies: 'too many bytes of concurrent bodies of this caller or tenant',
  streams: 'too many open streams of this caller or tenant',
  bulk: 'too many concurrent calls that work through many sessions, of this caller or tenant',
  requestsPerSecond: 'too many requests per second of this caller or tenant',
  connectionsPerAddress: 'too many open connections from this address',
} as const

/** A limit on what one caller, tenant or address may use. */
export type SharedLimit = keyof typeof SHARED_LIMITS

/** The server is overloaded, stopping, or cannot verify tokens right now. Nothing was done; try again soon. */
export class UnavailableError extends ThroughlineError {
  override readonly name = 'UnavailableError'
  readonly code = 'UNAVAILABLE'
  readonly details: { reason: keyof typeof UNAVAILABLE }

  constructor(reason: keyof typeof UNAVAILABLE, options?: ErrorOptions) {
    super(UNAVAILABLE[reason], options)
    this.details = { reason }
  }
}

const UNAVAILABLE = {
  stopping: 'the server is shutting down; try again in a moment',
  busy: 'the server is busy; try again in a moment',
  keys: 'the server cannot load the keys to verify tokens; try again in a moment',
} as const

/** The route does not exist. */
export class RouteNotFoundError extends ThroughlineError {
  override readonly name = 'RouteNotFoundError'
  readonly code = 'ROUTE_NOT_FOUND'
  readonly details: { method: string; path: string }

  constructor(details: RouteNotFoundError['details'], options?: ErrorOptions) {
    super(`no route ${details.method} ${details.path}; see /openapi.json`, options)
    this.details = details
  }
}

/** An unexpected server failure. The server's log has details under the request id. */
export class InternalError extends ThroughlineError {
  override readonly name = 'InternalError'
  readonly code = 'INTERNAL'
  readonly details: { requestId: string }

  constructor(requestId: string, options?: ErrorOptions) {
    super(`unexpected server error; see the server log for request ${requestId}`, options)
    this.details = { requestId }
  }
}
