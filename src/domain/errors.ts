/** Every code an error of this package can carry; `docs/errors.md` says what each means and what to do. */
export const ERROR_CODES = [
  'SESSION_NOT_FOUND',
  'SESSION_ENDED',
  'SESSION_ACTIVE',
  'INTAKE_PAUSED',
  'MEMORY_NOT_FOUND',
  'SEQUENCE_CONFLICT',
  'INVALID_TRANSITION',
  'IDEMPOTENCY_MISMATCH',
  'IMPORT_CONFLICT',
  'VALIDATION',
  'TOO_LARGE',
  'STORAGE',
  'SCHEMA_OUTDATED',
  'SCHEMA_NEWER',
  'UNAUTHENTICATED',
  'TOO_MANY_STREAMS',
  'UNAVAILABLE',
  'ROUTE_NOT_FOUND',
  'INTERNAL',
] as const

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/**
 * Base of every error thrown on purpose. Match on `code`, not `instanceof`: two copies of the package may be
 * loaded. `details` is safe to log and to send: ids, names and numbers, never content.
 */
export abstract class ThroughlineError extends Error {
  abstract readonly code: ErrorCode
  abstract readonly details: Readonly<Record<string, string | number>>
}

/** No such session, or none that the caller may see. */
export class SessionNotFoundError extends ThroughlineError {
  override readonly name = 'SessionNotFoundError'
  readonly code = 'SESSION_NOT_FOUND'
  readonly details: { sessionId: string }

  constructor(sessionId: string, options?: ErrorOptions) {
    super(`session ${sessionId} does not exist`, options)
    this.details = { sessionId }
  }
}

/** No such memory, or none that the caller may see. */
export class MemoryNotFoundError extends ThroughlineError {
  override readonly name = 'MemoryNotFoundError'
  readonly code = 'MEMORY_NOT_FOUND'
  readonly details: { memoryId: string }

  constructor(memoryId: string, options?: ErrorOptions) {
    super(`memory ${memoryId} does not exist`, options)
    this.details = { memoryId }
  }
}

/** The session has ended or expired: it takes no more events. Start another one, or fork it. */
export class SessionEndedError extends ThroughlineError {
  override readonly name = 'SessionEndedError'
  readonly code = 'SESSION_ENDED'
  readonly details: { sessionId: string; endedAt: string }

  constructor(details: SessionEndedError['details'], options?: ErrorOptions) {
    super(`session ${details.sessionId} ended at ${details.endedAt} and takes no more events`, options)
    this.details = details
  }
}

/** The scope (tenant, user, chatmode, conversation) already has a live session: use it, or end it first. */
export class SessionActiveError extends ThroughlineError {
  override readonly name = 'SessionActiveError'
  readonly code = 'SESSION_ACTIVE'
  readonly details: { sessionId: string; conversationId: string }

  constructor(details: SessionActiveError['details'], options?: ErrorOptions) {
    super(
      `conversation ${details.conversationId} already has the active session ${details.sessionId}; ` +
        'use getOrCreate() to get it, or end it first',
      options,
    )
    this.details = details
  }
}

/** Nothing new is begun for now: whoever runs the store has paused the intake. What exists goes on; try again later. */
export class IntakePausedError extends ThroughlineError {
  override readonly name = 'IntakePausedError'
  readonly code = 'INTAKE_PAUSED'
  readonly details: { since: string }

  constructor(since: string, options?: ErrorOptions) {
    super(`no new sessions are taken since ${since}; try again when the intake has been resumed`, options)
    this.details = { since }
  }
}

/** The log is not where the caller said it was. Read what came since, then write again. */
export class SequenceConflictError extends ThroughlineError {
  override readonly name = 'SequenceConflictError'
  readonly code = 'SEQUENCE_CONFLICT'
  readonly details: { sessionId: string; expected: number; actual: number }

  constructor(details: SequenceConflictError['details'], options?: ErrorOptions) {
    super(`session ${details.sessionId} is at sequence ${details.actual}, not ${details.expected}`, options)
    this.details = details
  }
}

/** The session is not in a state for this command. Nothing was written: look at its status and decide again. */
export class InvalidTransitionError extends ThroughlineError {
  override readonly name = 'InvalidTransitionError'
  readonly code = 'INVALID_TRANSITION'
  readonly details: { sessionId: string; state: string; command: string }

  constructor(details: InvalidTransitionError['details'], options?: ErrorOptions) {
    super(`session ${details.sessionId} is ${details.state}, where ${details.command}() is not allowed`, options)
    this.details = details
  }
}

/** An idempotency key, or a session id made by the caller, came again with other content. A key is a session's, or a user's for memories. */
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
        ? `session ${sessionId} already exists and was created with other values`
        : `idempotency key '${key}' was used ${where} with other content`,
      options,
    )
    this.details = details
  }
}

