import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { typedQuery } from './query.ts'

const schema = z.strictObject({
  limit: z.int().optional(),
  share: z.number().default(1),
  record: z.boolean().default(true),
  types: z.array(z.string()).optional(),
  depths: z.array(z.int()).optional(),
  cursor: z.string().transform(Number).optional(),
  name: z.string(),
})

describe('a query string', () => {
  it.each([
    [
      { limit: '7', share: '0.5', cursor: '12' },
      { limit: 7, share: 0.5, cursor: '12' },
    ],
    [{ limit: '-1' }, { limit: -1 }],
    [
      { record: 'true', name: '7' },
      { record: true, name: '7' },
    ],
    [{ record: 'false' }, { record: false }],
    [{ record: '' }, { record: true }],
    [{ types: 'a' }, { types: ['a'] }],
    [
      { types: ['a', 'b'], depths: ['1', '2'] },
      { types: ['a', 'b'], depths: [1, 2] },
    ],
  ])('%j is %j by its schema', (given, typed) => {
    expect(typedQuery(schema, given)).toStrictEqual(typed)
  })

  it.each<Record<string, unknown>>([
    { limit: 'many' },
    { limit: '' },
    { limit: '1e3' },
    { limit: ' 1' },
    { limit: ['1', '2'] },
    { record: 'yes' },
    { unknown: '1' },
    { constructor: '1' },
  ])('%j stays text, for the operation to refuse', (given) => {
    expect(typedQuery(schema, given)).toStrictEqual(given)
  })

  it('of a route without a query stays as it is', () => {
    expect(typedQuery(undefined, { a: '1' })).toStrictEqual({ a: '1' })
  })
})
