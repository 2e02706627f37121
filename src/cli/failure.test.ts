import { CommanderError } from 'commander'
import { describe, expect, it, vi } from 'vitest'
import { SequenceConflictError, UnauthenticatedError } from '../domain/errors.ts'
import { toFailure } from './failure.ts'

describe('toFailure', () => {
  it('keeps code, message and details of a Throughline error', () => {
    const details = { sessionId: 's', expected: 1, actual: 2 }
    const failure = toFailure(new SequenceConflictError(details))
    expect(failure).toEqual({ code: 'SEQUENCE_CONFLICT', message: expect.any(String), details, exitCode: 4 })
  })

  it('reports other errors as unexpected, without a stack', () => {
    const foreign = Object.assign(new Error('disk on fire'), { code: 'EIO', details: {} })
    expect(toFailure(foreign)).toMatchObject({ code: 'UNEXPECTED', details: {}, exitCode: 1 })
    expect(toFailure(foreign)?.message).toBe('disk on fire (set NODE_DEBUG=throughline for the stack trace)')
    expect(toFailure('no error at all')).toMatchObject({ code: 'UNEXPECTED' })
  })

  it('names the setting if a token is missing or rejected', () => {
    const error = new UnauthenticatedError('send the header Authorization: Bearer <token>')
    vi.stubEnv('THROUGHLINE_TOKEN', '')
    expect(toFailure(error)?.message).toBe('the server requires a token: set THROUGHLINE_TOKEN')
    vi.stubEnv('THROUGHLINE_TOKEN', 'old')
    const message = 'the server rejected THROUGHLINE_TOKEN: it has expired'
    expect(toFailure(new UnauthenticatedError('it has expired'))).toMatchObject({ message, exitCode: 2 })
    vi.unstubAllEnvs()
  })

  it('ignores --help and --version', () => {
    expect(toFailure(new CommanderError(0, 'commander.version', '1.0.0'))).toBeUndefined()
  })
})
