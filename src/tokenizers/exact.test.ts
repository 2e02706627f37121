import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { exactTokenizer } from './exact.ts'

/** Texts that were handed to the encoder. */
const encoded = vi.hoisted((): string[] => [])

vi.mock(import('gpt-tokenizer/encoding/o200k_base'), async (original) => {
  const encoding = await original()
  const watched = (...args: Parameters<typeof encoding.countTokens>) => {
    encoded.push(String(args[0]))
    return encoding.countTokens(...args)
  }
  return { ...encoding, countTokens: watched }
})

const tokenizer = await exactTokenizer()

beforeEach(() => {
  encoded.length = 0
})

/** What the encoder itself says, in whatever time it takes. */
const direct = (text: string) => countTokens(text, { disallowedSpecial: new Set() })

/** Length of the longest run that the encoder merges as one; its cost is the square of that. */
function longestRun(): number {
  const runs = encoded.flatMap((text) => text.match(O200K_TOKEN_SPLIT_REGEX) ?? [])
  return Math.max(...runs.map((run) => [...run].length))
}

describe('an exact count', () => {
  it('goes by the name of its encoding', () => {
    expect(tokenizer.name).toBe('o200k')
  })

  it.each([
    ['', 0],
    ['hello', 1],
    ['hello world', 2],
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['こんにちは世界', 2],
    ['1234567', 3],
  ])('of %j is known', (text, tokens) => {
    expect(tokenizer.count(text)).toBe(tokens)
  })

  it('is that of the encoder for ordinary text, in one call', () => {
    const prose = 'It was a bright cold day in April, and the clocks were striking thirteen.\n\n'.repeat(200)
    const code = 'for (let i = 0; i < list.length; i++) {\n  total += list[i] // add\n}\n'.repeat(200)
    const table = `| ${'name | '.repeat(20)}\n|${'---|'.repeat(21)}\n`.repeat(20)
    for (const text of [prose, code, table]) {
      encoded.length = 0
      const tokens = tokenizer.count(text)
      expect(encoded).toEqual([text])
      expect(tokens).toBe(direct(text))
    }
  })

  it('is that of the encoder for any text without long runs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(tokenizer.count(text)).toBe(direct(text))
      }),
    )
  })

  it('is the sum of its slices, which are short', () => {
    const text = 'It was a bright cold day in April.\n\tif (a) b(c)\n'.repeat(2000)
    const slices = [...(tokenizer.slices?.(text) ?? [])]
    expect(slices.join('')).toBe(text)
    expect(Math.max(...slices.map(({ length }) => length))).toBeLessThanOrEqual(4092)
    expect(slices.reduce((sum, slice) => sum + tokenizer.count(slice), 0)).toBe(tokenizer.count(text))
  })

  it('takes the names of special tokens as text', () => {
    expect(tokenizer.count('<|endoftext|>')).toBe(7)
    expect(tokenizer.count('say <|endoftext|> and <|im_start|>')).toBeGreaterThan(10)
  })
})

const LONG: [string, string][] = [
  ['letters', 'a'],
  ['letters of both cases', 'aB'],
  ['CJK', '中文'],
  ['letters with marks', 'e\u0301'],
  ['blanks', ' '],
  ['line breaks', '\r\n'],
  ['blanks of many kinds', ' \t\n\u00a0'],
  ['signs', '='],
  ['many signs', '<|!?#'],
  ['emoji', '😀'],
  ['emoji of several signs', '🏳️‍🌈'],
  ['empty comments', '//\n'],
  ['signs with marks', '--\u0301'],
  ['digits', '0123456789'],
]

describe('a long run', () => {
  it.each(LONG)('of %s is merged in pieces', (_, unit) => {
    const text = unit.repeat(100_000 / unit.length)
    const tokens = tokenizer.count(text)
    expect(longestRun()).toBeLessThanOrEqual(260)
    expect(encoded.length).toBeLessThanOrEqual(text.length / 256 + 3)
    expect(encoded.join('')).toBe(text)
    expect(tokens).toBeGreaterThan(0)
  })

  it.each(LONG)('of %s costs at most two tokens more for each piece', (_, unit) => {
    const text = unit.repeat(2000 / unit.length)
    const exact = direct(text)
    encoded.length = 0
    const tokens = tokenizer.count(text)
    expect(tokens).toBeGreaterThanOrEqual(exact)
    expect(tokens).toBeLessThanOrEqual(exact + 2 * encoded.length)
  })

  it.each(['a', '=', ' '])('of millions of %j is counted', (unit) => {
    const text = unit.repeat(7 * 1024 * 1024)
    expect(tokenizer.count(text)).toBeGreaterThanOrEqual(text.length / 256)
    expect(encoded.every((piece) => piece.length <= 256)).toBe(true)
  })

  it('is cut between characters, never inside one', () => {
    tokenizer.count(`.${'😀'.repeat(2000)}`)
    expect(encoded.length).toBeGreaterThan(2)
    expect(encoded.every((text) => text.isWellFormed())).toBe(true)
  })

  it('is found in any mixture of characters', () => {
    const anyUnit = fc.constantFrom(
      'a',
      'B',
      '中',
      '\u0301',
      '\ufe0f',
      '-',
      '/',
      "'",
      '😀',
      '\u200d',
      ' ',
      '\n',
      '\r',
      '7',
    )
    const anyRun = fc.tuple(fc.array(anyUnit, { minLength: 1, maxLength: 4 }), fc.nat({ max: 600 }))
    const anyText = fc
      .array(anyRun, { maxLength: 4 })
      .map((runs) => runs.map(([u, n]) => u.join('').repeat(n)).join(''))
    fc.assert(
      fc.property(anyText, (text) => {
        encoded.length = 0
        tokenizer.count(text)
        expect(encoded.join('')).toBe(text)
        expect(longestRun()).toBeLessThanOrEqual(260)
      }),
      { numRuns: 300 },
    )
  })
})
