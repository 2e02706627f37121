import { describe, expect, it } from 'vitest'
import { clip, firstThatFit, LONGEST_TEXT, line, newestThatFit, shortened } from './clip.ts'

describe('what is cut', () => {
  it('says how much is missing, and is text as before', () => {
    expect(clip('short', 5)).toBe('short')
    expect(clip('too long', 3)).toBe('too … [5 more characters]')
    expect(clip(`a${'🙂'.repeat(10)}`, 4)).toBe('a🙂 … [18 more characters]')
    expect(clip('x'.repeat(5000), 10)).toBe(`${'x'.repeat(10)} … [4,990 more characters]`)
  })

  it('is one line where it stands in a list', () => {
    expect(line(' a\n\n b\t c ', 20)).toBe('a b c')
    expect(line('abcdef', 4)).toBe('abc…')
    expect(line(`ab${'🙂'.repeat(3)}`, 4)).toBe('ab…')
  })

  it('is the newest of a log, and the last of a ranking', () => {
    const items = ['aaaa', 'bb', 'cc']
    // each is two characters longer as JSON
    expect(newestThatFit(items, clip, 8)).toEqual({ kept: ['bb', 'cc'], omitted: 1 })
    expect(firstThatFit(items, clip, 10)).toEqual({ kept: ['aaaa', 'bb'], omitted: 1 })
    expect(newestThatFit([], clip, 3)).toEqual({ kept: [], omitted: 0 })
  })

  it('is there at least in part, however little room there is', () => {
    expect(newestThatFit(['aaaa', 'bb'], clip, 3)).toEqual({ kept: ['bb'], omitted: 1 })
    const [long, short] = ['x'.repeat(LONGEST_TEXT), 's'.repeat(80)]
    // 2,000 and 1,000 would be too many
    expect(firstThatFit([long, short], clip, 600)).toEqual({ kept: [clip(long, 500)], omitted: 1 })
  })

  it('is a list with a word on how many more there are', () => {
    const value = { texts: Array(30).fill('abcdef'), n: 1, none: null }
    expect(shortened(value, 60)).toEqual({ texts: ['abcdef', 'abcdef', 'abcdef', '… [27 more]'], n: 1, none: null })
    expect(shortened(['abcdef'.repeat(20)], 20)).toEqual([clip('abcdef'.repeat(20), 20)])
  })
})
