import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, type TestDatabase } from '../../../test/servers/database.ts'
import { partitionOf } from '../../domain/partition.ts'

/** Far more rows than any call may read. */
const MANY = 20_000

/** Two users with half of the data each: sessions of 20 messages, each with 3 terms. */
const FILL = `
  create function pg_temp.home(n integer) returns smallint language sql immutable as
    'select context.partition_of(''local'', ''u'' || n % 2)';
  create function pg_temp.id(n integer) returns uuid language sql immutable as 'select lpad(to_hex(n), 32, ''0'')::uuid';

  insert into context.sessions (
    partition, id, tenant, user_id, conversation_id, chatmode, state, status, active_agent, head, turns, cleared_at, started_at,
    last_activity_at, activity_minute, metadata
  )
  select pg_temp.home(n), pg_temp.id(n), 'local', 'u' || n % 2, 'c' || n, 'default', 'running', '{}', 'coach', 20, 0, 0, at, at,
    context.minute_of(at), '{}'
  from generate_series(1, ${MANY / 10}) n,
    lateral (select timestamptz '2026-03-01 12:00:00Z' + n * interval '1 second') t (at);
  insert into context.session_marks (partition, session_id, tenant, indexed, turns, version, extracted)
  select partition, id, tenant, case when activity_minute % 5 = 0 then 10 else 20 end, 20, 1, 0 from context.sessions;
  insert into context.session_events (partition, session_id, sequence, id, tenant, type, role, content, created_at, checksum)
  select s.partition, s.id, n, gen_random_uuid(), 'local', 'user_message', 'user', '', now(), ''
  from context.sessions s, generate_series(1, 10) n;

  insert into context.recall_corpora (partition, user_id, tenant, corpus, corpus_id, messages, terms, long_messages)
  select pg_temp.home(n), 'u' || n, 'local', 'messages', n + 1, ${MANY}, ${3 * MANY}, 0 from generate_series(0, 1) n;
  insert into context.recall_messages (
    partition, corpus_id, session_id, turn, tenant, sequence, is_commit, speaker, time, length, asked, specifics, times, counts
  )
  select pg_temp.home(n), n % 2 + 1, pg_temp.id(n), turn, 'local', turn, false, 'user', n * 1000 + turn, 3, 0, 0, 0, false
  from generate_series(1, ${MANY / 10}) n, generate_series(1, 20) turn;
  insert into context.recall_postings (partition, corpus_id, term, session_id, block, tenant, messages, data)
  select pg_temp.home(n), n % 2 + 1, term, pg_temp.id(n), 0, 'local', 1, '\\x0102'
  from generate_series(1, ${MANY / 10}) n,
    lateral (select 'often' union all select 'rare' || n / 10 union all select 'own' || n || i from generate_series(1, 8) i) t (term);
  insert into context.recall_terms (partition, corpus_id, term, tenant, messages)
  select partition, corpus_id, term, 'local', count(*) from context.recall_postings group by 1, 2, 3;
  insert into context.recall_blocks (partition, corpus_id, session_id, block, turn, tenant, terms, messages, words, long_messages)
  select partition, corpus_id, session_id, 0, 1, 'local', array_agg(term), 20, 60, 0
  from context.recall_postings group by 1, 2, 3;
  insert into context.recall_speakers (partition, corpus_id, speaker, tenant, messages)
  select pg_temp.home(n), n + 1, 'user', 'local', ${MANY} from generate_series(0, 1) n;

  insert into memori.memories (user_id, memory_id, category, content, fingerprint, index_version, expires_at, superseded_by)
  select 'u' || n % 2, pg_temp.id(n), 'facts', 'tea', 'f' || n, case when n % 500 < 3 then null else 1 end,
    case when n % 400 = 0 then timestamptz '2026-03-01 12:00Z' + n * interval '1 s' end, case when n % 5 = 0 then pg_temp.id(n) end
  from generate_series(1, ${MANY}) n;
  insert into memori.memory_sources (partition, user_id, tenant, digest, memory_id, key)
  select partition, user_id, 'local', md5(key)::uuid, memory_id, key
  from memori.memories, lateral (select 'session:' || right(memory_id::text, 2)) k (key);
  insert into memori.memory_keys (partition, user_id, tenant, digest, key, fingerprint, response, at)
  select context.partition_of('local', 'u' || n % 20), 'u' || n % 20, 'local', md5('k' || n / 20)::uuid, 'k' || n / 20,
    'f' || n / 2, '[]', timestamptz '2026-03-01 12:00Z' + n * interval '1 s'
  from generate_series(1, ${MANY}) n;
  insert into memori.memory_history (partition, user_id, memory_id, version, tenant, at, change, confidence)
  select partition, user_id, memory_id, v, 'local', now(), 'created', 0.8 from memori.memories, generate_series(1, 2) v;
  analyze`

