import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import type { Memory } from '../../domain/memory/memory.ts'
import { partitionOf } from '../../domain/partition.ts'
import { describeTerms, noonPlus, putRequest, someMemory } from '../conformance/samples.ts'
import { postgresStore } from './index.ts'
import { knownSchema } from './migrate.ts'

/** The other service's role: it uses the table but owns nothing. */
const SERVICE = 'throughline_test_service'
const ADA = '00000000-0000-4000-8000-00000000000a'
const SESSION = '00000000-0000-4000-8000-00000000000c'

const ROLE = `
  select pg_advisory_xact_lock(4747);
  do $$ begin
    if not exists (select 1 from pg_roles where rolname = '${SERVICE}') then
      create role ${SERVICE} login;
    end if;
  end $$`

const TOUCH = `
  create function memori.touch() returns trigger language plpgsql as
  'begin new.updated_at := coalesce(new.updated_at, to_timestamp(0)) + interval ''1 day''; return new; end';
  create trigger touch before update on memori.memories for each row execute function memori.touch();`

interface Shape {
  name: string
  table: string
  /** Inserts a row as the service does. */
  insert: string
}

const SHAPES: Shape[] = [
  {
    name: 'a uuid key and a generated vector',
    table: `
      create table memori.memories (
        id uuid primary key default gen_random_uuid(), user_id text not null, category text not null,
        content text not null, content_tsv tsvector generated always as (to_tsvector('english', content)) stored,
        created_at timestamptz not null default '2025-01-02T03:04:05.678901Z'
      );
      create index their_words on memori.memories using gin (content_tsv);`,
    insert: `insert into memori.memories (user_id, category, content) values ('${ADA}', 'facts', 'They walked to Zürich')`,
  },
  {
    name: 'an identity key, a text limit, and its own column metadata',
    table: `
      create table memori.memories (
        id bigint generated always as identity primary key, user_id varchar(64) not null, category varchar(20) not null,
        content text not null, content_tsv tsvector generated always as (to_tsvector('simple', content)) stored,
        created_at timestamp, metadata jsonb
      );`,
    insert: `
      insert into memori.memories (user_id, category, content, created_at, metadata)
      values ('${ADA}', 'projects', 'They walked', '2025-01-02', '{"b": [1], "a": null}')`,
  },
  {
    name: 'a serial key and a vector set by a trigger',
    table: `
      create table memori.memories (
        id serial primary key, user_id text not null, category text not null, content text not null,
        content_tsv tsvector, updated_at timestamptz
      );
      create trigger words before insert or update on memori.memories for each row
      execute function tsvector_update_trigger(content_tsv, 'pg_catalog.english', content);
      ${TOUCH}
      grant usage on sequence memori.memories_id_seq to ${SERVICE};`,
    insert: `insert into memori.memories (user_id, category, content) values ('${ADA}', 'facts', 'They walked')`,
  },
  {
    name: 'some provenance columns and a trigger that records changes',
    table: `
      create table memori.memories (
        id uuid primary key default gen_random_uuid(), user_id text not null, category text, content text,
        content_tsv tsvector generated always as (to_tsvector('english', content)) stored, updated_at timestamptz,
        source_type text, confidence numeric(3, 2) default 0.80, lineage jsonb default '[]',
        use_count integer default 0, last_used_at timestamptz, expires_at timestamptz
      );
      create index idx_memories_namespace_category on memori.memories (user_id, category);
      ${TOUCH}`,
    insert: `
      insert into memori.memories (user_id, category, content, source_type, confidence, lineage, use_count) values
      ('${ADA}', 'rules', 'They walked', 'explicit', 0.55, '["${SESSION}", "older"]', 7),
      ('${ADA}', 'rules', 'They walked', null, null, null, null)`,
  },
  {
    name: 'uuid users, a key without default, and a vector set by the service',
    table: `
      create table memori.memories (
        id uuid primary key, user_id uuid not null, category text not null, content text not null, content_tsv tsvector
      );`,
    insert: `
      insert into memori.memories (id, user_id, category, content, content_tsv)
      values (gen_random_uuid(), '${ADA}', 'facts', 'They walked', 'own:1')`,
  },
]

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.create('bare')
    await database.admin(ROLE)
  })
  afterEach(() => database.destroy())

  const asRole = (role: string, sql: string) => database.admin(`set role ${role}; ${sql}`)
  const rows = () => database.admin('select * from memori.memories order by id::text')

  async function make({ table, insert }: Shape): Promise<void> {
    await asRole(
      OWNER,
      `create schema memori; ${table} grant usage on schema memori to ${SERVICE};
       grant select, insert, update, delete on memori.memories to ${SERVICE}`,
    )
    for (let n = 0; n < 3; n++) await asRole(SERVICE, insert)
  }

  async function migrate(): Promise<void> {
    await (await postgresStore({ url: database.url(OWNER), migrate: true })).close()
  }

  describe.each(SHAPES)('a table of memories with $name', (shape) => {
    it('keeps every value and gains provenance once', async () => {
      await make(shape)
      const before = await rows()
      await migrate()
      const after = await rows()
      expect(after.map((row, i) => ({ ...row, ...before[i], source_type: row['source_type'] }))).toEqual(after)
      for (const [i, row] of after.entries()) {
        expect(row['source_type']).toBe(before[i]?.['source_type'] ?? 'bootstrap')
        expect(row).toMatchObject({ tenant: 'local', scope: null, superseded_by: null, fingerprint: null })
      }
      expect(new Set(after.map((row) => row['memory_id'])).size).toBe(before.length)
      await migrate()
      expect(await rows()).toEqual(after)
      const ledger = await database.admin('select count(*)::int as n from context.throughline_migrations')
      expect(ledger).toEqual([{ n: knownSchema() }])
      const indexes = await database.admin(`
        select count(*)::int as n from pg_index i join pg_class r on r.oid = i.indexrelid join pg_am a on a.oid = r.relam
        where i.indrelid = 'memori.memories'::regclass and a.amname = 'gin'`)
      expect(indexes).toEqual([{ n: 1 }])
    })

    it('works as before for the service', async () => {
      await make(shape)
      const before = await rows()
      await migrate()
      await asRole(SERVICE, shape.insert)
      const after = await asRole(SERVICE, 'select * from memori.memories')
      expect(after).toHaveLength((before.length / 3) * 4)
      for (const row of after) expect(row).toMatchObject({ tenant: 'local', memory_id: expect.any(String) })
      await asRole(SERVICE, "update memori.memories set category = 'context'")
      expect(await asRole(SERVICE, 'delete from memori.memories returning category')).toHaveLength(after.length)
    })

    it('is read and written through the store', async () => {
      await make(shape)
      await migrate()
      const store = await postgresStore({ url: database.url(SERVING), migrate: false })
      const user = { tenant: 'local', userId: ADA }
      const known = await store.memories.list({ ...user, limit: 99 })
      expect(known).toHaveLength((await rows()).length)
      for (const memory of known)
        expect(memory).toMatchObject({ ...user, content: expect.stringMatching('They walked') })
      expect(await store.memories.unindexed(user, 1, 99)).toHaveLength(known.length)

      const fresh = someMemory({ ...user, content: 'She walked', metadata: { a: 1 } })
      const words = { description: describeTerms(['walk']), version: 1 }
      const changes = [{ at: noonPlus(0), change: 'created' as const, confidence: 0.8 }]
      const puts = [fresh, ...known].map((memory) => ({ memory, words, changes, fingerprint: 'f' }))
      await store.memories.change(putRequest(puts, user))
      const byId = (memories: readonly Memory[]) => memories.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      expect(await store.memories.list({ ...user, limit: 99 })).toEqual(byId([fresh, ...known]))
      expect(await store.memories.unindexed(user, 1, 99)).toEqual([])
      const [row] = await database.admin(
        `select * from memori.memories where content = 'She walked' and content_tsv @@ 'walked | walk'`,
      )
      expect(row).toMatchObject({ memory_id: fresh.id, source_type: 'explicit' })
      await store.memories.markUsed(user, [fresh.id], noonPlus(1))
      await store.memories.change(putRequest([], { ...user, decide: () => ({ puts: [], removals: [fresh.id] }) }))
      expect(await store.memories.list({ ...user, limit: 99 })).toEqual(known)
      expect(await store.memories.purge(user)).toEqual({ memories: known.length, keys: 0 })
      expect(await rows()).toEqual([])
      await store.close()
    })
  })

  it('reads plain session ids as origins with the confidence of the memory', async () => {
    await make(SHAPES[3] as Shape)
    await migrate()
    const store = await postgresStore({ url: database.url(SERVING), migrate: false })
    const found = await store.memories.fromSource({
      tenant: 'local',
      userId: ADA,
      key: `session:${SESSION}`,
      limit: 9,
    })
    expect(found).toHaveLength(3)
    const [memory] = found
    const origin = { relation: 'origin', at: memory?.createdAt, confidence: 0.55 }
    expect(memory).toMatchObject({ sourceType: 'explicit', confidence: 0.55, useCount: 7 })
    expect(memory?.lineage).toEqual([
      { ...origin, sessionId: SESSION },
      { ...origin, sessionId: 'older' },
    ])
    await store.close()
  })

  it('separates tenants in a table with its own policies, and keeps those policies', async () => {
    await make(SHAPES[0] as Shape)
    await asRole(
      OWNER,
      `alter table memori.memories enable row level security;
       create policy theirs on memori.memories using (category <> 'secret')`,
    )
    await database.admin(`insert into memori.memories (user_id, category, content) values ('${ADA}', 'secret', 'x')`)
    await migrate()
    await database.admin("update memori.memories set tenant = 'acme' where category = 'secret'")
    expect(await asRole(SERVICE, 'select 1 from memori.memories')).toHaveLength(3)
    const store = await postgresStore({ url: database.url(SERVING), migrate: false })
    const categories = async (tenant: string) =>
      (await store.memories.list({ tenant, userId: ADA, limit: 9 })).map(({ category }) => category)
    expect(await categories('local')).toEqual(['facts', 'facts', 'facts'])
    expect(await categories('acme')).toEqual(['secret'])
    // the service's policy shows everyone everything; ours restricts our roles
    const enter = "select set_config('throughline.tenant', 'acme', false)"
    expect(await asRole('throughline_functions', `${enter}; select 1 from memori.memories`)).toHaveLength(1)
    expect(await asRole('throughline_functions', 'select 1 from memori.memories')).toEqual([])
    await store.close()
  })

  it.each([
    ['table', 'create schema memori; grant all on schema memori to public', 'memori.memories exists already'],
    ['schema', 'create schema memori; grant usage on schema memori to public', 'the schema memori belongs'],
  ])('refuses a %s that belongs to another role, and names the grant to run', async (what, schema, message) => {
    await database.admin(`grant create on database ${new URL(database.url()).pathname.slice(1)} to ${SERVICE}`)
    await asRole(what === 'table' ? OWNER : SERVICE, schema)
    await asRole(
      SERVICE,
      'create table memori.memories (id uuid primary key, user_id text, category text, content text, content_tsv tsvector)',
    )
    await expect(migrate()).rejects.toThrow(message)
    await expect(migrate()).rejects.toThrow(`grant ${SERVICE} to ${OWNER}`)
    const columns = await database.admin(
      "select 1 from information_schema.columns where table_schema = 'memori' and table_name = 'memories'",
    )
    expect(columns).toHaveLength(5)
    await database.admin(`drop owned by ${SERVICE}`)
  })

  it('stops if a data statement touches fewer rows than there are, and leaves the table as it was', async () => {
    await make(SHAPES[0] as Shape)
    const before = await rows()
    // as on a distributed table: the statement succeeds and changes nothing
    await asRole(OWNER, 'create rule nothing as on update to memori.memories do instead nothing')
    await expect(migrate()).rejects.toThrow('memories completed: 0 of 3 rows')
    expect(await rows()).toEqual(before)
    await asRole(OWNER, 'drop rule nothing on memori.memories')
    await migrate()
    const partitions = await database.admin('select distinct partition from memori.memories')
    expect(partitions).toEqual([{ partition: partitionOf('local', ADA) }])
  })

  it('refuses columns of other types and names them', async () => {
    await make({
      name: '',
      table:
        'create table memori.memories (id uuid primary key, user_id integer, category text, content text, content_tsv tsvector);',
      insert: 'select 1',
    })
    await expect(migrate()).rejects.toThrow('its column user_id is integer; it must be text')
  })
})
