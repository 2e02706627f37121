import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, type TestDatabase } from '../../../test/servers/database.ts'

/** Far more rows than any call may read. */
const MANY = 20_000

const FILL = `
  insert into context.sessions (
    partition, id, tenant, user_id, conversation_id, chatmode, state, status, active_agent, head, turns, cleared_at, started_at,
    last_activity_at, activity_minute, ended_at, expires_at, metadata
  )
  select context.partition_of('local', 'u' || n % 100), gen_random_uuid(), 'local', 'u' || n % 100, 'c' || n, 'default', 'running', '{}', 'coach', 1, 0, 0, at, at,
    context.minute_of(at), case when n % 2 = 0 then at end,
    case when n % 4 = 1 then at + case when n % 100 = 1 then interval '1 minute' else interval '1 year' end end, '{}'
  from generate_series(1, ${MANY}) n,
    lateral (select timestamptz '2026-03-01 12:00:00Z' + n * interval '1 second') t (at);

  insert into context.session_edges
    (partition, session_id, tenant, from_node, label, to_node, sequence, evidence, from_start, to_start, digest)
  select 7, '00000000-0000-7000-8000-000000000000', 'local', a, 'l', b, n, '{}', a, b, md5(a || b)::uuid
  from generate_series(1, ${MANY}) n, lateral (select 'f' || n % 2000, 't' || n % 3000) e (a, b);
  insert into context.sessions
  select (jsonb_populate_record(s, '{"partition": 7, "id": "00000000-0000-7000-8000-000000000000", "conversation_id": "edges"}')).*
  from context.sessions s limit 1;

  insert into context.session_state (partition, session_id, tenant, scratchpad, version, updated_at)
  select partition, id, tenant, '{}', 0, started_at from context.sessions;
  insert into context.session_envelopes (partition, session_id, tenant, subject, created_at, updated_at, batch, sequence)
  select partition, id, tenant, user_id, started_at, started_at, 'b' || row_number() over () % 200, envelope_at
  from context.sessions;

  insert into context.conversation_commits
    (partition, chain, tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
  select 7, context.chain_of('local', 'ada', 'c' || n / 1000), 'local', 'c' || n / 1000, n % 1000 + 1, 'x',
    gen_random_uuid(), 'ada', now()
  from generate_series(0, ${MANY - 1}) n;

  insert into context.sessions (
    partition, id, tenant, user_id, conversation_id, chatmode, state, status, active_agent, head, turns, cleared_at, started_at,
    last_activity_at, due_at, requests_at, activity_minute, expires_at, metadata, requests
  )
  select context.partition_of(tenant, user_id), gen_random_uuid(), tenant, user_id, 'c' || n, 'm' || n % 3, 'running', '{}', 'a' || n % 7,
    1, 0, 0, at, at, at, case when n % 6 < 3 then at end, context.minute_of(at),
    case n / 20 % 4 when 0 then at when 1 then at + interval '1 year' end, '{}', case when n % 6 < 2 then '[]'::json end
  from generate_series(1, ${MANY}) n,
    lateral (
      select timestamptz '2027-03-01 12:00:00Z' + n * interval '1 second', 't' || n % 20, 'u' || n % 50
    ) s (at, tenant, user_id);
  insert into context.sessions
  select (jsonb_populate_record(s, '{"partition": 7, "id": "00000000-0000-7000-8000-000000000001", "conversation_id": "run",
    "run_generation": 3, "lease_until": "2027-03-01 12:00Z"}')).*
  from context.sessions s where tenant = 't1' limit 1;
  analyze`

