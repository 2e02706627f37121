import { CommanderError } from 'commander'
import { describe, expect, it, vi } from 'vitest'
import { SequenceConflictError, UnauthenticatedError } from '../domain/errors.ts'
import { toFailure } from './failure.ts'

describe('failureOf', () => {
  it('takes code, message and details from an error of ours', () => {
    const details = { sessionId: 's', expected: 1, actual: 2 }
    const failure = toFailure(new SequenceConflictError(details))
    expect(failure).toEqual({ code: 'SEQUENCE_CONFLICT', message: expect.any(String), details, exitCode: 4 })
  })

  it('calls everything else unexpected, and shows no stack', () => {
    const foreign = Object.assign(new Error('disk on fire'), { code: 'EIO', details: {} })
    expect(toFailure(foreign)).toMatchObject({ code: 'UNEXPECTED', details: {}, exitCode: 1 })
    expect(toFailure(foreign)?.message).toBe('disk on fire (NODE_DEBUG=throughline shows where)')
    expect(toFailure('no error at all')).toMatchObject({ code: 'UNEXPECTED' })
  })

  it('speaks of the setting where a token is missing or not accepted', () => {
    const error = new UnauthenticatedError('send the header Authorization: Bearer <token>')
    vi.stubEnv('THROUGHLINE_TOKEN', '')
    expect(toFailure(error)?.message).toBe('the server wants to know who is calling: set THROUGHLINE_TOKEN')
    vi.stubEnv('THROUGHLINE_TOKEN', 'old')
    const message = 'the token in THROUGHLINE_TOKEN is not accepted: it has expired'
    expect(toFailure(new UnauthenticatedError('it has expired'))).toMatchObject({ message, exitCode: 2 })
    vi.unstubAllEnvs()
  })

  it('sees no failure where help or the version was asked for', () => {
    expect(toFailure(new CommanderError(0, 'commander.version', '1.0.0'))).toBeUndefined()
  })
})
