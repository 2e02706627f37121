import { describe, expect, it } from 'vitest'
import * as surface from '../index.ts'
import {
  ERROR_CODES,
  IdempotencyMismatchError,
  ImportConflictError,
  IntakePausedError,
  InternalError,
  InvalidTransitionError,
  MemoryNotFoundError,
  RouteNotFoundError,
  SchemaNewerError,
  SchemaOutdatedError,
  SequenceConflictError,
  SessionActiveError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
  ThroughlineError,
  TooLargeError,
  TooManyStreamsError,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from './errors.ts'

const cause = new Error('content of the driver')

const SAMPLES: { error: ThroughlineError; name: string; code: string; details: object; message: string }[] = [
  {
    error: new SessionNotFoundError('s1', { cause }),
    name: 'SessionNotFoundError',
    code: 'SESSION_NOT_FOUND',
    details: { sessionId: 's1' },
    message: 'session s1 does not exist',
  },
  {
    error: new MemoryNotFoundError('m1', { cause }),
    name: 'MemoryNotFoundError',
    code: 'MEMORY_NOT_FOUND',
    details: { memoryId: 'm1' },
    message: 'memory m1 does not exist',
  },
  {
    error: new SessionEndedError({ sessionId: 's1', endedAt: '2026-01-31T09:30:00.000Z' }, { cause }),
    name: 'SessionEndedError',
    code: 'SESSION_ENDED',
    details: { sessionId: 's1', endedAt: '2026-01-31T09:30:00.000Z' },
    message: 'session s1 ended at 2026-01-31T09:30:00.000Z and takes no more events',
  },
  {
    error: new SessionActiveError({ sessionId: 's1', conversationId: 'c1' }, { cause }),
    name: 'SessionActiveError',
    code: 'SESSION_ACTIVE',
    details: { sessionId: 's1', conversationId: 'c1' },
    message: 'conversation c1 already has the active session s1; use getOrCreate() to get it, or end it first',
  },
  {
    error: new IntakePausedError('2026-01-31T09:30:00.000Z', { cause }),
    name: 'IntakePausedError',
    code: 'INTAKE_PAUSED',
    details: { since: '2026-01-31T09:30:00.000Z' },
    message: 'no new sessions are taken since 2026-01-31T09:30:00.000Z; try again when the intake has been resumed',
  },
  {
    error: new SequenceConflictError({ sessionId: 's1', expected: 2, actual: 3 }, { cause }),
    name: 'SequenceConflictError',
    code: 'SEQUENCE_CONFLICT',
    details: { sessionId: 's1', expected: 2, actual: 3 },
    message: 'session s1 is at sequence 3, not 2',
  },
  {
    error: new InvalidTransitionError({ sessionId: 's1', state: 'complete', command: 'ask' }, { cause }),
    name: 'InvalidTransitionError',
    code: 'INVALID_TRANSITION',
    details: { sessionId: 's1', state: 'complete', command: 'ask' },
    message: 'session s1 is complete, where ask() is not allowed',
  },
  {
    error: new IdempotencyMismatchError({ sessionId: 's1', key: 'k1' }, { cause }),
    name: 'IdempotencyMismatchError',
    code: 'IDEMPOTENCY_MISMATCH',
    details: { sessionId: 's1', key: 'k1' },
    message: "idempotency key 'k1' was used in session s1 with other content",
  },
  {
    error: new ImportConflictError({ sessionId: 's1', reason: 'event', sequence: 7 }, { cause }),
    name: 'ImportConflictError',
    code: 'IMPORT_CONFLICT',
    details: { sessionId: 's1', reason: 'event', sequence: 7 },
    message:
      'session s1 is here already, and differs: its event 7 is another one, so it went on here by itself; purge it here to take the other',
  },
  {
    error: new ValidationError('events[1].content', 'must not be empty', { cause }),
    name: 'ValidationError',
    code: 'VALIDATION',
    details: { field: 'events[1].content' },
    message: 'events[1].content: must not be empty',
  },
  {
    error: new TooLargeError({ field: 'content', limit: 5, actual: 6 }, { cause }),
    name: 'TooLargeError',
    code: 'TOO_LARGE',
    details: { field: 'content', limit: 5, actual: 6 },
    message: 'content: has 6, and 5 is the most that is accepted',
  },
  {
    error: new StorageError('sqlite', 'the disk is full', { cause }),
    name: 'StorageError',
    code: 'STORAGE',
    details: { store: 'sqlite' },
    message: 'sqlite: the disk is full',
  },
  {
    error: new SchemaOutdatedError({ found: 1, needed: 2 }, { cause }),
    name: 'SchemaOutdatedError',
    code: 'SCHEMA_OUTDATED',
    details: { found: 1, needed: 2 },
    message:
      'the database has schema 1, this version needs 2; run throughline migrate, or open it with { migrate: true }',
  },
  {
    error: new SchemaNewerError({ found: 3, known: 2 }, { cause }),
    name: 'SchemaNewerError',
    code: 'SCHEMA_NEWER',
    details: { found: 3, known: 2 },
    message: 'the database has schema 3, this version knows up to 2; update throughline',
  },
  {
    error: new UnauthenticatedError('the token has expired', { cause }),
    name: 'UnauthenticatedError',
    code: 'UNAUTHENTICATED',
    details: {},
    message: 'the token has expired',
  },
  {
    error: new TooManyStreamsError(100, { cause }),
    name: 'TooManyStreamsError',
    code: 'TOO_MANY_STREAMS',
    details: { limit: 100 },
    message: '100 streams are open already, which is the most for one caller; end one of them first',
  },
  {
    error: new UnavailableError('busy', { cause }),
    name: 'UnavailableError',
    code: 'UNAVAILABLE',
    details: { reason: 'busy' },
    message: 'the server has too much to do; try again in a moment',
  },
  {
    error: new RouteNotFoundError({ method: 'GET', path: '/v2' }, { cause }),
    name: 'RouteNotFoundError',
    code: 'ROUTE_NOT_FOUND',
    details: { method: 'GET', path: '/v2' },
    message: 'there is no GET /v2; /openapi.json lists what there is',
  },
  {
    error: new InternalError('r1', { cause }),
    name: 'InternalError',
    code: 'INTERNAL',
    details: { requestId: 'r1' },
    message: 'something went wrong on the server; its log says more under request r1',
  },
]

describe('an error', () => {
  it.each(SAMPLES)('$name says what happened, in ids, names and numbers', ({ error, name, code, details, message }) => {
    expect({ name: error.name, code: error.code, details: error.details, message: error.message }).toStrictEqual({
      name,
      code,
      details,
      message,
    })
    expect(error).toBeInstanceOf(ThroughlineError)
    expect(error).toBeInstanceOf(Error)
    expect(error.constructor.name).toBe(name)
    expect(String(error)).toBe(`${name}: ${message}`)
  })

  it.each(SAMPLES)('$name carries its cause, and does not repeat it', ({ error }) => {
    expect(error.cause).toBe(cause)
    expect(error.message + JSON.stringify(error.details)).not.toContain(cause.message)
  })

  it('of a field has the field at hand', () => {
    expect(new ValidationError('role', 'is unknown').field).toBe('role')
    expect(new TooLargeError({ field: 'task', limit: 1, actual: 2 }).field).toBe('task')
  })

  it('of a server that stops says so', () => {
    const error = new UnavailableError('stopping')
    expect(error.message).toBe('the server is stopping, and takes no more requests')
    expect(error.details).toStrictEqual({ reason: 'stopping' })
  })

  it('of a session that was created with other values names no key', () => {
    const error = new IdempotencyMismatchError({ sessionId: 's1' })
    expect(error.message).toBe('session s1 already exists and was created with other values')
    expect(error.details).toStrictEqual({ sessionId: 's1' })
  })

  it.each([
    ['commit', 'its conversation has another commit in the place of the one that came'],
    ['owner', 'the id belongs to somebody else here'],
  ] as const)('of an import that meets another %s says so, and no more', (reason, words) => {
    const error = new ImportConflictError({ sessionId: 's1', reason })
    expect(error.message).toBe(`session s1 is here already, and differs: ${words}`)
    expect(error.details).toStrictEqual({ sessionId: 's1', reason })
  })

  it('of a key that was used for memories names the user in place of a session', () => {
    const error = new IdempotencyMismatchError({ userId: 'ada', key: 'k1' })
    expect(error.message).toBe("idempotency key 'k1' was used for memories of user ada with other content")
    expect(error.details).toStrictEqual({ userId: 'ada', key: 'k1' })
  })

  it('names the way out of a database that an earlier pre-release made', () => {
    const error = new SchemaOutdatedError({ found: 13, needed: 1, madeBy: 'pre-release' })
    expect(error.message).toMatch(/throughline export .* throughline import/)
  })
})

describe('the codes', () => {
  it('have one class each, and each class has one of them', () => {
    expect(SAMPLES.map(({ error }) => error.code).toSorted()).toEqual([...ERROR_CODES].toSorted())
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length)
  })

  it('have classes that are all exported from the package, and no other error is', () => {
    const classes = Object.values(surface).filter(
      (exported) => typeof exported === 'function' && exported.prototype instanceof Error,
    )
    const known = [ThroughlineError, ...SAMPLES.map(({ error }) => error.constructor)]
    expect(new Set(classes)).toEqual(new Set(known))
    expect(classes).toHaveLength(ERROR_CODES.length + 1)
  })
})
