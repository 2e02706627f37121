import { describe, expect, it } from 'vitest'
import { clip, firstThatFit, line, newestThatFit } from './clip.ts'

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
    expect(newestThatFit(items, 8)).toEqual({ kept: ['bb', 'cc'], omitted: 1 })
    expect(firstThatFit(items, 10)).toEqual({ kept: ['aaaa', 'bb'], omitted: 1 })
    expect(newestThatFit(items, 3)).toEqual({ kept: [], omitted: 3 })
    expect(newestThatFit([], 3)).toEqual({ kept: [], omitted: 0 })
  })
})
