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
  ThroughlineError,
  TooLargeError,
  TooManyStreamsError,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from './errors.ts'

const cause = new Error('content of the driver')

const SAMPLES: { error: ThroughlineError; name: string; code: string; details: object }[] = [
  {
    error: new SessionNotFoundError('s1', { cause }),
    name: 'SessionNotFoundError',
    code: 'SESSION_NOT_FOUND',
    details: { sessionId: 's1' },
  },
  {
    error: new MemoryNotFoundError('m1', { cause }),
    name: 'MemoryNotFoundError',
    code: 'MEMORY_NOT_FOUND',
    details: { memoryId: 'm1' },
  },
  {
    error: new SessionEndedError({ sessionId: 's1', endedAt: '2026-01-31T09:30:00.000Z' }, { cause }),
    name: 'SessionEndedError',
    code: 'SESSION_ENDED',
    details: { sessionId: 's1', endedAt: '2026-01-31T09:30:00.000Z' },
  },
  {
    error: new SessionActiveError({ sessionId: 's1', conversationId: 'c1' }, { cause }),
    name: 'SessionActiveError',
    code: 'SESSION_ACTIVE',
    details: { sessionId: 's1', conversationId: 'c1' },
  },
  {
    error: new RunActiveError({ sessionId: 's1', runId: 'r1', worker: 'w1' }, { cause }),
    name: 'RunActiveError',
    code: 'RUN_ACTIVE',
    details: { sessionId: 's1', runId: 'r1', worker: 'w1' },
  },
  {
    error: new RunLostError({ sessionId: 's1', generation: 2 }, { cause }),
    name: 'RunLostError',
    code: 'RUN_LOST',
    details: { sessionId: 's1', generation: 2 },
  },
  {
    error: new RequestResolvedError({ sessionId: 's1', requestId: 'q1' }, { cause }),
    name: 'RequestResolvedError',
    code: 'REQUEST_RESOLVED',
    details: { sessionId: 's1', requestId: 'q1' },
  },
  {
    error: new IntakePausedError('2026-01-31T09:30:00.000Z', { cause }),
    name: 'IntakePausedError',
    code: 'INTAKE_PAUSED',
    details: { since: '2026-01-31T09:30:00.000Z' },
  },
  {
    error: new SequenceConflictError({ sessionId: 's1', expected: 2, actual: 3 }, { cause }),
    name: 'SequenceConflictError',
    code: 'SEQUENCE_CONFLICT',
    details: { sessionId: 's1', expected: 2, actual: 3 },
  },
  {
    error: new InvalidTransitionError({ sessionId: 's1', state: 'complete', command: 'ask' }, { cause }),
    name: 'InvalidTransitionError',
    code: 'INVALID_TRANSITION',
    details: { sessionId: 's1', state: 'complete', command: 'ask' },
  },
  {
    error: new IdempotencyMismatchError({ sessionId: 's1', key: 'k1' }, { cause }),
    name: 'IdempotencyMismatchError',
    code: 'IDEMPOTENCY_MISMATCH',
    details: { sessionId: 's1', key: 'k1' },
  },
  {
    error: new ImportConflictError({ sessionId: 's1', reason: 'event', sequence: 7 }, { cause }),
    name: 'ImportConflictError',
    code: 'IMPORT_CONFLICT',
    details: { sessionId: 's1', reason: 'event', sequence: 7 },
  },
  {
    error: new ValidationError('events[1].content', 'must not be empty', { cause }),
    name: 'ValidationError',
    code: 'VALIDATION',
    details: { field: 'events[1].content' },
  },
  {
    error: new TooLargeError({ field: 'content', limit: 5, actual: 6 }, { cause }),
    name: 'TooLargeError',
    code: 'TOO_LARGE',
    details: { field: 'content', limit: 5, actual: 6 },
  },
  {
    error: new StorageError('sqlite', 'the disk is full', { cause }),
    name: 'StorageError',
    code: 'STORAGE',
    details: { store: 'sqlite' },
  },
  {
    error: new SchemaOutdatedError({ found: 1, needed: 2 }, { cause }),
    name: 'SchemaOutdatedError',
    code: 'SCHEMA_OUTDATED',
    details: { found: 1, needed: 2 },
  },
  {
    error: new SchemaNewerError({ found: 3, known: 2 }, { cause }),
    name: 'SchemaNewerError',
    code: 'SCHEMA_NEWER',
    details: { found: 3, known: 2 },
  },
  {
    error: new UnauthenticatedError('the token has expired', { cause }),
    name: 'UnauthenticatedError',
    code: 'UNAUTHENTICATED',
    details: {},
  },
  {
    error: new TooManyStreamsError(100, { cause }),
    name: 'TooManyStreamsError',
    code: 'TOO_MANY_STREAMS',
    details: { limit: 100 },
  },
  {
    error: new RateLimitedError({ limit: 'bulk', retryAfter: 3 }, { cause }),
    name: 'RateLimitedError',
    code: 'RATE_LIMITED',
    details: { limit: 'bulk', retryAfter: 3 },
  },
  {
    error: new QuotaExceededError({ quota: 'tenant', limit: 10, used: 12 }, { cause }),
    name: 'QuotaExceededError',
    code: 'QUOTA_EXCEEDED',
    details: { quota: 'tenant', limit: 10, used: 12 },
  },
  {
    error: new UnavailableError('busy', { cause }),
    name: 'UnavailableError',
    code: 'UNAVAILABLE',
    details: { reason: 'busy' },
  },
  {
    error: new RouteNotFoundError({ method: 'GET', path: '/v2' }, { cause }),
    name: 'RouteNotFoundError',
    code: 'ROUTE_NOT_FOUND',
    details: { method: 'GET', path: '/v2' },
  },
  {
    error: new InternalError('r1', { cause }),
    name: 'InternalError',
    code: 'INTERNAL',
    details: { requestId: 'r1' },
  },
]

