import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import type { UsageQuery } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { postgresStore } from './index.ts'

/** More than two pieces. */
const ROWS = 24_000

const FILL = `
  insert into context.session_usage
  select context.partition_of('local', 'u' || n % 3000), gen_random_uuid(), to_char(date '2026-01-01' + n % 90, 'YYYY-MM-DD'),
    'm' || n % 7, case when n % 24 = 0 then 'other' else 'local' end, 'u' || n % 3000, 1, n, 0, 0, 0, 0
  from generate_series(1, ${ROWS}) n;
  analyze`

const COLUMNS = { tenant: 'tenant', user: 'user_id', day: 'day', model: 'model' } as const

describe.each(inject('postgres'))('reports on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    databases = await databasesOf(url)
    database = await databases.create()
    await database.admin(FILL)
    store = await postgresStore({ url: database.url(SERVING), migrate: false })
  })
  afterAll(async () => {
    await store.close()
    await database.destroy()
    await databases.close()
  })

  const filters: Omit<UsageQuery, 'by' | 'limit'>[] = [
    { tenant: 'local' },
    { tenant: 'local', since: '2026-01-10', until: '2026-03-11' },
    { tenant: 'local', userId: 'u7' },
    { tenant: 'other', until: '2026-02-01' },
  ]

  it.each(['tenant', 'user', 'day', 'model'] as const)('by %s are those of all pieces', async (by) => {
    for (const filter of by === 'tenant' ? [{}, { userId: 'u7' }, { since: '2026-02-01' }, ...filters] : filters) {
      const { tenant, userId, since = '', until = '~' } = filter as UsageQuery
      const expected = await database.admin(`
        select ${COLUMNS[by]} as key, sum(input_tokens)::int as input, count(*)::int as rows
        from context.session_usage
        where day >= '${since}' and day < '${until}' ${tenant ? `and tenant = '${tenant}'` : ''}
          ${userId ? `and user_id = '${userId}'` : ''}
        group by 1 order by 1`)
      const report = async (limit: number) => {
        const found = []
        for (let after: string | undefined; ; ) {
          const page = await store.usage({ by, ...filter, limit, ...(after !== undefined && { after }) })
          found.push(...page.map(({ key, inputTokens, messages }) => ({ key, input: inputTokens, rows: messages })))
          after = page.at(-1)?.key
          if (page.length < limit) return found
        }
      }
      expect(await report(5000)).toEqual(expected)
      if (by !== 'user') expect(await report(30)).toEqual(expected)
    }
  })

  it('by user or day read one piece for a page of few groups', async () => {
    const calls = await database.admin(`
      select last is null as is_end from context.sum_usage(0::smallint, 'user_id', 'local', null, null, null, null, null, 100)`)
    expect(calls).toEqual([{ is_end: false }])
    const [row] = await database.admin(`
      create temp table given on commit drop as
        select * from context.sum_usage(0::smallint, 'user_id', 'local', null, null, null, 'u5', null, 100);
      select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relid = 'context.session_usage'::regclass`)
    expect(row?.['read']).toBeLessThanOrEqual(100)
  })
})
