import { afterEach, describe, expect, it, vi } from 'vitest'
import { onUserChange, setToken, token, tokenProblem } from './token.ts'

afterEach(() => {
  setToken('')
  tokenProblem.value = undefined
})

describe('a token', () => {
  it('is accepted with or without “Bearer”, even if nothing can be stored', () => {
    setToken(' Bearer abc.def ')
    expect([token.value, tokenProblem.value]).toEqual(['abc.def', undefined])
  })

  it('is rejected if no header can hold it', () => {
    setToken('good')
    for (const bad of ['a b', 'tökén', 'a\u200Bb', 'a\nb']) {
      tokenProblem.value = undefined
      setToken(bad)
      expect([token.value, tokenProblem.value]).toEqual(['good', expect.stringContaining('no spaces')])
    }
  })

  it('is requested again once it is removed, with all cached content', () => {
    const forget = vi.fn()
    onUserChange(forget)
    setToken('one')
    setToken('two')
    expect(forget).not.toHaveBeenCalled()
    setToken('')
    expect([token.value, tokenProblem.value]).toEqual(['', ''])
    expect(forget).toHaveBeenCalledOnce()
  })
})
