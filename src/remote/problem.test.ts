import { describe, expect, it } from 'vitest'
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
  new UnavailableError('stopping'),
  new UnavailableError('busy'),
  new RouteNotFoundError({ method: 'GET', path: '/v1/nothing' }),
  new InternalError('r1'),
]

const shown = (error: ThroughlineError | undefined) => ({
  class: error?.constructor,
  name: error?.name,
  code: error?.code,
  message: error?.message,
  details: error?.details,
  field: (error as { field?: string } | undefined)?.field,
})

describe('a problem', () => {
  it.each(SAMPLES.map((error) => [error.code, error] as const))('%s becomes the error that it was', (_, error) => {
    const problem = JSON.parse(JSON.stringify(problemOf(error, 'r1')))
    expect(shown(parseProblem(problem))).toStrictEqual(shown(error))
  })

  it('is known for every code', () => {
    expect(new Set(SAMPLES.map(({ code }) => code))).toEqual(new Set(ERROR_CODES))
  })

  it('keeps the words of its server, which may be a newer one', () => {
    const problem = { code: 'SESSION_NOT_FOUND', detail: 'no session by that name', details: { sessionId: 's1' } }
    const error = parseProblem(problem)
    expect(shown(error)).toMatchObject({ class: SessionNotFoundError, message: 'no session by that name' })
    expect(shown(parseProblem({ code: 'OUT_OF_TEA', detail: 'there is none left', details: {} }))).toMatchObject({
      code: 'STORAGE',
      message: 'http: the server answers OUT_OF_TEA: there is none left',
    })
  })

  it('without details, as of what is no request at all, is an error all the same', () => {
    const error = parseProblem({ code: 'VALIDATION', detail: 'request: is not HTTP/1.1 as it should be', details: {} })
    expect(shown(error)).toMatchObject({ class: ValidationError, message: 'request: is not HTTP/1.1 as it should be' })
    expect(shown(parseProblem({ code: 'TOO_LARGE', detail: 'headers: are large' }))).toMatchObject({ field: 'request' })
  })

  it.each([undefined, null, 'text', 7, [], {}, { code: 'STORAGE' }, { detail: 'x' }, { code: 1, detail: 'x' }])(
    'is not seen in %j',
    (value) => {
      expect(parseProblem(value)).toBeUndefined()
    },
  )
})

describe('an answer that is no problem', () => {
  it.each([
    [502, '<html>Bad gateway for token abc</html>'],
    [404, 'not found'],
    [500, ''],
    [500, '{"message":"boom"}'],
  ])('is named by its status %i, and not repeated', (status, text) => {
    const error = errorFromResponse('https://host', status, text)
    expect(error).toBeInstanceOf(StorageError)
    expect(error.details).toEqual({ store: 'http' })
    expect(error.message).toContain(`https://host answers with status ${status}`)
    expect(error.message).not.toMatch(/abc|boom/)
  })

  it('says so where it is a redirect', () => {
    expect(errorFromResponse('http://host', 308, '').message).toContain('open that address instead')
  })
})
