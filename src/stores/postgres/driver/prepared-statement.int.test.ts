import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { withDrivers } from '../../../../test/servers/postgres-drivers.ts'
import { PreparedStatement } from './prepared-statement.ts'

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u0000') && value.isWellFormed())

describe.each(withDrivers(inject('postgres')))('a prepared statement on $name with $driver', ({ url, pg }) => {
  const client = new pg.Client(url)
  beforeAll(() => client.connect())
  afterAll(() => client.end())

  const parsers = (type: number) => pg.types.getTypeParser(type, 'text')

  function run(name: string, sql: string, values: readonly unknown[]): Promise<object[]> {
    const query = new PreparedStatement<object>(name, sql, values, parsers)
    return new Promise((resolve, reject) => {
      query.callback = (error, { rows }) => (error === undefined ? resolve(rows) : reject(error))
      client.query(query)
    })
  }

  /** The kinds of messages that `work` sends to the server. */
  async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
    const { connection } = client as unknown as { connection: Record<string, (...given: unknown[]) => unknown> }
    const sent: string[] = []
    const kinds = ['parse', 'bind', 'describe', 'execute', 'sync'] as const
    for (const kind of kinds) {
      connection[kind] = (...given) => {
        sent.push(kind)
        return Object.getPrototypeOf(connection)[kind].apply(connection, given)
      }
    }
    try {
      await work()
    } finally {
      for (const kind of kinds) delete connection[kind]
    }
    return sent
  }

  it('returns any value that was sent', async () => {
    const values = fc.record({
      texts: fc.array(fc.option(fc.oneof(text, fc.constantFrom('', 'NULL', '{"a","b\\"}', 'ä🙂')))),
      bytes: fc.array(fc.option(fc.uint8Array())),
      one: fc.uint8Array(),
      number: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      yes: fc.boolean(),
      json: fc.json(),
    })
    const sql =
      'select $1::text[] as texts, $2::bytea[] as bytes, $3::bytea as one, $4::integer as number, $5::boolean as yes, $6::json as json'
    await fc.assert(
      fc.asyncProperty(values, async ({ texts, bytes, one, number, yes, json }) => {
        const packed = bytes.map((some) => some && Buffer.from(some))
        expect(await run('all', sql, [texts, bytes, one, number, yes, json])).toEqual([
          { texts, bytes: packed, one: Buffer.from(one), number, yes, json: JSON.parse(json) },
        ])
      }),
      { numRuns: 50 },
    )
  })

  it('is prepared and described once', async () => {
    const twice = () => run('once', 'select n, n::text as t from generate_series(1, $1::integer) n', [2])
    expect(await sentBy(twice)).toEqual(['parse', 'bind', 'describe', 'execute', 'sync'])
    expect(await sentBy(twice)).toEqual(['bind', 'execute', 'sync'])
    expect(await twice()).toEqual([
      { n: 1, t: '1' },
      { n: 2, t: '2' },
    ])
  })

  it('is sent in full each time if it has no name', async () => {
    const one = () => run('', 'select 1 as one', [])
    await one()
    expect(await sentBy(one)).toEqual(['parse', 'bind', 'describe', 'execute', 'sync'])
  })

  it('fails without breaking later statements, on the first call and later', async () => {
    const divide = (by: number) => run('divide', 'select 1 / $1::integer as part', [by])
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    expect(await divide(1)).toEqual([{ part: 1 }])
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    await expect(run('bad', 'select nonsense', [])).rejects.toMatchObject({ code: '42703' })
    await expect(run('bad', 'select nonsense', [])).rejects.toMatchObject({ code: '42703' })
    const unreadable = new PreparedStatement<object>('unreadable', 'select 1 as one', [], () => () => {
      throw new Error('unreadable')
    })
    const outcome = new Promise((resolve) => {
      unreadable.callback = (error) => resolve(error)
    })
    client.query(unreadable)
    expect(await outcome).toMatchObject({ message: 'unreadable' })
    expect(await divide(1)).toEqual([{ part: 1 }])
  })

  it('fails when the connection ends', async () => {
    const other = new pg.Client(url)
    other.on('error', () => {})
    await other.connect()
    const query = new PreparedStatement<object>('sleep', 'select pg_sleep(60)', [], parsers)
    const outcome = new Promise((resolve) => {
      query.callback = (error) => resolve(error)
    })
    other.query(query)
    const { processID } = other as unknown as { processID: number }
    await expect
      .poll(() =>
        run('asleep', 'select pg_terminate_backend(pid) as done from pg_stat_activity where pid = $1', [processID]),
      )
      .toEqual([{ done: true }])
    expect(await outcome).toBeInstanceOf(Error)
    await other.end().catch(() => {})
  })
})
