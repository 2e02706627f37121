import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isoTime } from './times.ts'

const TIMESTAMPTZ = 1184
const date = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date
const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]

/** Formats a time like Postgres, which drops trailing zeros of the fraction, and the point with them. */
function postgresTime(iso: string): string {
  const fraction = iso.slice(19, 23).replace(/\.?0+$/, '')
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}${fraction}+00`
}

test('round-trips times in UTC', () => {
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (moment) => {
      const iso = moment.toISOString()
      expect(isoTime(postgresTime(iso), date)).toBe(iso)
      // in JSON
      expect(isoTime(postgresTime(iso).replace(' ', 'T').replace('+00', '+00:00'))).toBe(iso)
    }),
  )
})

test('truncates fractions and converts other zones to UTC', () => {
  expect(isoTime('2026-11-16 19:22:46.123999+00', date)).toBe('2026-11-16T19:22:46.123Z')
  expect(isoTime('2026-11-16 19:22:46.1+00', date)).toBe('2026-11-16T19:22:46.100Z')
  expect(isoTime('2026-11-16 19:22:46.5+05:30', date)).toBe('2026-11-16T13:52:46.500Z')
  expect(isoTime('2026-11-16T19:22:46.5+05:30')).toBe('2026-11-16T13:52:46.500Z')
  expect(isoTime('0044-03-15 12:00:00+00 BC', date)).toBe('-000043-03-15T12:00:00.000Z')
})
