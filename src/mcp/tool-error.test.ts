import { describe, expect, it } from 'vitest'
import { ERROR_CODES, SessionEndedError, StorageError } from '../domain/errors.ts'
import { errorResult, toClientError } from './tool-error.ts'

describe('an error that a tool met', () => {
  it('has its code, its message, and what to do', () => {
    const told = toClientError(new SessionEndedError({ sessionId: 'S', endedAt: 'T' }))
    expect(told).toMatchObject({ code: 'SESSION_ENDED', details: { sessionId: 'S' }, isOurs: false })
    const { isError, content, structuredContent } = errorResult(told)
    expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined })
    expect(content).toEqual([{ type: 'text', text: `SESSION_ENDED: ${told.message}\n${told.hint}` }])
    const known = ERROR_CODES.map((code) => toClientError(Object.assign(new Error('x'), { code, details: {} })))
    expect(known.map(({ code }) => code)).toEqual([...ERROR_CODES])
    expect(known.filter(({ hint }) => !hint.endsWith('.'))).toEqual([])
  })

  it('says nothing of what a driver or nobody foresaw', () => {
    const driver = toClientError(new StorageError('postgres', 'secret words', { cause: new Error('more of them') }))
    expect(driver).toMatchObject({ code: 'STORAGE', isOurs: true, message: expect.not.stringContaining('secret') })
    for (const error of [
      new Error('secret'),
      'secret',
      Object.assign(new Error('secret'), { code: 'ENOENT', details: {} }),
    ]) {
      expect(toClientError(error)).toMatchObject({
        code: 'INTERNAL',
        isOurs: true,
        message: expect.not.stringContaining('secret'),
      })
    }
  })
})
