import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { moment, parse } from './parse.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a moment', () => {
  it.each([
    ['2099-01-01', '2099-01-01T00:00:00.000Z'],
    ['2099-01-01T01:00', '2099-01-01T01:00:00.000Z'],
    ['2099-01-01T01:00:00.5', '2099-01-01T01:00:00.500Z'],
    ['2099-01-01T01:00+01:00', '2099-01-01T00:00:00.000Z'],
    ['2099-01-01T01:00:00Z', '2099-01-01T01:00:00.000Z'],
  ])('%s is the same wherever the machine stands', (given, utc) => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
      vi.stubEnv('TZ', zone)
      expect(parse(moment, given)).toBe(utc)
    }
  })

  it.each(['2016-12-31T23:59:60Z', '2026-02-30', 'tomorrow', '0000-12-31', '0001-01-01T00:00+01:00'])(
    '%s is refused',
    (given) => {
      expect(() => parse(moment, given)).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
    },
  )
})

describe('an unknown field', () => {
  it('is named, as far as it is not too long', () => {
    const unknown = { ['k'.repeat(10_000)]: 1 }
    expect(() => parse(z.strictObject({}), unknown)).toThrow(expect.objectContaining({ field: 'k'.repeat(64) }))
  })
})
