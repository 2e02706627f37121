import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { moment, parse, statement } from './parse.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a statement', () => {
  it('has something to read, and at most the length of the limit', () => {
    expect(parse(statement, 'x'.repeat(LIMITS.statement))).toHaveLength(LIMITS.statement)
    const tooLong = { code: 'TOO_LARGE', details: { field: 'text', limit: 1_048_576, actual: 1_048_577 } }
    expect(() => parse(statement, 'x'.repeat(LIMITS.statement + 1), 'text')).toThrow(expect.objectContaining(tooLong))
    expect(() => parse(statement, ' \n', 'text')).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
  })
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
