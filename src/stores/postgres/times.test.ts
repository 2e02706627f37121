import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isoTime } from './times.ts'

const TIMESTAMPTZ = 1184
const date = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date
const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]

/** As Postgres writes it: zeros at the end of a fraction are left out, and the point with them. */
function written(iso: string): string {
  const fraction = iso.slice(19, 23).replace(/\.?0+$/, '')
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}${fraction}+00`
}

test('a moment in UTC is the one that was written', () => {
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (moment) => {
      const iso = moment.toISOString()
      expect(isoTime(written(iso), date)).toBe(iso)
      // within JSON
      expect(isoTime(written(iso).replace(' ', 'T').replace('+00', '+00:00'))).toBe(iso)
    }),
  )
})

test('fractions are cut, and other zones are brought to UTC', () => {
  expect(isoTime('2026-11-16 19:22:46.123999+00', date)).toBe('2026-11-16T19:22:46.123Z')
  expect(isoTime('2026-11-16 19:22:46.1+00', date)).toBe('2026-11-16T19:22:46.100Z')
  expect(isoTime('2026-11-16 19:22:46.5+05:30', date)).toBe('2026-11-16T13:52:46.500Z')
  expect(isoTime('2026-11-16T19:22:46.5+05:30')).toBe('2026-11-16T13:52:46.500Z')
  expect(isoTime('0044-03-15 12:00:00+00 BC', date)).toBe('-000043-03-15T12:00:00.000Z')
})
