import { describe, expect, it } from 'vitest'
import { parseTime, toIsoInRange } from './time.ts'

const iso = (value: unknown) => {
  const instant = parseTime(value)
  return instant === null ? undefined : toIsoInRange(instant)
}

describe('a time of an older log', () => {
  it.each([
    ['2025-03-01T12:00:00.123Z', '2025-03-01T12:00:00.123Z'],
    ['2025-03-01T12:00:00.123987+00:00', '2025-03-01T12:00:00.123Z'],
    ['2025-03-01T14:30:00+02:30', '2025-03-01T12:00:00.000Z'],
    ['2025-03-01 07:00:00-0500', '2025-03-01T12:00:00.000Z'],
    ['2025-03-01 13:00:00+01', '2025-03-01T12:00:00.000Z'],
    ['2025-03-01 12:00:00 UTC', '2025-03-01T12:00:00.000Z'],
    ['2025-03-01t12:00z', '2025-03-01T12:00:00.000Z'],
    ['2025-03-01 12:00:00', '2025-03-01T12:00:00.000Z'],
    [' 2025-03-01 ', '2025-03-01T00:00:00.000Z'],
    [1740830400, '2025-03-01T12:00:00.000Z'],
    [1740830400.5, '2025-03-01T12:00:00.500Z'],
    [1740830400123, '2025-03-01T12:00:00.123Z'],
    ['1740830400', '2025-03-01T12:00:00.000Z'],
    ['1740830400123.7', '2025-03-01T12:00:00.123Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
  ])('%j is %s', (given, expected) => {
    expect(iso(given)).toBe(expected)
  })

  it.each(['', 'yesterday', '2025-13-01', '2025-03-01T25:00:00Z', '1e999', null, undefined, Number.NaN, 1e300, {}])(
    '%j is none',
    (given) => {
      expect(iso(given)).toBeUndefined()
    },
  )

  it('is told apart from another within the same millisecond', () => {
    const [a, b] = ['2025-03-01T12:00:00.123456Z', '2025-03-01T12:00:00.123457Z'].map(parseTime)
    expect(a).toBeLessThan(Number(b))
  })
})
