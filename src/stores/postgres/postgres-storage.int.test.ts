import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import type { StorageQuery } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { postgresStore } from './index.ts'

/** More than two pieces. */
const ROWS = 24_000

const FILL = `
  insert into context.sessions (partition, id, tenant, user_id, conversation_id, chatmode, state, status, active_agent,
    head, turns, cleared_at, bytes, started_at, last_activity_at, activity_minute, metadata)
  select context.partition_of(t, u), gen_random_uuid(), t, u, n::text, 'default', 'running', '{"state":"running"}', 'coach',
    3, 1, 0, n, now(), now(), n % 5, '{}'
  from (select n, case when n % 24 = 0 then 'other' else 'local' end as t, 'u' || n % 3000 as u
    from generate_series(1, ${ROWS}) n) x;
  insert into memori.memories (tenant, user_id, category, content)
  select 'local', 'u' || n % 3000, 'facts', repeat('x', n % 100 + 1) from generate_series(1, ${ROWS}) n;
  analyze`

describe.each(inject('postgres'))('reports of storage on $name', ({ url }) => {
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

  const queries: Omit<StorageQuery, 'limit'>[] = [
    { by: 'tenant' },
    { by: 'tenant', tenant: 'local' },
    { by: 'tenant', userId: 'u7' },
    { by: 'user', tenant: 'local' },
    { by: 'user', tenant: 'local', userId: 'u7' },
  ]

  it.each(queries)('are those of all pieces: %j', async (query) => {
    const { by, tenant, userId } = query
    const key = by === 'user' ? 'user_id' : 'tenant'
    const where = `where true ${tenant ? `and tenant = '${tenant}'` : ''} ${userId ? `and user_id = '${userId}'` : ''}`
    const expected = await database.admin(`
      select key, sum(sessions)::int as sessions, sum(events)::int as events, sum(memories)::int as memories,
        sum(bytes)::int as bytes
      from (
        select ${key} as key, 1 as sessions, head as events, 0 as memories, bytes from context.sessions ${where}
        union all
        select ${key}, 0, 0, 1, octet_length(content) from memori.memories ${where}
      ) x
      group by key order by key collate "C"`)
    expect(await store.storage({ ...query, limit: 5000 })).toEqual(expected)
  })

  it.each([
    ['sessions', 'tenant', "'local', null"],
    ['sessions', 'user_id', "'local', 'u7'"],
    ['sessions', 'tenant', 'null, null'],
    ['memories', 'tenant', "'local', null"],
    ['memories', 'user_id', "'local', 'u7'"],
    ['memories', 'tenant', 'null, null'],
  ])('read one piece at a time: of %s by %s of %s', async (kind, by, owner) => {
    const table = kind === 'sessions' ? 'context.sessions' : 'memori.memories'
    const partition = "context.partition_of('local', 'u7')"
    const call = (position: string) =>
      `select last from context.sum_storage(${partition}, '${kind}', '${by}', ${owner}, ${position}, 3)`
    const [first] = await database.admin(call('null'))
    const last = (first?.['last'] ?? []) as string[]
    expect(last).not.toEqual([])
    const [row] = await database.admin(`
      create temp table given on commit drop as ${call(`array['${last.join("','")}']`)};
      select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relid = '${table}'::regclass`)
    // and the rest of the minute, which has no order in the index
    expect(row?.['read']).toBeLessThanOrEqual(kind === 'sessions' ? 20 : 8)
  })
})
