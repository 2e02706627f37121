import { describe, expect, it } from 'vitest'
import { endTime, holds, isLast, rangeWith, SIZE, WHOLE } from './ranges.ts'

describe('a range of a log', () => {
  it('is the whole log, unless it is very long', () => {
    for (const sequence of [1, 500, WHOLE]) expect(rangeWith(sequence, WHOLE)).toEqual({ from: 1, to: undefined })
    expect(endTime(rangeWith(1, 7), 7)).toBe(7)
  })

  it('contains the requested event, and ranges join without a gap', () => {
    const head = 3 * SIZE + 5
    expect(rangeWith(1, head)).toEqual({ from: 1, to: SIZE })
    expect(rangeWith(SIZE, head)).toEqual({ from: 1, to: SIZE })
    expect(rangeWith(SIZE + 1, head)).toEqual({ from: SIZE + 1, to: 2 * SIZE })
    expect(rangeWith(head, head)).toEqual({ from: 3 * SIZE + 1, to: undefined })
    for (const sequence of [1, SIZE, SIZE + 1, head])
      expect(holds(rangeWith(sequence, head), sequence, head)).toBe(true)
  })

  it('of an event beyond either end is the first or the last', () => {
    const head = 2 * SIZE
    expect(rangeWith(0, head).from).toBe(1)
    expect(rangeWith(10 * SIZE, head)).toEqual({ from: SIZE + 1, to: undefined })
  })

  it('at the end of the log grows with it, up to a bound', () => {
    const range = rangeWith(WHOLE, WHOLE)
    expect(endTime(range, WHOLE + 1000)).toBe(WHOLE + 1000)
    expect(isLast(range, WHOLE + 1000)).toBe(true)
    expect(endTime(range, 10_000_000)).toBe(300_000)
    expect(isLast(range, 10_000_000)).toBe(false)
    expect(isLast({ from: 1, to: SIZE }, 2 * SIZE)).toBe(false)
  })
})
