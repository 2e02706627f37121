import { describe, expect, it } from 'vitest'
import { displayWidth } from './display-width.ts'
import { pad, sanitizeLine, sanitizeLines, toOneLine, truncate, wrap } from './text.ts'

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['café', 4],
    ['cafe\u0301', 4],
    ['日本語', 6],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['カ\u3099', 2],
    ['👩‍💻', 2],
    ['👍🏽', 2],
    ['🇦🇹', 2],
    ['❤️', 2],
    ['❤', 1],
    ['1️⃣', 2],
    ['… → █ ─', 7],
    ['שלום', 4],
    ['a\u200bb\u{feff}', 2],
  ])('of %j is %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })
})

describe('truncate', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['a👩‍💻b', 3, 'a…'],
    ['e\u0301'.repeat(4), 4, 'e\u0301'.repeat(4)],
    ['e\u0301'.repeat(5), 4, `${'e\u0301'.repeat(3)}…`],
    ['abc', 1, '…'],
  ])('cuts %j to %i columns, never within a character', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })

  it('replaces a stack of marks', () => {
    expect(truncate(`a${'\u0301'.repeat(500)}bc`, 3)).toBe('\u{fffd}bc')
  })
})

describe('wrap', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 100, ['one two three']],
    ['', 10, ['']],
    ['  indented words go on', 12, ['  indented', 'words go on']],
    ['a https://example.org/long', 10, ['a', 'https://ex', 'ample.org/', 'long']],
    ['日本語の文章', 6, ['日本語', 'の文章']],
    ['日本語の文章', 5, ['日本', '語の', '文章']],
    ['word  with   blanks', 9, ['word', 'with', 'blanks']],
  ])('%j at %i columns', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines)
  })
})

it('toOneLine reads only the start of a long text', () => {
  expect(toOneLine(' a\n\tb ', 10)).toBe('a b')
  expect(toOneLine('x'.repeat(8_000_000), 10)).toBe(`${'x'.repeat(9)}…`)
  expect(toOneLine(`a${' '.repeat(8_000_000)}b`, 10)).toBe('a …')
})

it('pads by columns', () => {
  expect([pad('日', 4), pad('日', 4, 'right'), pad('long', 2)]).toEqual(['日  ', '  日', 'long'])
})

it('replaces control and bidirectional characters', () => {
  expect(sanitizeLine('a\u001b[2Jb\u009b\u202ec\u2066d\u061ce\n\tf\u2028g')).toBe('a�[2Jb��c�d�e f g')
  expect(sanitizeLines('one\r\n  two\u001b\n\n\tthree\u0085')).toBe('one\n  two�\n\n        three�')
  expect(sanitizeLine('a\u200eb\u200fc\u200bd\u2060e\u{e0041}\u{e0042}f')).toBe('a�b�c�d�e�f')
  expect(sanitizeLines('a\u200eb\u2028c')).toBe('a�b c')
})

it('keeps the marks that scripts need, and replaces stacks of them', () => {
  const fine = ['קָ֑דִ֔', 'e\u0302\u0323', '👩🏽‍❤️‍💋‍👩🏽', 'می\u200cخواهم', 'ཧཱུྃ']
  expect(fine.map(sanitizeLine)).toEqual(fine)
  expect(sanitizeLine(`a${'\u0301'.repeat(20)}b`)).toBe('a�b')
  expect(sanitizeLines(`a${'\u0489'.repeat(20)}b`)).toBe('a�b')
  expect(sanitizeLine(`${'👩\u200d'.repeat(100)}👩`)).toBe('�')
})

it('keeps lines, indentation and columns', () => {
  expect(sanitizeLines('if x:\n\ty = 1\n    z\n')).toBe('if x:\n        y = 1\n    z\n')
  expect(sanitizeLines('name   size  \na\t1\n日本\t22')).toBe('name   size\na       1\n日本    22')
})
