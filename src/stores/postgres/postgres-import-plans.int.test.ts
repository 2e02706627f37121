import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import type { ImportStore } from '../../ports/import-store.ts'
import { blockOf, endSteps, foreignSession, WORK, writeSession } from '../conformance/import-samples.ts'
import { upTo } from '../conformance/samples.ts'
import { type Connections, connect, type Statement } from './connection.ts'
import { importCalls } from './imports.ts'
import { postgresStore } from './index.ts'
import { partitionsOf } from './partitions.ts'
import { sessionLocator } from './session-locator.ts'

/** Far more rows than any call may read. */
const MANY = 5000

const FILL = `
  insert into context.sessions (
    partition, id, tenant, user_id, conversation_id, chatmode, state, status, active_agent, head, turns, cleared_at, started_at,
    last_activity_at, activity_minute, ended_at, metadata
  )
  select context.partition_of('local', 'ada'), gen_random_uuid(), 'local', 'ada', 'c' || n, 'default', 'running', '{}', 'coach', 1, 0, 0, now(), now(), n,
    case when n % 2 = 0 then now() end, '{}'
  from generate_series(1, ${MANY}) n;
  insert into context.session_slots (partition, tenant, user_id, chatmode, conversation_id, session_id)
  select partition, tenant, user_id, chatmode, conversation_id, id from context.sessions where ended_at is null
  on conflict do nothing;
  insert into context.session_envelopes (partition, session_id, tenant, subject, sequence)
  select partition, id, tenant, user_id, 1 from context.sessions on conflict do nothing;
  insert into context.session_imports (partition, session_id, tenant, user_id, head, view)
  select context.partition_of('local', 'u' || n % 250), gen_random_uuid(), 'local', 'u' || n % 250, 1, '{}' from generate_series(1, ${MANY}) n;
  insert into context.session_directory (partition, id, home, claimed_at)
  select n % 1024, gen_random_uuid(), 1, now() from generate_series(1, ${MANY}) n;
  insert into context.conversation_commits
    (partition, chain, tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
  select context.partition_of('local', 'ada'), context.chain_of('local', 'ada', 'mine'), 'local', 'mine', n, 'x', gen_random_uuid(), 'ada', now() from generate_series(1, ${MANY}) n;
  analyze`

const READ: Statement = {
  name: 'rows-read',
  text: `
    select relname as table, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
    from pg_stat_xact_user_tables where schemaname = 'context'`,
}

/** A live session with a log of many pages. */
const LONG = [...upTo(600).map(() => ['user_message'] as const), ...WORK]

describe.each(inject('postgres'))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let connections: Connections
  // a visible session, and an unfinished one that lacks only its end
  const [visible, unfinished] = [
    foreignSession({}, [...LONG, ...endSteps(1)]),
    foreignSession({ conversationId: 'mine' }, [...LONG, ...endSteps(MANY + 1)]),
  ]
  const most = visible.events.length - 2
  beforeAll(async () => {
    databases = await databasesOf(url)
    database = await databases.create()
    const store = await postgresStore({ url: database.url(SERVING), migrate: false })
    await writeSession(store, visible, 1)
    await store.imports.write(blockOf(visible, 1, most))
    await store.imports.write(blockOf(unfinished, 0, most))
    await store.close()
    await database.admin(FILL)
    connections = await connect(database.url(SERVING))
  })
  afterAll(async () => {
    await connections.close()
    await database.destroy()
    await databases.close()
  })

  /** Rows that a call reads of each table; rolls it back. */
  async function reads(call: (imports: ImportStore) => Promise<unknown>): Promise<Record<string, number>> {
    const undo = new Error('undo')
    let found: Record<string, number> = {}
    const work = connections.transaction(async (query) => {
      const within = { ...connections, query }
      await call(importCalls(within, sessionLocator(within), await partitionsOf(connections)))
      const rows = await query<{ table: string; read: number }>(READ, [])
      found = Object.fromEntries(rows.map(({ table, read }) => [table, read]))
      throw undo
    })
    await expect(work).rejects.toBe(undo)
    return found
  }

  // the planner reads one row at the end of an index; a session whose id points elsewhere is looked for twice
  it.each([
    ['finding a session', (imports: ImportStore) => imports.find(visible.sessionId), 2],
    ['finding an unfinished import', (imports) => imports.find(unfinished.sessionId), 2],
    ['finding nothing', (imports) => imports.find('00000000-0000-7000-8000-000000000000'), 0],
    ['the first page', (imports) => imports.unfinished({ limit: 50 }), 51],
    [
      'the next page of a tenant',
      (imports) => imports.unfinished({ limit: 50, ...behind, within: { tenant: 'local' } }),
      51,
    ],
    ['a page of a user', (imports) => imports.unfinished({ limit: 50, within: { tenant: 'local', userId: 'u7' } }), 21],
    [
      'a page of nobody',
      (imports) => imports.unfinished({ limit: 50, within: { tenant: 'local', userId: 'none' } }),
      1,
    ],
    ['the first block of a session', (imports) => imports.write(blockOf(foreignSession({}, WORK), 0, 5)), 5],
    ['a session in one block', (imports) => imports.write(blockOf(foreignSession({}, WORK))), 5],
    ['an ended session', (imports) => imports.write(blockOf(foreignSession({}, [...WORK, ...endSteps(1)]))), 5],
    ['the next block of an unfinished import', (imports) => imports.write(blockOf(unfinished, most, most + 1)), 5],
    ['the last block of an unfinished import', (imports) => imports.write(blockOf(unfinished, most)), 5],
    ['the next block of a visible session', (imports) => imports.write(blockOf(visible, most, most + 1)), 5],
    ['the last block of a visible session', (imports) => imports.write(blockOf(visible, most)), 5],
  ] satisfies [string, (imports: ImportStore) => Promise<unknown>, number][])(
    '%s reads few rows',
    async (_, call, rows) => {
      for (const [table, read] of Object.entries(await reads(call))) expect(read, table).toBeLessThanOrEqual(rows)
    },
  )

  it('a discard reads only its session', async () => {
    const { session_imports, session_events, session_types, session_edges } = await reads((imports) =>
      imports.discard(unfinished),
    )
    expect(session_imports).toBeLessThanOrEqual(2)
    expect(session_events).toBe(most)
    expect([session_types, session_edges].every((read = 0) => read < 50)).toBe(true)
  })
})

const behind = { after: '80000000-0000-7000-8000-000000000000' }
