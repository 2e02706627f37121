import { describe, expect, it } from 'vitest'
import { fitFirst, fitLast, MAX_TEXT, oneLine, truncate, truncateDeep } from './response-limits.ts'

describe('response limits', () => {
  it('truncates a text, says how much is missing, and splits no character', () => {
    expect(truncate('short', 5)).toBe('short')
    expect(truncate('too long', 3)).toBe('too … [5 more characters]')
    expect(truncate(`a${'🙂'.repeat(10)}`, 4)).toBe('a🙂 … [18 more characters]')
    expect(truncate('x'.repeat(5000), 10)).toBe(`${'x'.repeat(10)} … [4,990 more characters]`)
  })

  it('puts a text on one line', () => {
    expect(oneLine(' a\n\n b\t c ', 20)).toBe('a b c')
    expect(oneLine('abcdef', 4)).toBe('abc…')
    expect(oneLine(`ab${'🙂'.repeat(3)}`, 4)).toBe('ab…')
  })

  it('drops the oldest of a log and the last of a ranking', () => {
    const items = ['aaaa', 'bb', 'cc']
    // JSON adds two characters to each
    expect(fitLast(items, truncate, 8)).toEqual({ kept: ['bb', 'cc'], omitted: 1 })
    expect(fitFirst(items, truncate, 10)).toEqual({ kept: ['aaaa', 'bb'], omitted: 1 })
    expect(fitLast([], truncate, 3)).toEqual({ kept: [], omitted: 0 })
  })

  it('keeps at least one item, truncated if needed', () => {
    expect(fitLast(['aaaa', 'bb'], truncate, 3)).toEqual({ kept: ['bb'], omitted: 1 })
    const [long, short] = ['x'.repeat(MAX_TEXT), 's'.repeat(80)]
    // 2,000 and 1,000 would be too long
    expect(fitFirst([long, short], truncate, 600)).toEqual({ kept: [truncate(long, 500)], omitted: 1 })
  })

  it('truncates lists and says how many entries are missing', () => {
    const value = { texts: Array(30).fill('abcdef'), n: 1, none: null }
    expect(truncateDeep(value, 60)).toEqual({ texts: ['abcdef', 'abcdef', 'abcdef', '… [27 more]'], n: 1, none: null })
    expect(truncateDeep(['abcdef'.repeat(20)], 20)).toEqual([truncate('abcdef'.repeat(20), 20)])
  })
})
