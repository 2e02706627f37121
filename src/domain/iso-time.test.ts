import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toIso } from './iso-time.ts'

const FARTHEST = 8_640_000_000_000_000

it('formats every time like Date, whatever came before', () => {
  const ms = fc.oneof(
    fc.integer({ min: -FARTHEST, max: FARTHEST }),
    // many of one second
    fc.integer({ min: 1_769_851_799_000, max: 1_769_851_801_999 }),
    fc.integer({ min: -3000, max: 3000 }),
  )
  fc.assert(
    fc.property(fc.array(ms), (times) => {
      expect(times.map(toIso)).toEqual(times.map((time) => new Date(time).toISOString()))
    }),
  )
})

it('drops fractions of a millisecond', () => {
  expect([1_769_851_800_000.9, 1_769_851_800_999.99].map(toIso)).toEqual([
    '2026-01-31T09:30:00.000Z',
    '2026-01-31T09:30:00.999Z',
  ])
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, FARTHEST + 1])(
  'refuses %s, and formats the next time correctly',
  (ms) => {
    toIso(0)
    expect(() => toIso(ms)).toThrow(RangeError)
    expect(toIso(1)).toBe('1970-01-01T00:00:00.001Z')
  },
)
