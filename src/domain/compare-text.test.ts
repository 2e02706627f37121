import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareText } from './compare-text.ts'

it('orders texts as their UTF-8 bytes are', () => {
  const text = fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed())
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
  expect(compareText('\uffee', '\u{1f642}')).toBeLessThan(0)
})
