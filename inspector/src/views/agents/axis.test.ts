import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderAxis, timeAxis } from './axis.ts'

const DAY = 86_400_000

describe('an axis by order', () => {
  it('gives every event the same width, and labels whole numbers', () => {
    const axis = orderAxis(1, 11)
    expect([1, 6, 11].map(axis.place)).toEqual([0, 0.5, 1])
    expect(axis.ticks(5).map(({ value }) => value)).toEqual([1, 2, 4, 6, 8, 10])
    expect(orderAxis(1, 1).place(1)).toBe(0)
    expect(orderAxis(101, 200).place(7)).toBe(0)
  })
})

describe('an axis by time', () => {
  it('is to scale where events keep coming', () => {
    const axis = timeAxis([0, 10, 20, 40].map((at, i) => ({ sequence: i + 1, at })))
    expect([1, 2, 3, 4].map(axis.place)).toEqual([0, 0.25, 0.5, 1])
    expect(axis.breaks).toEqual([])
    expect(axis.ticks(2)).toEqual([
      { place: 0, value: 0 },
      { place: 0.5, value: 20 },
      { place: 1, value: 40 },
    ])
  })

  it('shortens days without events, and labels their length', () => {
    const points = Array.from({ length: 100 }, (_, i) => ({ sequence: i + 1, at: i * 1000 + (i >= 50 ? 3 * DAY : 0) }))
    const axis = timeAxis(points)
    expect(axis.breaks).toHaveLength(1)
    expect(axis.breaks[0]?.ms).toBe(3 * DAY + 1000)
    expect(axis.place(51) - axis.place(50)).toBeLessThanOrEqual(0.061)
    expect(axis.place(50)).toBeGreaterThan(0.4)
  })

  it('goes from left to right within its bounds, whatever the clocks', () => {
    const times = fc.array(fc.integer({ min: 0, max: 10 * DAY }), { maxLength: 60 })
    fc.assert(
      fc.property(times, (all) => {
        const axis = timeAxis(all.map((at, i) => ({ sequence: i * 3 + 1, at })))
        const places = Array.from({ length: all.length * 3 }, (_, i) => axis.place(i + 1))
        for (const [i, place] of places.entries()) {
          // a pixel is a thousandth: what rounding takes away is far below
          expect(place).toBeGreaterThanOrEqual((places[i - 1] ?? 0) - 1e-9)
          expect(place).toBeLessThanOrEqual(1 + 1e-9)
        }
        for (const { place, value } of axis.ticks(6))
          expect([Number.isFinite(place), Number.isFinite(value)]).toEqual([true, true])
      }),
    )
    expect(timeAxis([]).place(5)).toBe(0)
    expect(timeAxis([{ sequence: 1, at: Number.NaN }]).ticks(5)).toEqual([])
  })
})