describe('an error', () => {
  it.each(SAMPLES)('$name has a code, and its message names every detail', ({ error, name, code, details }) => {
    expect({ name: error.name, code: error.code, details: error.details }).toStrictEqual({ name, code, details })
    for (const value of Object.values(details)) expect(error.message).toContain(String(value))
    expect(error).toBeInstanceOf(ThroughlineError)
    expect(error).toBeInstanceOf(Error)
    expect(error.constructor.name).toBe(name)
    expect(String(error)).toBe(`${name}: ${error.message}`)
  })

  it.each(SAMPLES)('$name carries its cause without repeating it', ({ error }) => {
    expect(error.cause).toBe(cause)
    expect(error.message + JSON.stringify(error.details)).not.toContain(cause.message)
  })

  it('about a field has its name', () => {
    expect(new ValidationError('role', 'is unknown').field).toBe('role')
    expect(new TooLargeError({ field: 'task', limit: 1, actual: 2 }).field).toBe('task')
  })

  it('of a stopping server says so', () => {
    const error = new UnavailableError('stopping')
    expect(error.message).toMatch(/shutting down/)
    expect(error.details).toStrictEqual({ reason: 'stopping' })
  })

  it('of a session created with other values names no key', () => {
    const error = new IdempotencyMismatchError({ sessionId: 's1' })
    expect(error.message).toMatch(/session s1 already exists/)
    expect(error.details).toStrictEqual({ sessionId: 's1' })
  })

  it.each([
    ['commit', /s1 already exists.*another commit/],
    ['owner', /s1 already exists.*another tenant or user/],
  ] as const)('of an import names the conflict: %s', (reason, message) => {
    const error = new ImportConflictError({ sessionId: 's1', reason })
    expect(error.message).toMatch(message)
    expect(error.details).toStrictEqual({ sessionId: 's1', reason })
  })

  it('of a memory key names the user instead of a session', () => {
    const error = new IdempotencyMismatchError({ userId: 'ada', key: 'k1' })
    expect(error.message).toMatch(/'k1'.*user ada/)
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
    // not thrown by a call: the reason of a signal
    const known = [ThroughlineError, surface.RunStopped, ...SAMPLES.map(({ error }) => error.constructor)]
    expect(new Set(classes)).toEqual(new Set(known))
    expect(classes).toHaveLength(ERROR_CODES.length + 2)
  })
})
