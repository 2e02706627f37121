import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokenizer } from './estimate.ts'

const { count } = estimateTokenizer

describe('the estimate', () => {
  it('has a name of its own', () => {
    expect(estimateTokenizer.name).toBe('estimate')
  })

  it('is a token for four characters of Latin script, rounded up', () => {
    expect(['', 'a', 'abcd', 'abcde', 'Ångström'].map(count)).toEqual([0, 1, 1, 2, 2])
  })

  it('is two tokens for three characters of other scripts', () => {
    expect(['中', '中文字', '中文字中文字', 'привет'].map(count)).toEqual([1, 2, 4, 4])
  })

  it('draws the line behind the letters of Latin script', () => {
    expect(count('\u024f'.repeat(6))).toBe(2)
    expect(count('\u0250'.repeat(6))).toBe(4)
  })

  it('adds up both in a mixed text before it rounds', () => {
    expect(count('a中')).toBe(1)
  })

  it('grows with the text and is never more than its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(count(a + b)).toBeGreaterThanOrEqual(count(a))
        expect(count(a)).toBeLessThanOrEqual(a.length)
        expect(Number.isInteger(count(a))).toBe(true)
      }),
    )
  })
})
