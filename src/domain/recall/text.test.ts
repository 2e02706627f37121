import { describe, expect, it } from 'vitest'
import { stem } from './stem.ts'
import { isStopWord, term, terms, words } from './text.ts'

describe('words', () => {
  it('lowers case, folds accents and takes possessives and contractions apart', () => {
    expect(words("Zoë's café wasn't OPEN, I’ll go, O'Brien")).toEqual([
      'zoe',
      'cafe',
      'was',
      'open',
      'i',
      'go',
      'obrien',
    ])
  })

  it('gives pairs of characters for scripts without spaces', () => {
    expect(words('東京都 に')).toEqual(['東京', '京都', 'に'])
  })

  it('takes search syntax as words or as nothing', () => {
    expect(words('"a" AND (b OR NOT c*) \' ; -- NEAR/3')).toEqual(['a', 'and', 'b', 'or', 'not', 'c', 'near', '3'])
    expect(words('"\'`()*:^')).toEqual([])
  })

  it('truncates words that are too long', () => {
    expect(words('x'.repeat(10_000))).toEqual(['x'.repeat(40)])
  })
})

describe('term', () => {
  it('brings numbers to figures', () => {
    expect(['three', 'third', '3rd', '3'].map(term)).toEqual(['3', '3', '3', '3'])
  })

  it('leaves stop words out of a text', () => {
    expect(terms('What did they buy at the old market?')).toEqual(['buy', 'old', 'market'])
    expect(isStopWord('the')).toBe(true)
  })
})

describe('stem', () => {
  it.each([
    ['go', 'going', 'goes', 'went', 'gone'],
    ['paint', 'painted', 'painting', 'paintings', 'paints'],
    ['child', 'children'],
    ['hop', 'hopped', 'hopping'],
    ['hope', 'hoped', 'hoping', 'hopes'],
    ['adopt', 'adoption', 'adopted', 'adopting'],
    ['celebrate', 'celebration', 'celebrated'],
    ['health', 'healthy'],
    ['relate', 'relational', 'relating'],
    ['agree', 'agreed'],
    ['tie', 'tied', 'ties'],
    ['kind', 'kindness'],
    ['quick', 'quickly'],
    ['inform', 'informative'],
    ['geology', 'geologies'],
    ['dress', 'dresses'],
  ])('makes one of %s and its forms', (base, ...forms) => {
    expect(new Set(forms.map(stem))).toEqual(new Set([stem(base)]))
  })

  it.each([
    ['news', 'new'],
    ['general', 'generous'],
    ['bus', 'but'],
    ['sky', 'ski'],
    ['universe', 'unit'],
  ])('keeps %s and %s apart', (a, b) => {
    expect(stem(a)).not.toBe(stem(b))
  })

  it('leaves short words, numbers and other alphabets alone', () => {
    expect(['is', '2024', 'дома', 'a1s'].map(stem)).toEqual(['is', '2024', 'дома', 'a1s'])
  })

  it('handles the endings of every step', () => {
    expect(
      ['hopefulness', 'sensibility', 'proceedings', 'controlling', 'skies', 'feed', 'gas', 'yelled'].map(stem),
    ).toEqual(['hope', 'sensibl', 'proceed', 'control', 'sky', 'feed', 'gas', 'yell'])
  })
})
