import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parse } from '../features/kernel/parse.ts'
import { fraction, listOf, timeOrAge, user, wholeNumber } from './option-schemas.ts'

const options = z.strictObject({
  user: user.optional(),
  limit: wholeNumber(1, 500).optional(),
  share: fraction.optional(),
  kinds: listOf(['event', 'memory']).optional(),
  since: timeOrAge.optional(),
})

describe('options', () => {
  it('are parsed', () => {
    expect(parse(options, { limit: '500', share: '.25', kinds: 'memory, event' })).toEqual({
      limit: 500,
      share: 0.25,
      kinds: ['memory', 'event'],
    })
    expect(['0', '1', '1.0', '0.5'].map((text) => fraction.parse(text))).toEqual([0, 1, 1, 0.5])
  })

  it.each([
    [{ user: '' }, 'user: must not be empty'],
    [{ user: 'x'.repeat(513) }, 'user: '],
    [{ limit: '0' }, 'limit: must be a whole number from 1 to 500'],
    [{ limit: '501' }, 'limit: must be a whole number from 1 to 500'],
    [{ limit: '1e2' }, 'limit: must be a whole number from 1 to 500'],
    [{ limit: '' }, 'limit: must be a whole number from 1 to 500'],
    [{ share: '1.1' }, 'share: must be a number from 0 to 1, such as 0.5'],
    [{ share: 'half' }, 'share: must be a number from 0 to 1, such as 0.5'],
    [{ share: '.' }, 'share: must be a number from 0 to 1, such as 0.5'],
    [{ since: 'yesterday' }, 'since: must be an age (30m, 2h, 3d, 1w) or an ISO 8601 time'],
    [{ since: '2x' }, 'since: must be an age'],
    [{ since: '999999w' }, 'since: must be an age'],
    [{ since: '2026-02-30' }, 'since: must be an age'],
    [{ kinds: 'event,' }, 'kinds[1]: must be a comma-separated list of event, memory'],
  ])('refuses %j', (input, message) => {
    expect(() => parse(options, input)).toThrow(message)
  })

  it('accept a time or an age', () => {
    expect(timeOrAge.parse('2026-01-31')).toBe('2026-01-31')
    for (const [text, seconds] of [
      ['90s', 90],
      ['30m', 1800],
      ['2h', 7200],
      ['3d', 259_200],
      ['1w', 604_800],
    ] as const) {
      const before = Date.now() - seconds * 1000
      const at = Date.parse(timeOrAge.parse(text))
      expect(at).toBeGreaterThanOrEqual(before)
      expect(at).toBeLessThanOrEqual(Date.now() - seconds * 1000)
    }
  })
})
