import { describe, expect, it, vi } from 'vitest'
import { ERROR_CODES, SessionEndedError, StorageError } from '../domain/errors.ts'
import { errorResult, toClientError } from './tool-error.ts'

describe('toClientError', () => {
  it('keeps code and message and adds a hint', () => {
    const report = vi.fn()
    const error = toClientError(new SessionEndedError({ sessionId: 'S', endedAt: 'T' }), report)
    expect(error).toMatchObject({ code: 'SESSION_ENDED', details: { sessionId: 'S' } })
    expect(report).not.toHaveBeenCalled()
    const { isError, content, structuredContent } = errorResult(error)
    expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined })
    expect(content).toEqual([{ type: 'text', text: `SESSION_ENDED: ${error.message}\n${error.hint}` }])
    const all = ERROR_CODES.map((code) => toClientError(Object.assign(new Error('x'), { code, details: {} }), report))
    expect(all.map(({ code }) => code)).toEqual([...ERROR_CODES])
    expect(all.filter(({ hint }) => !hint.endsWith('.'))).toEqual([])
  })

  it('reports driver errors and unexpected ones, and hides their messages', () => {
    for (const [error, code] of [
      [new StorageError('postgres', 'secret words', { cause: new Error('more of them') }), 'STORAGE'],
      [new Error('secret'), 'INTERNAL'],
      ['secret', 'INTERNAL'],
      [Object.assign(new Error('secret'), { code: 'ENOENT', details: {} }), 'INTERNAL'],
    ] as const) {
      const report = vi.fn()
      expect(toClientError(error, report)).toMatchObject({ code, message: expect.not.stringContaining('secret') })
      expect(report.mock.calls).toEqual([[error]])
    }
  })
})