describe.each(inject('postgres'))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  beforeAll(async () => {
    databases = await databasesOf(url)
    database = await databases.create()
    await database.admin(FILL)
  })
  afterAll(async () => {
    await database.destroy()
    await databases.close()
  })

  /** Number of rows that a call returns, and that it reads of the table. */
  async function cost(call: string, table: string): Promise<{ rows: number; read: number }> {
    const [row] = await database.admin(`
      create temp table given on commit drop as select * from context.${call};
      select (select count(*)::int from given) as rows,
        (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relid = 'context.${table}'::regclass`)
    return row as { rows: number; read: number }
  }

  const session = "7::smallint, '00000000-0000-7000-8000-000000000000', null, null"

  // every second session is live, every hundredth of those is expired; the last idle minute is read whole
  it.each([
    ['idle sessions', "null, null, '2026-03-01 12:10Z', '2026-03-01 12:00Z', '2026-03-01 12:00Z', 50", 50, 55],
    ['all idle sessions', "null, null, '2026-03-01 12:10Z', '2026-03-01 12:00Z', '2026-03-01 12:00Z', 5000", 301, 340],
    ['expired sessions', "null, null, '2026-03-01 12:00Z', '2026-03-01 13:00Z', '2026-03-01 13:00Z', 10", 10, 45],
    ['both', "null, null, '2026-03-01 12:01Z', '2026-03-01 13:00Z', '2026-03-01 13:00Z', 40", 40, 120],
    ['none', "null, null, '2026-03-01 12:00Z', '2026-03-01 12:00Z', '2026-03-01 12:00Z', 500", 0, 35],
  ])('a sweep for %s reads little more than it gives', async (_, values, rows, most) => {
    const found = await cost(`due_sessions(0::smallint, ${values})`, 'sessions')
    expect(found.rows).toBe(rows)
    expect(found.read).toBeLessThanOrEqual(most)
  })

  it.each([
    ['from nodes', "array['f1', 'f2'], 'out', null, null, null, null, null, 500", 20, 20],
    ['to nodes', "array['t1', 't2', 't3'], 'in', null, null, null, null, null, 500", 20, 25],
    ['at nodes', "array['f1', 't2'], 'both', array['l'], null, null, null, null, 500", 16, 25],
    ['of all nodes', 'null, null, null, null, null, null, null, 500', 500, 600],
    ['after a cursor', "null, null, null, 'f500', 'l', 't5', 1, 500", 500, 600],
  ])('edges %s are read alone, without and with those of tool calls', async (_, values, rows, most) => {
    for (const tools of ['null', "'1'"]) {
      const found = await cost(`read_edges(${session}, ${values}, 1000000, ${tools})`, 'session_edges')
      expect(Math.abs(found.rows - rows)).toBeLessThanOrEqual(rows === 500 ? 0 : 4)
      expect(found.read).toBeLessThanOrEqual(most)
    }
  })

  it('a full page of edges reads little more than it gives', async () => {
    const found = await cost(
      `read_edges(${session}, null, null, null, null, null, null, null, 500, 1, null)`,
      'session_edges',
    )
    expect(found.rows).toBe(1)
    expect(found.read).toBeLessThanOrEqual(60)
  })

  // a session takes four characters here, and those of a minute are read at once
  it.each([
    ['at its limit', 1_000_000, 500],
    ['at its size', 20, 5],
  ])('a list of sessions that ends %s reads little more than it gives', async (_, size, rows) => {
    const found = await cost(
      `list_sessions(0::smallint, 'local'${', null'.repeat(9)}, 500, ${size}, null, null)`,
      'sessions',
    )
    expect(found.rows).toBe(rows)
    expect(found.read).toBeLessThanOrEqual(rows + 90)
  })

  it('children of a session are read alone: here there are none', async () => {
    const parent = "'00000000-0000-7000-8000-000000000000'::uuid"
    const list = `list_sessions(context.partition_of('local', 'u1'), 'local', 'u1'${', null'.repeat(8)}, 500, 1000000, ${parent}, null)`
    expect(await cost(list, 'sessions')).toEqual({ rows: 0, read: 0 })
    expect(await cost(`list_descendants(${session})`, 'sessions')).toEqual({ rows: 0, read: 1 })
  })

  it('commits of a conversation are read a page at a time', async () => {
    for (const user of ['ada', null]) {
      const values = `7::smallint, 'local', 'c7', ${user === null ? null : `'${user}'`}, 500, '~', 20`
      const found = await cost(`read_commits(${values})`, 'conversation_commits')
      expect(found.rows).toBe(20)
      // and the commit at the cursor
      expect(found.read).toBeLessThanOrEqual(21)
    }
  })

  it.each(['sessions', 'session_state', 'session_envelopes'])('a load reads one row of %s', async (table) => {
    expect(await cost(`load_session(${session}, null, false, null, false)`, table)).toEqual({ rows: 1, read: 1 })
    expect(await cost(`read_session(${session})`, table)).toEqual({ rows: 1, read: 1 })
  })

  it('reading the record or the scratchpad reads one row', async () => {
    expect(await cost(`read_record(${session})`, 'sessions')).toEqual({ rows: 1, read: 1 })
    expect(await cost(`read_record(${session})`, 'session_state')).toEqual({ rows: 1, read: 0 })
    expect(await cost(`read_state(${session})`, 'session_state')).toEqual({ rows: 1, read: 1 })
    expect(await cost(`read_state(${session})`, 'sessions')).toEqual({ rows: 1, read: 0 })
  })

  it.each([
    ['a first page of envelopes', 'list_envelopes(0::smallint, null, 50)', 50, 55],
    ['a page after a session', "list_envelopes(0::smallint, '80000000-0000-7000-8000-000000000000', 50)", 50, 55],
    ['envelopes by id', 'find_envelopes(0::smallint, array(select id from context.sessions limit 20))', 20, 20],
    ['a count by batch', "count_envelopes(0::smallint, 'b7', null)", 1, 105],
    ['a count by time', "count_envelopes(0::smallint, null, '2026-03-01 17:30Z')", 1, 205],
    ['a removal by batch', "remove_envelopes(0::smallint, 'b9', null, 10)", 10, 25],
  ])('%s reads little more than it gives', async (_, call, rows, most) => {
    const found = await cost(call, 'session_envelopes')
    expect(found.rows).toBe(rows)
    expect(found.read).toBeLessThanOrEqual(most)
  })

  it('a renewal reads one row, also if the run is over', async () => {
    const run = "7::smallint, '00000000-0000-7000-8000-000000000001', 't1', null"
    const times = "'2027-03-01 11:00Z', '2027-03-01 13:00Z'"
    expect(await cost(`renew_lease(${run}, 3, ${times})`, 'sessions')).toEqual({ rows: 1, read: 1 })
    expect((await cost(`renew_lease(${run}, 2, ${times})`, 'sessions')).read).toBe(2)
  })

  // 20 tenants with 1000 sessions each, in three chatmodes; every fourth session has expired
  it.each([
    ['of five tenants', "null, null, '2027-06-01', null, null, 't15', 5, 1", 5, 60],
    ['of five tenants and a chatmode', "null, null, '2027-06-01', 'm1', null, 't7', 5, 1", 5, 25],
    ['of a tenant', "'t1', null, '2027-06-01', null, null, '', 1, 20", 20, 70],
    ['of a tenant and a chatmode', "'t1', null, '2027-06-01', 'm2', null, '', 1, 20", 20, 25],
    ['of two agents', "'t1', null, '2027-06-01', 'm2', array['a1', 'a5'], '', 1, 20", 20, 50],
    ['of a user', "'t1', 'u21', '2027-06-01', 'm0', null, '', 1, 10", 10, 15],
    ['that nobody has', "null, null, '2027-06-01', 'none', null, '', 9, 1", 0, 25],
    ['that nobody needs yet', "null, null, '2026-01-01', null, null, '', 9, 1", 0, 0],
  ])('claimable sessions %s are found by reading little more', async (_, values, rows, most) => {
    const found = await cost(`claimable_sessions(context.partition_of('t1', 'u21'), ${values})`, 'sessions')
    expect(found.rows).toBe(rows)
    expect(found.read).toBeLessThanOrEqual(most)
  })

  it.each([
    ['open requests', "'t1', null, true, null, null, 50", 50],
    ['requests', "'t1', null, false, null, null, 50", 50],
    ['more requests', "'t1', null, false, '2027-03-01 13:00Z', '80000000-0000-7000-8000-000000000000', 50", 50],
    ['open requests to a user', "'t1', 'u21', true, null, null, 20", 20],
    ['requests to a user', "'t1', 'u21', false, null, null, 20", 20],
    ['requests of nobody', "'t1', 'u2', false, null, null, 20", 0],
  ])('sessions with %s are read alone', async (_, values, rows) => {
    const call = `list_asking(context.partition_of('t1', 'u21'), ${values})`
    expect(await cost(call, 'sessions')).toEqual({ rows, read: rows })
  })

  it('no call uses JIT compilation, which takes longer than any of them', async () => {
    const compiled = await database.admin(`
      select p.proname from pg_proc p
      where p.pronamespace = 'context'::regnamespace and p.prosecdef
        and not coalesce(p.proconfig, '{}') @> array['jit=off']`)
    expect(compiled).toEqual([])
  })

  it('an append within the same minute updates no index', async () => {
    const [row] = await database.admin(`
      update context.sessions set head = head + 1, last_activity_at = last_activity_at + interval '1 ms',
        activity_minute = activity_minute where id = '00000000-0000-7000-8000-000000000000';
      select n_tup_upd::int as moved, n_tup_hot_upd::int as hot
      from pg_stat_xact_user_tables where relid = 'context.sessions'::regclass`)
    expect(row).toEqual({ moved: 1, hot: 1 })
  })

  it('a message of the user updates an index only if the session needs no work yet', async () => {
    const [row] = await database.admin(`
      do $$
      declare
        s record;
      begin
        select x.* into s from context.sessions x where x.tenant = 't2' and x.expires_at is null limit 1;
        update context.sessions set due_at = null, marked_types = '0 user_message ' where id = s.id;
        for n in 1 .. 5 loop
          perform context.append_event(s.partition, s.id, null, null, 1, 1, s.last_activity_at, s.activity_minute, null,
            gen_random_uuid(), 'user_message', 'user', 'x', null, null, null, '');
        end loop;
      end $$;
      select n_tup_upd::int as moved, n_tup_hot_upd::int as hot
      from pg_stat_xact_user_tables where relid = 'context.sessions'::regclass`)
    // the statement that prepares the session moves it too
    expect(row).toEqual({ moved: 6, hot: 4 })
  })
})
