import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { describe, expect, it } from 'vitest'
import { amount } from '../../test/proof.ts'
import { slicesOf } from './text-slices.ts'

const direct = (text: string) => countTokens(text, { disallowedSpecial: new Set() })
const cut = (text: string, size: number) => [...slicesOf(text, size)]
const sum = (slices: readonly string[]) => slices.reduce((total, slice) => total + direct(slice), 0)

const character = fc.constantFrom(
  ...['a', 'B', 'é', 'e\u0301', '\u0301', '中', 'ひ', 'н', '😀', '𝕏', '𝟘', '\u200d', 'ǅ', 'ʰ', '7', '٣', '1'],
  ...[' ', ' ', '\t', '\n', '\r\n', '\u00a0', "'", "'s", '.', ',', '-', '/', '//', '=', '"', '{', '_', '<|'],
)
const anyText = fc
  .array(fc.tuple(character, fc.integer({ min: 1, max: 4 })), { maxLength: 120 })
  .map((runs) => runs.map(([unit, n]) => unit.repeat(n)).join(''))

describe('slices of a text', () => {
  it('are the text, each no longer than asked, cut between characters', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(6, 12, 60), (text, size) => {
        const slices = cut(text, size)
        expect(slices.join('')).toBe(text)
        for (const slice of slices) {
          expect(slice.length).toBeLessThanOrEqual(size)
          expect(slice.isWellFormed()).toBe(true)
          expect(slice !== '' || text === '').toBe(true)
        }
      }),
    )
  })

  it('count as the text does: the encoder joins nothing across a seam', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(6, 12, 60), (text, size) => {
        const starts = new Set(Array.from(text.matchAll(O200K_TOKEN_SPLIT_REGEX), ({ index }) => index))
        let at = 0
        for (const slice of cut(text, size).slice(0, -1)) {
          at += slice.length
          // a slice of full length has no seam
          if (slice.length < size - 1) expect(starts).toContain(at)
        }
      }),
      { numRuns: amount(1000, 50_000) },
    )
  })

  it.each([
    ['prose', 'It was a bright cold day in April, and the clocks were striking thirteen.\n\n'],
    ['code', 'for (let i = 0; i < list.length; i++) {\n  total += list[i] // add\n}\n'],
    ['JSON without spaces', '{"key":"value","list":[1,22,333,4444],"nested":{"a":null}},'],
    ['base64', 'TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQsIGNvbnNlY3RldHVyIGFkaXBpc2NpbmcgZWxpdA=='],
    ['digits', '0123456789'],
    ['Chinese', '我们在春天去了海边,天气很好。'],
    ['Arabic', 'ذهبنا إلى البحر في الربيع، وكان الجو جميلا. '],
    ['a table', '| name | count |\r\n|---|---|\r\n'],
  ])('of %s count exactly as the whole', (_, unit) => {
    const text = unit.repeat(Math.ceil(20_000 / unit.length))
    const slices = cut(text, 600)
    expect(slices.length).toBeGreaterThan(30)
    expect(sum(slices)).toBe(direct(text))
  })

  it('come one at a time: the rest of the text is not read', () => {
    const [first] = slicesOf('word '.repeat(1_000_000), 600)
    expect(first).toBe(`word${' word'.repeat(119)}`)
  })

  it('end after a run of 256 characters where there is no seam', () => {
    expect(cut('a'.repeat(1500), 600).map(({ length }) => length)).toEqual([512, 512, 476])
  })
})