/** What is here of a session is not what came: it went on here by itself, or the place of its commit is taken. Nothing was changed. */
export class ImportConflictError extends ThroughlineError {
  override readonly name = 'ImportConflictError'
  readonly code = 'IMPORT_CONFLICT'
  readonly details: { sessionId: string; reason: 'event' | 'commit' | 'owner'; sequence?: number }

  constructor(details: ImportConflictError['details'], options?: ErrorOptions) {
    super(
      `session ${details.sessionId} is here already, and differs: ${IMPORT_CONFLICTS[details.reason](details)}`,
      options,
    )
    this.details = details
  }
}

const IMPORT_CONFLICTS: Record<
  ImportConflictError['details']['reason'],
  (details: ImportConflictError['details']) => string
> = {
  event: ({ sequence }) =>
    `its event ${sequence} is another one, so it went on here by itself; purge it here to take the other`,
  commit: () => 'its conversation has another commit in the place of the one that came',
  owner: () => 'the id belongs to somebody else here',
}

/** Input that cannot be accepted. `field` is the path of the first thing that is wrong. */
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

/** Input that is well formed but larger than the limit for its field. */
export class TooLargeError extends ThroughlineError {
  override readonly name = 'TooLargeError'
  readonly code = 'TOO_LARGE'
  readonly field: string
  readonly details: { field: string; limit: number; actual: number }

  constructor(details: TooLargeError['details'], options?: ErrorOptions) {
    super(`${details.field}: has ${details.actual}, and ${details.limit} is the most that is accepted`, options)
    this.field = details.field
    this.details = details
  }
}

/** The database failed or could not be reached. `cause` is the driver's own error. */
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
 * The database has an older schema than this version needs, and migrating was not requested. With `madeBy` no migration
 * leads to this version: export with the version that made the database, and import with this one.
 */
export class SchemaOutdatedError extends ThroughlineError {
  override readonly name = 'SchemaOutdatedError'
  readonly code = 'SCHEMA_OUTDATED'
  readonly details: { found: number; needed: number; madeBy?: 'pre-release' }

  constructor(details: SchemaOutdatedError['details'], options?: ErrorOptions) {
    super(
      details.madeBy === undefined
        ? `the database has schema ${details.found}, this version needs ${details.needed}; ` +
            'run throughline migrate, or open it with { migrate: true }'
        : 'an earlier pre-release made this database, and it cannot be migrated; run throughline export with the version ' +
            'that made it, then throughline import into a new database with this version',
      options,
    )
    this.details = details
  }
}

/** The database was migrated by a newer version. Nothing was changed: update the package. */
export class SchemaNewerError extends ThroughlineError {
  override readonly name = 'SchemaNewerError'
  readonly code = 'SCHEMA_NEWER'
  readonly details: { found: number; known: number }

  constructor(details: SchemaNewerError['details'], options?: ErrorOptions) {
    super(
      `the database has schema ${details.found}, this version knows up to ${details.known}; update throughline`,
      options,
    )
    this.details = details
  }
}

/** The server does not know who is calling: the token is missing, or it is not accepted. */
export class UnauthenticatedError extends ThroughlineError {
  override readonly name = 'UnauthenticatedError'
  readonly code = 'UNAUTHENTICATED'
  readonly details = {}
}

/** The caller follows as many sessions at once as the server allows. End one of the streams first. */
export class TooManyStreamsError extends ThroughlineError {
  override readonly name = 'TooManyStreamsError'
  readonly code = 'TOO_MANY_STREAMS'
  readonly details: { limit: number }

  constructor(limit: number, options?: ErrorOptions) {
    super(`${limit} streams are open already, which is the most for one caller; end one of them first`, options)
    this.details = { limit }
  }
}

/** The server has too much to do, is about to stop, or cannot check tokens for now. Nothing was done: try again in a moment. */
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
  stopping: 'the server is stopping, and takes no more requests',
  busy: 'the server has too much to do; try again in a moment',
  keys: 'the server cannot get the keys that tokens are checked with; try again in a moment',
} as const

/** The server has no such route. */
export class RouteNotFoundError extends ThroughlineError {
  override readonly name = 'RouteNotFoundError'
  readonly code = 'ROUTE_NOT_FOUND'
  readonly details: { method: string; path: string }

  constructor(details: RouteNotFoundError['details'], options?: ErrorOptions) {
    super(`there is no ${details.method} ${details.path}; /openapi.json lists what there is`, options)
    this.details = details
  }
}

/** Something failed on the server that should not. Its log says more, under the id of the request. */
export class InternalError extends ThroughlineError {
  override readonly name = 'InternalError'
  readonly code = 'INTERNAL'
  readonly details: { requestId: string }

  constructor(requestId: string, options?: ErrorOptions) {
    super(`something went wrong on the server; its log says more under request ${requestId}`, options)
    this.details = { requestId }
  }
}