const id = (n: number) => `'${n.toString(16).padStart(32, '0')}'`

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

  /** Number of rows that a call returns and reads of a table, and the tables it scans. */
  async function cost(call: string, table: string) {
    const [row] = await database.admin(`
      begin;
      create temp table given on commit drop as select 1 as row from context.${call};
      select (select count(*)::int from given) as rows,
        (select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int from pg_stat_xact_user_tables
         where relid = '${table}'::regclass) as read,
        (select array_agg(relname::text) from pg_stat_xact_user_tables
         where seq_tup_read > 100 and schemaname in ('context', 'memori')) as scanned;`)
    return row as { rows: number; read: number; scanned: string[] | null }
  }

  const places = (n: number) => {
    const sessions = Array.from({ length: n }, (_, i) => id(2 + 2 * i))
    return `array[${sessions.join(', ')}]::uuid[], array[${sessions.map((_, i) => (i % 20) + 1).join(', ')}]`
  }
  const home = (name: string) => `${partitionOf('local', name)}::smallint`
  const user = `${home('u0')}, 'local', 'u0'`
  const anyone = '0::smallint, null, null'

  it.each([
    ['a lookup', `count_terms(${user}, 'messages', array['often', 'rare7', 'never'])`, 'context.recall_terms', 1, 3],
    ['postings', `read_postings(${user}, 'messages', array['rare7', 'never'], 100)`, 'context.recall_postings', 1, 5],
    ['the last postings', `read_postings(${user}, 'messages', array['often'], 50)`, 'context.recall_postings', 1, 50],
    [
      'facts of places',
      `read_message_facts(${user}, ${places(100)}, '{}', 0, null, null, 0)`,
      'context.recall_messages',
      100,
      100,
    ],
    [
      'facts of sessions',
      `read_message_facts(${user}, '{}', '{}', array[${id(4)}, ${id(8)}]::uuid[], 5, null, null, 0)`,
      'context.recall_messages',
      10,
      20,
    ],
    [
      'facts of a span',
      `read_message_facts(${user}, '{}', '{}', '{}', 0, 0, 900000000, 30)`,
      'context.recall_messages',
      30,
      60,
    ],
    ['events', `events_at(${user}, ${places(10)}, 1000000)`, 'context.session_events', 10, 10],
    ['marks of the newest sessions', `read_marks(${user}, 1, 30)`, 'context.session_marks', 0, 30],
    ['a mark', `read_mark(${home('u0')}, ${id(6)})`, 'context.session_marks', 1, 1],
    ['memories by id', `get_memories(${user}, array[${id(4)}, ${id(8)}]::uuid[], 1000000)`, 'memori.memories', 2, 2],
    ['a page of memories', `list_memories(${user}, ${id(5000)}, 40, 1000000)`, 'memori.memories', 40, 41],
    ['a full page of memories', `list_memories(${user}, ${id(5000)}, 40, 1)`, 'memori.memories', 1, 10],
    ['a history', `read_memory_history(${user}, ${id(8)}, 0, 500, 1000000)`, 'memori.memory_history', 2, 2],
    [
      'the key of a change',
      `load_memory_change(${user}, null, 'k9', '{}', null, null, null, '{}', '{}', null)`,
      'memori.memory_keys',
      1,
      1,
    ],
    ['the response to a key', `find_memory_key(${user}, 'k9', 'f90')`, 'memori.memory_keys', 1, 2],
    ['the response to a key of anyone', `find_memory_key(${anyone}, 'k9', 'f90')`, 'memori.memory_keys', 1, 2],
    ['keys to forget', `delete_memory_keys(${anyone}, '2026-03-01 13:00Z', 5)`, 'memori.memory_keys', 1, 10],
    [
      'keys of a tenant to forget',
      `delete_memory_keys(0::smallint, 'local', null, '2026-03-01 13:00Z', 5)`,
      'memori.memory_keys',
      1,
      10,
    ],
    ['memories of a source', `memories_by_source(${user}, 'session:3a', null, 20, 1000000)`, 'memori.memories', 20, 20],
    ['a full page of a source', `memories_by_source(${user}, 'session:3a', null, 40, 1)`, 'memori.memories', 1, 10],
    ['expired memories', `expired_memories(${anyone}, '2026-03-01 13:00Z', 5, 1000000)`, 'memori.memories', 5, 9],
    [
      'a full page of expired memories',
      `expired_memories(${anyone}, '2026-03-01 13:00Z', 50, 1)`,
      'memori.memories',
      1,
      14,
    ],
    ['unindexed memories', `unindexed_memories(${user}, 1, 10, 1000000)`, 'memori.memories', 10, 10],
    ['a full page of unindexed memories', `unindexed_memories(${user}, 1, 40, 1)`, 'memori.memories', 1, 10],
    [
      'no unindexed memories',
      `unindexed_memories(${home('u1')}, 'local', 'u1', 1, 1000, 1000000)`,
      'memori.memories',
      40,
      40,
    ],
    [
      'memories for a change',
      `load_memory_change(${user}, null, null, '{}', null, null, null, array[${id(4)}, ${id(8)}]::uuid[], array['f12', 'f14', 'f20', 'f13', 'x'], null)`,
      'memori.memories',
      5,
      7,
    ],
  ])('%s reads little more than it gives', async (_, call, table, rows, most) => {
    const found = await cost(call, table)
    expect(found.rows).toBe(rows)
    expect(found.read).toBeLessThanOrEqual(most)
    expect(found.scanned).toBeNull()
  })

  it('the response to a key is found by user if given, otherwise by fingerprint', async () => {
    /** Number of scans of each index. */
    const uses = async (after: string) => {
      await database.admin(`${after}; select pg_stat_force_next_flush()`)
      const rows = await database.admin(`
        select indexrelname as name, idx_scan::int as n from pg_stat_user_indexes where relname = 'memory_keys'`)
      return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]))
    }
    const find = (who: string) => `select context.find_memory_key(${who}, 'k9', 'f90')`
    const before = await uses('select 1')
    const named = await uses(find(user))
    const byAnyone = await uses(find(anyone))
    const tenant = await uses(find("0::smallint, 'local', null"))
    const since = (later: typeof before, earlier: typeof before) =>
      Object.keys(later).filter((name) => later[name] !== earlier[name])
    expect(since(named, before)).toEqual(['memory_keys_pkey'])
    expect(since(byAnyone, named)).toEqual(['memory_keys_fingerprint'])
    expect(since(tenant, byAnyone)).toEqual(['memory_keys_fingerprint'])
  })

  it('the newest sessions are read from the user’s sessions only', async () => {
    const found = await cost(`read_marks(${user}, 2, 30)`, 'context.sessions')
    expect(found.rows).toBe(30)
    // plus the other sessions of the last minute
    expect(found.read).toBeLessThanOrEqual(65)
  })

  it.each([
    ['context.recall_postings', 12],
    ['context.recall_messages', 20],
    ['context.recall_terms', 40],
  ])('a session that is dropped is found by its keys in %s', async (table, most) => {
    const found = await cost(`unindex_session(${home('u0')}, ${id(4)})`, table)
    expect(found.read).toBeLessThanOrEqual(most)
    expect(found.scanned).toBeNull()
  })

  it('sessions to index are read in order of id, up to the page size', async () => {
    const found = await cost('sessions_to_index(0::smallint, null, null, 1, null, 10)', 'context.sessions')
    expect(found.rows).toBe(10)
    expect(found.scanned).toBeNull()
    const next = await cost(`sessions_to_index(0::smallint, null, null, 2, ${id(1000)}, 10)`, 'context.sessions')
    expect(next.read).toBeLessThanOrEqual(12)
  })
})
