import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { open } from '../../open/open.ts'
import { serviceOf } from '../../service.ts'
import { conversation } from '../conformance/api-service.ts'
import { startWorker } from '../conformance/processes.ts'
import { appendRequest, createSession, NOON, readLog, someEvents, upTo } from '../conformance/samples.ts'
import { postgresStore } from './index.ts'
import { knownSchema } from './migrate.ts'

const TABLES = [
  'sessions',
  'session_slots',
  'session_labels',
  'session_state',
  'session_envelopes',
  'session_events',
  'session_types',
  'session_keys',
  'session_edges',
  'session_work_marks',
  'session_usage',
  'conversation_commits',
  'recall_corpora',
  'recall_terms',
  'recall_speakers',
  'recall_postings',
  'recall_blocks',
  'recall_messages',
  'session_marks',
  'session_imports',
]

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.create()
  })
  afterEach(() => database.destroy())

  const serving = () => postgresStore({ url: database.url(SERVING), migrate: false })
  const asRole = (role: string, sql: string) => database.admin(`set role ${role}; ${sql}`)

  describe('the application role', () => {
    it.each([...TABLES, 'settings'])('has no access to %s except through functions', async (table) => {
      for (const sql of [
        `select 1 from context.${table}`,
        `delete from context.${table}`,
        `truncate context.${table}`,
      ]) {
        await expect(asRole(SERVING, sql)).rejects.toMatchObject({ code: '42501' })
      }
    })

    it('cannot call internal functions', async () => {
      for (const call of [
        "set_tenant('*')",
        "write_view(0::smallint, gen_random_uuid(), '{}')",
        "insert_session(0::smallint, gen_random_uuid(), '{}'::json, 0)",
        'insert_session(0::smallint, gen_random_uuid(), null::context.input_view, 0)',
        "mark_type(0::smallint, gen_random_uuid(), 'local', 'user_message', 1, '')",
        "chain_of('local', 'ada', 'c')",
        "insert_edges(0::smallint, gen_random_uuid(), '', 0, '{}', '{}', '{}', '{}', '{}')",
        "lock_user('local', 'ada')",
        "corpus_id(0::smallint, 'local', 'ada', 'messages')",
        "remove_words(0::smallint, 'local', 'ada', 'messages', '{}')",
        "add_words(0::smallint, 'local', 'ada', 'messages', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
        "may_change_memories(0::smallint, 'local', 'ada', '{}', null, 0, 0)",
        "write_envelope(0::smallint, gen_random_uuid(), 'local', 1, '{}'::json)",
        "write_envelope(0::smallint, gen_random_uuid(), 'local', 1, null::context.input_envelope)",
        'set_envelope_updated_at()',
        'check_intake()',
        "insert_imported_events(0::smallint, gen_random_uuid(), 'local', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
        "replace_views(0::smallint, gen_random_uuid(), 'local', '{}', 0)",
        "import_commit(0::smallint, gen_random_uuid(), gen_random_uuid(), '{}')",
      ]) {
        await expect(asRole(SERVING, `select context.${call}`)).rejects.toMatchObject({ code: '42501' })
      }
    })

    it('learns which membership it lacks', async () => {
      await database.admin('create role throughline_test_stranger login')
      await expect(open(database.url('throughline_test_stranger'))).rejects.toThrow('member of throughline_app')
      await database.admin('drop role throughline_test_stranger')
    })
  })

  describe('AC 1: the view conversation_sessions', () => {
    it('exists after the migration, with every column, and agents as text instead of an enum', async () => {
      const columns = await database.admin(`
        select column_name, data_type from information_schema.columns
        where table_schema = 'context' and table_name = 'conversation_sessions' order by ordinal_position`)
      expect(columns.map(({ column_name, data_type }) => `${column_name} ${data_type}`)).toEqual([
        'id uuid',
        'user_id text',
        'active_agent text',
        'messages json',
        'agent_transitions json',
        'created_at timestamp with time zone',
        'updated_at timestamp with time zone',
        'expires_at timestamp with time zone',
      ])
    })

    it('shows a reader the sessions of its tenant, as the service shows them', async () => {
      const tl = await open(database.url(SERVING))
      const service = serviceOf(tl)
      const shown = await conversation(service, async (id) => {
        const session = await tl.sessions.get(id)
        await session.clear()
        const { head: to } = await session.record()
        await session.addMessage({ role: 'user', content: 'taken back' })
        await session.recordTransition({ to: 'coach', reason: 'taken back' })
        await session.rewind({ to })
      })
      const rows = (tenant: string) =>
        asRole(
          'throughline_reader',
          `select set_config('throughline.tenant', '${tenant}', false); select * from context.conversation_sessions`,
        )
      const [row, ...others] = await rows('local')
      expect(others).toEqual([])
      expect(row).toEqual({
        id: shown.id,
        user_id: 'ada',
        active_agent: shown.activeAgent,
        messages: shown.messages,
        agent_transitions: shown.agentTransitions,
        created_at: new Date(shown.createdAt),
        updated_at: new Date(shown.updatedAt),
        expires_at: null,
      })
      expect(await rows('acme')).toEqual([])
      await tl.close()
    })

    it('is read-only', async () => {
      const enter = "select set_config('throughline.tenant', '*', false)"
      for (const role of ['throughline_reader', SERVING]) {
        await expect(asRole(role, `${enter}; delete from context.conversation_sessions`)).rejects.toThrow()
      }
      await expect(database.admin('delete from context.conversation_sessions')).rejects.toMatchObject({ code: '55000' })
      for (const table of TABLES) {
        await expect(asRole('throughline_reader', `delete from context.${table}`)).rejects.toMatchObject({
          code: '42501',
        })
      }
    })
  })

  describe('S18 events', () => {
    it('cannot be changed or deleted by the functions that append, not even by cascade', async () => {
      const store = await serving()
      const id = await createSession(store)
      await store.append(appendRequest(id, { events: someEvents(3) }))
      const enter = "select set_config('throughline.tenant', '*', false)"
      for (const sql of [
        "update context.session_events set content = 'z'",
        'delete from context.session_events',
        'truncate context.session_events',
        'delete from context.sessions',
      ]) {
        await expect(asRole('throughline_functions', `${enter}; ${sql}`)).rejects.toMatchObject({ code: '42501' })
      }
      expect(await readLog(store, id)).toHaveLength(4)
      const cascades = await database.admin("select conname from pg_constraint where contype = 'f'")
      expect(cascades).toEqual([])
      await store.close()
    })
  })

  describe('row level security', () => {
    it('hides other tenants even if the functions do not check', async () => {
      const store = await serving()
      const sessionId = await createSession(store, { tenant: 'acme' })
      await store.append(appendRequest(sessionId, { idempotency: { key: 'k', fingerprint: 'f' } }))
      await database.admin(`
        create or replace function context.can_access(s_tenant text, s_user text, p_tenant text, p_user text) returns boolean
        language sql immutable as 'select true'`)
      const key = { sessionId, within: { tenant: 'other' } }
      expect(await store.load(key)).toBeUndefined()
      expect(await store.sessionIds({ limit: 9, within: key.within })).toEqual([])
      expect(await store.totals(key.within)).toEqual({ sessions: 0, events: 0 })
      for (const call of [
        () => store.read(key, { order: 'asc', limit: 9 }),
        () => store.append({ ...appendRequest(sessionId), ...key }),
        () => store.append({ ...appendRequest(sessionId), ...key, idempotency: { key: 'k', fingerprint: 'f' } }),
        () => store.edges(key, { limit: 9 }),
        () => store.purge(key, NOON),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
      }
      expect(await readLog(store, sessionId)).toHaveLength(2)
      await store.close()
    })

    it('shows nothing to a role that names no tenant', async () => {
      const store = await serving()
      await createSession(store)
      for (const table of TABLES) {
        const rows = await asRole('throughline_functions', `select count(*)::int as rows from context.${table}`)
        expect(rows, table).toEqual([{ rows: 0 }])
      }
      await store.close()
    })

    it('lets readers of a tenant read its envelopes, and nothing else', async () => {
      const store = await serving()
      const [id] = [await createSession(store, { tenant: 'acme' }), await createSession(store, { tenant: 'other' })]
      const read = (tenant: string, sql = 'select session_id, tenant from context.session_envelopes') =>
        asRole('throughline_reader', `select set_config('throughline.tenant', '${tenant}', false); ${sql}`)
      expect(await read('acme')).toEqual([{ session_id: id, tenant: 'acme' }])
      expect(await read('none')).toEqual([])
      const change = "update context.session_envelopes set persona_id = 'x'"
      await expect(read('acme', change)).rejects.toMatchObject({ code: '42501' })
      const changed = "select set_config('throughline.tenant', 'acme', false); update context.session_envelopes"
      expect(
        await asRole('throughline_functions', `${changed} set persona_id = 'x' returning session_id`),
      ).toHaveLength(1)
      await expect(asRole('throughline_functions', `${changed} set tenant = 'other'`)).rejects.toMatchObject({
        code: '42501',
      })
      await store.close()
    })

    it('is forced on every table, even for the owner', async () => {
      const rows = await database.admin(`
        select relname from pg_class
        where relnamespace = 'context'::regnamespace and relkind = 'r' and relrowsecurity and relforcerowsecurity`)
      expect(rows.map(({ relname }) => relname).sort()).toEqual([...TABLES].sort())
    })
  })

  describe('the schema', () => {
    it('is created once by four concurrent processes of the owner role', async () => {
      const empty = await databases.create('bare')
      const target = { url: empty.url(OWNER), migrate: true }
      const workers = Array.from({ length: 4 }, () => startWorker(target, { do: 'open' }))
      expect((await Promise.all(workers.map(({ done }) => done))).flat()).toEqual(Array(4).fill(knownSchema()))
      const ledger = await empty.admin('select version from context.throughline_migrations order by version')
      expect(ledger.map(({ version }) => version)).toEqual(upTo(knownSchema()))
      await (await open(empty.url(SERVING))).close()
      await empty.destroy()
    })

    it('is refused if missing, with the command to run; nothing is created', async () => {
      const empty = await databases.create('bare')
      await expect(open(empty.url(OWNER))).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' })
      await expect(open(empty.url(OWNER))).rejects.toThrow('throughline migrate')
      expect(await empty.admin("select 1 from pg_namespace where nspname = 'context'")).toEqual([])
      await empty.destroy()
    })

    it('is refused if newer than the code', async () => {
      await database.admin(
        "insert into context.throughline_migrations (version, name, checksum) values (9999, 'future', '')",
      )
      await expect(open(database.url(SERVING))).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
      await expect(open({ url: database.url(OWNER), migrate: true })).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
    })

    it('has the partition first in every key of a table that belongs to a user', async () => {
      const keys = await database.admin(`
        select c.relname as table, a.attname as first
        from pg_index i
        join pg_class c on c.oid = i.indrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where c.relnamespace in ('context'::regnamespace, 'memori'::regnamespace) and i.indisunique`)
      const shared = ['throughline_migrations', 'settings']
      const owned = keys.filter(({ table }) => !shared.includes(String(table)))
      expect(owned).toHaveLength(27)
      for (const { table, first } of owned) expect(first, String(table)).toBe('partition')
    })

    it('has the partition as the first parameter of every function that the application calls', async () => {
      const functions = await database.admin(`
        select p.proname as name, p.proargnames[1] as first
        from pg_proc p
        where p.pronamespace = 'context'::regnamespace and has_function_privilege('throughline_app', p.oid, 'execute')`)
      const forAll = [
        'schema_version',
        'iso_time',
        'is_hidden',
        'partition_of',
        'partition_groups',
        'set_memory_partition',
      ]
      const calls = functions.filter(({ name }) => !forAll.includes(String(name)))
      expect(calls.length).toBeGreaterThan(50)
      for (const { name, first } of calls) expect(first, String(name)).toBe('p_partition')
    })
  })

  it('a purge leaves no row of a user in any table', async () => {
    const tl = await open(database.url(SERVING))
    const session = await tl.sessions.create({ userId: 'ada', metadata: { note: 'secret' } })
    await session.append([{ type: 'user_message', content: 'secret' }], { idempotencyKey: 'secret' })
    await tl.sessions.create({ userId: 'bob' })
    expect(await tl.users.purge('ada')).toMatchObject({ sessions: 1, events: 2, keys: 1 })
    for (const table of TABLES) {
      const rows = await database.admin(`select * from context.${table}`)
      expect(JSON.stringify(rows), table).not.toMatch(/secret|"ada"/)
    }
    await tl.close()
  })
})
