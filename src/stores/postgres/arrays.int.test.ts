import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { binaryArray, type ElementType } from './arrays.ts'
import { isoTime } from './times.ts'

// no store accepts NUL and lone surrogates
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u0000') && value.isWellFormed())
const moment = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})

const ELEMENTS: Record<ElementType, fc.Arbitrary<string | number>> = {
  uuid: fc.uuid(),
  text: fc.oneof(text, fc.constantFrom('', '{}', 'NULL', '"', '\\', 'ä🙂')),
  json: fc.json(),
  bytea: fc.uint8Array().map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
  smallint: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
  integer: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  timestamptz: moment.map((date) => date.toISOString()),
}

describe.each(inject('postgres'))('on $name', ({ url }) => {
  const client = new pg.Client(url)
  beforeAll(() => client.connect())
  afterAll(() => client.end())

  it.each(Object.entries(ELEMENTS))('round-trips a list of %s', async (type, element) => {
    // read back as JSON text, so that the comparison does not use the same encoding
    const sql = `select coalesce(json_agg(x::text order by i), '[]') as list from unnest($1::${type}[]) with ordinality as u (x, i)`
    await client.query("set timezone = 'UTC'")
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(element)), async (list) => {
        const { rows } = await client.query(sql, [binaryArray(type as ElementType, list)])
        const read = (rows[0].list as (string | null)[]).map((value) => {
          if (value === null) return null
          if (type === 'integer' || type === 'smallint') return Number(value)
          return type === 'timestamptz' ? isoTime(value) : value
        })
        expect(read).toEqual(list)
      }),
      { numRuns: 50 },
    )
  })
})
