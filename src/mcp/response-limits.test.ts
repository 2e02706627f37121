import { describe, expect, it } from 'vitest'
import { fitFirst, fitLast, MAX_TEXT, oneLine, truncate, truncateDeep } from './response-limits.ts'

describe('what is cut', () => {
  it('says how much is missing, and is text as before', () => {
    expect(truncate('short', 5)).toBe('short')
    expect(truncate('too long', 3)).toBe('too … [5 more characters]')
    expect(truncate(`a${'🙂'.repeat(10)}`, 4)).toBe('a🙂 … [18 more characters]')
    expect(truncate('x'.repeat(5000), 10)).toBe(`${'x'.repeat(10)} … [4,990 more characters]`)
  })

  it('is one line where it stands in a list', () => {
    expect(oneLine(' a\n\n b\t c ', 20)).toBe('a b c')
    expect(oneLine('abcdef', 4)).toBe('abc…')
    expect(oneLine(`ab${'🙂'.repeat(3)}`, 4)).toBe('ab…')
  })

  it('is the newest of a log, and the last of a ranking', () => {
    const items = ['aaaa', 'bb', 'cc']
    // each is two characters longer as JSON
    expect(fitLast(items, truncate, 8)).toEqual({ kept: ['bb', 'cc'], omitted: 1 })
    expect(fitFirst(items, truncate, 10)).toEqual({ kept: ['aaaa', 'bb'], omitted: 1 })
    expect(fitLast([], truncate, 3)).toEqual({ kept: [], omitted: 0 })
  })

  it('is there at least in part, however little room there is', () => {
    expect(fitLast(['aaaa', 'bb'], truncate, 3)).toEqual({ kept: ['bb'], omitted: 1 })
    const [long, short] = ['x'.repeat(MAX_TEXT), 's'.repeat(80)]
    // 2,000 and 1,000 would be too many
    expect(fitFirst([long, short], truncate, 600)).toEqual({ kept: [truncate(long, 500)], omitted: 1 })
  })

  it('is a list with a word on how many more there are', () => {
    const value = { texts: Array(30).fill('abcdef'), n: 1, none: null }
    expect(truncateDeep(value, 60)).toEqual({ texts: ['abcdef', 'abcdef', 'abcdef', '… [27 more]'], n: 1, none: null })
    expect(truncateDeep(['abcdef'.repeat(20)], 20)).toEqual([truncate('abcdef'.repeat(20), 20)])
  })
})
