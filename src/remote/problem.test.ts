import { describe, expect, it } from 'vitest'
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
  type ThroughlineError,
  TooLargeError,
  TooManyStreamsError,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from '../domain/errors.ts'
import { problemOf } from '../http/error-response.ts'
import { errorFromResponse, parseProblem } from './problem.ts'

const SAMPLES: readonly ThroughlineError[] = [
  new SessionNotFoundError('s1'),
  new SessionEndedError({ sessionId: 's1', endedAt: '2026-01-31T09:30:00.000Z' }),
  new SessionActiveError({ sessionId: 's1', conversationId: 'c1' }),
  new RunActiveError({ sessionId: 's1', runId: 'r1', worker: 'w1' }),
  new RunActiveError({ sessionId: 's1', runId: 'r1' }),
  new RunLostError({ sessionId: 's1', generation: 2 }),
  new RequestResolvedError({ sessionId: 's1', requestId: 'q1' }),
  new IntakePausedError('2026-01-31T09:30:00.000Z'),
  new MemoryNotFoundError('m1'),
  new SequenceConflictError({ sessionId: 's1', expected: 2, actual: 3 }),
  new InvalidTransitionError({ sessionId: 's1', state: 'complete', command: 'ask' }),
  new IdempotencyMismatchError({ sessionId: 's1', key: 'k1' }),
  new IdempotencyMismatchError({ sessionId: 's1' }),
  new IdempotencyMismatchError({ userId: 'ada', key: 'k1' }),
  new ImportConflictError({ sessionId: 's1', reason: 'event', sequence: 7 }),
  new ImportConflictError({ sessionId: 's1', reason: 'owner' }),
  new ValidationError('events[1].content', 'must not be empty'),
  new TooLargeError({ field: 'content', limit: 5, actual: 6 }),
  new StorageError('sqlite', 'the disk is full'),
  new SchemaOutdatedError({ found: 1, needed: 2 }),
  new SchemaOutdatedError({ found: 13, needed: 1, madeBy: 'pre-release' }),
  new SchemaNewerError({ found: 3, known: 2 }),
  new UnauthenticatedError('the token has expired'),
  new TooManyStreamsError(100),
  new RateLimitedError({ limit: 'bodies', retryAfter: 1 }),
  new QuotaExceededError({ quota: 'user', limit: 10, used: 12 }),
  new UnavailableError('stopping'),
  new UnavailableError('busy'),
  new RouteNotFoundError({ method: 'GET', path: '/v1/nothing' }),
  new InternalError('r1'),
]

const fieldsOf = (error: ThroughlineError | undefined) => ({
  class: error?.constructor,
  name: error?.name,
  code: error?.code,
  message: error?.message,
  details: error?.details,
  field: (error as { field?: string } | undefined)?.field,
})

describe('parseProblem', () => {
  it.each(SAMPLES.map((error) => [error.code, error] as const))('restores %s', (_, error) => {
    const problem = JSON.parse(JSON.stringify(problemOf(error, 'r1')))
    expect(fieldsOf(parseProblem(problem))).toStrictEqual(fieldsOf(error))
  })

  it('has a sample of every code', () => {
    expect(new Set(SAMPLES.map(({ code }) => code))).toEqual(new Set(ERROR_CODES))
  })

  it('keeps the message of the server, which may be newer', () => {
    const problem = { code: 'SESSION_NOT_FOUND', detail: 'no session by that name', details: { sessionId: 's1' } }
    const error = parseProblem(problem)
    expect(fieldsOf(error)).toMatchObject({ class: SessionNotFoundError, message: 'no session by that name' })
    expect(fieldsOf(parseProblem({ code: 'OUT_OF_TEA', detail: 'there is none left', details: {} }))).toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/OUT_OF_TEA.*there is none left/),
    })
  })

  it('restores an error without details, as for a malformed request', () => {
    const error = parseProblem({ code: 'VALIDATION', detail: 'request: is not HTTP/1.1 as it should be', details: {} })
    expect(fieldsOf(error)).toMatchObject({
      class: ValidationError,
      message: 'request: is not HTTP/1.1 as it should be',
    })
    expect(fieldsOf(parseProblem({ code: 'TOO_LARGE', detail: 'headers: are large' }))).toMatchObject({
      field: 'request',
    })
  })

  it.each([undefined, null, 'text', 7, [], {}, { code: 'STORAGE' }, { detail: 'x' }, { code: 1, detail: 'x' }])(
    'ignores %j',
    (value) => {
      expect(parseProblem(value)).toBeUndefined()
    },
  )
})

describe('a response without a problem document', () => {
  it.each([
    [502, '<html>Bad gateway for token abc</html>'],
    [404, 'not found'],
    [500, ''],
    [500, '{"message":"boom"}'],
  ])('becomes an error with status %i that does not show the body', (status, text) => {
    const error = errorFromResponse('https://host', status, text)
    expect(error).toBeInstanceOf(StorageError)
    expect(error.details).toEqual({ store: 'http' })
    expect(error.message).toContain(`https://host returned status ${status}`)
    expect(error.message).not.toMatch(/abc|boom/)
  })

  it('advises to open the new address for a redirect', () => {
    expect(errorFromResponse('http://host', 308, '').message).toMatch(/redirect/)
  })
})
