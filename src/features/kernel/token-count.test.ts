import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../ports/tokenizer.ts'
import { estimateTokenizer } from '../../tokenizers/estimate.ts'
import { exactTokenizer } from '../../tokenizers/exact.ts'
import { counterOf } from './token-count.ts'

const exact: Tokenizer = await exactTokenizer()
const ANY = Number.POSITIVE_INFINITY
const random = (length: number) => {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 0x7fffffff
    return String.fromCharCode(97 + (state % 26))
  }
  return Array.from({ length }, next).join('')
}

/** Takes longer than one turn of counting. */
function spin(): void {
  const end = performance.now() + 30
  while (performance.now() < end);
}

/** Remembers what was counted. */
function watched({ name, count, slices }: typeof exact) {
  const texts: string[] = []
  const counted = (text: string) => {
    texts.push(text)
    return count(text)
  }
  return { texts, tokenizer: { name, count: counted, ...(slices && { slices }) } }
}

describe('counting for a budget', () => {
  it('gives the count of the tokenizer for what fits', async () => {
    const prose = 'It was a bright cold day in April, and the clocks were striking thirteen.\n'.repeat(500)
    expect(await counterOf(exact)(prose, ANY)).toBe(exact.count(prose))
    expect(await counterOf(exact)('', ANY)).toBe(0)
    expect(await counterOf(estimateTokenizer)(prose, ANY)).toBe(estimateTokenizer.count(prose))
  })

  it('stops above the limit: of 200,000 random letters it counts what 8,000 tokens take', async () => {
    const { texts, tokenizer } = watched(exact)
    expect(await counterOf(tokenizer)(random(200_000), 8000)).toBeGreaterThan(8000)
    expect(texts.join('').length).toBeLessThan(25_000)
  })

  it("gives another's tokenizer short texts, cut between words", async () => {
    const { texts, tokenizer } = watched({ name: 'words', count: (text) => text.match(/\S+/g)?.length ?? 0 })
    expect(await counterOf(tokenizer)('some words '.repeat(10_000), ANY)).toBe(20_000)
    expect(texts.length).toBeGreaterThan(5)
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(16_000)
  })

  it('leaves the rest of a long text to others once it takes long, with the same result', async () => {
    const text = 'It was a bright cold day in April.\n'.repeat(3000)
    const slow = {
      ...exact,
      count(slice: string) {
        spin()
        return exact.count(slice)
      },
    }
    const rests: string[] = []
    const countLong = async (rest: string, atMost: number) => {
      rests.push(rest)
      return await counterOf(exact)(rest, atMost)
    }
    const whole = exact.count(text)
    expect(await counterOf(slow, countLong)(text, ANY)).toBe(whole)
    expect(await counterOf(slow, countLong)(text, whole - 1)).toBeGreaterThanOrEqual(whole)
    expect(rests.map((rest) => text.endsWith(rest) && rest.length < text.length)).toEqual([true, true])
    expect(await counterOf(slow, countLong)(text.slice(0, 10_000), ANY)).toBe(exact.count(text.slice(0, 10_000)))
    expect(rests).toHaveLength(2)
  })

  it('lets other work run during a long count, and between many short ones', async () => {
    const count = (text: string) => {
      spin()
      return text.length
    }
    for (const texts of [['x y '.repeat(20_000)], ['one', 'two', 'three', 'four', 'five']]) {
      let turns = 0
      const tick = setInterval(() => turns++, 0)
      const counted = counterOf({ name: 'slow', count })
      for (const text of texts) await counted(text, ANY)
      clearInterval(tick)
      expect(turns).toBeGreaterThan(2)
    }
  })
})
