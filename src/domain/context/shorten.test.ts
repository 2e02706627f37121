import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { characters } from '../../../test/context/history-samples.ts'
import { applyArgumentsCut, applyCut, cutArguments, cutText } from './shorten.ts'

const shorten = async (text: string, limit: number) => {
  const cut = await cutText(text, limit, characters)
  return cut && { ...cut, text: applyCut(text, cut) }
}
const shortenCall = async (given: unknown, limit: number) => {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const cut = await cutArguments(text, limit, characters)
  return cut && applyArgumentsCut(text, cut)
}

describe('a text', () => {
  it('stays as it is if it fits', async () => {
    expect(await shorten('short', 5)).toEqual({ tokens: 5, text: 'short' })
  })

  it('keeps its head and its tail, and says how much is missing', async () => {
    const found = await shorten(`head${'-'.repeat(2000)}tail`, 100)
    expect(found?.text).toMatch(/^head-+\n\[… 1,\d{3} characters omitted …\]\n-+tail$/)
    expect(found?.tokens).toBe(found?.text.length)
    expect(found?.tokens).toBeGreaterThan(85)
  })

  it('has no form for a limit that is shorter than the mark', async () => {
    expect(await shorten('x'.repeat(100), 20)).toBeUndefined()
  })

  it('is cut between characters, within the limit, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 45, max: 200 }),
        async (text, limit) => {
          const found = await shorten(text, limit)
          expect(found?.text.isWellFormed()).toBe(true)
          expect(found?.tokens).toBe(found?.text.length)
          expect(found?.tokens).toBeLessThanOrEqual(limit)
        },
      ),
    )
  })
})

describe('the arguments of a call', () => {
  it('stay as they are if they fit, JSON or not', async () => {
    expect(await shortenCall('not json', 10)).toBe('not json')
  })

  it('keep their short texts and numbers, and lose the middle of long ones', async () => {
    const given = { path: 'src/a.ts', line: 7, content: 'x'.repeat(500), edits: [{ old: 'y'.repeat(400) }] }
    const found = JSON.parse((await shortenCall(given, 300)) ?? '')
    expect(found).toMatchObject({ path: 'src/a.ts', line: 7 })
    expect(found.content).toMatch(/^x+\n\[… \d+ characters omitted …\]\nx+$/)
    expect(found.edits[0].old).toContain('characters omitted')
  })

  it('become one text if they are no object, or have too many members to fit', async () => {
    for (const given of ['x'.repeat(500), Array.from({ length: 200 }, (_, i) => i), { list: Array(300).fill(1) }]) {
      expect(JSON.parse((await shortenCall(given, 120)) ?? '')).toEqual({
        shortened: expect.stringContaining('characters omitted'),
      })
    }
  })

  it('are a JSON object within the limit, whatever they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.integer({ min: 80, max: 300 }), async (given, limit) => {
        const found = await shortenCall(given, limit)
        if (found === undefined || found === given) return
        expect(found.length).toBeLessThanOrEqual(limit)
        expect(JSON.parse(found)).toBeTypeOf('object')
      }),
    )
  })

  it('of any depth are shortened', async () => {
    const deep = `${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`
    expect(await shortenCall(`{"a":${deep}}`, 120)).toContain('shortened')
    expect(await shortenCall(`{"a":{"__proto__":"${'x'.repeat(500)}"}}`, 120)).toContain('{"a":{"__proto__":"x')
  })
})
