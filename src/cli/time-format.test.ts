import { expect, it } from 'vitest'
import { formatAge, formatTimeAgo, formatUtc } from './time-format.ts'

it.each([
  ['2026-03-01T12:00:00.000Z', 'now'],
  ['2026-03-01T11:59:01.000Z', 'now'],
  ['2026-03-01T12:05:00.000Z', 'now'],
  ['2026-03-01T11:59:00.000Z', '1m'],
  ['2026-03-01T09:01:00.000Z', '2h'],
  ['2026-02-26T12:00:00.000Z', '3d'],
  ['2024-03-01T12:00:00.000Z', '2y'],
])('%s is %s old', (time, age) => {
  expect(formatAge(time, Date.parse('2026-03-01T12:00:00.000Z'))).toBe(age)
})

it('formats an age in words', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z')
  expect(formatTimeAgo('2026-03-01T11:59:59.000Z', now)).toBe('just now')
  expect(formatTimeAgo('2026-03-01T11:57:00.000Z', now)).toBe('3 min ago')
  expect(formatTimeAgo('2026-02-26T12:00:00.000Z', now)).toBe('3 d ago')
  expect(formatUtc('2026-02-26T12:34:56.789Z')).toBe('2026-02-26 12:34 UTC')
})
