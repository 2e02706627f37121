import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { partitionOf } from '../../domain/partition.ts'
import type { Store } from '../../ports/store.ts'
import {
  createSession,
  describeTerms,
  NOON,
  noonPlus,
  putRequest,
  someMemory,
  someMessage,
} from '../conformance/samples.ts'
import { postgresStore } from './index.ts'

const TABLES = ['memories', 'memory_history', 'memory_keys', 'memory_sources']

const ACME = { tenant: 'acme', userId: 'ada' }
const OTHER = { tenant: 'other', userId: 'ada' }
const PARTITION = `${partitionOf('acme', 'ada')}::smallint`
const STAMP = { key: 'k', fingerprint: 'f' }

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.create()
    store = await postgresStore({ url: database.url(SERVING), migrate: false })
  })
  afterEach(async () => {
    await store.close()
    await database.destroy()
  })

  const asRole = (role: string, sql: string) => database.admin(`set role ${role}; ${sql}`)

  /** An indexed session and a memory, both with the word tea. */
  async function remembered(user = ACME) {
    const sessionId = await createSession(store, user)
    const words = describeTerms(['tea', 'secret'])
    await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages: [someMessage(1, words)] })
    const lineage = [{ relation: 'origin' as const, at: NOON, source: 'secret' }]
    const memory = someMemory({ ...user, content: 'a secret', lineage, expiresAt: NOON })
    const change = { at: NOON, change: 'created' as const, confidence: 0.8, note: 'secret' }
    const put = { memory, words: { description: words, version: 1 }, fingerprint: 'f', changes: [change] }
    const decide = () => ({ puts: [put], response: '[]' })
    await store.memories.change(putRequest([], { ...user, idempotency: STAMP, decide }))
    return { sessionId, id: memory.id }
  }

  it.each([...TABLES, 'memory_versions'])(
    'the application role has no access to %s except through functions',
    async (table) => {
      for (const sql of [
        `select 1 from memori.${table}`,
        `insert into memori.${table} default values`,
        `update memori.${table} set tenant = 'x'`,
        `delete from memori.${table}`,
        `truncate memori.${table}`,
      ]) {
        await expect(asRole(SERVING, sql)).rejects.toMatchObject({ code: '42501' })
      }
    },
  )

  it('row level security is forced and shows readers only the tenant they name', async () => {
    await remembered()
    const forced = await database.admin(`
      select relname from pg_class
      where relnamespace = 'memori'::regnamespace and relkind = 'r' and relrowsecurity and relforcerowsecurity`)
    expect(forced.map(({ relname }) => relname).sort()).toEqual([...TABLES, 'memory_versions'])
    for (const table of TABLES) {
      const count = `select count(*)::int as rows from memori.${table}`
      expect(await asRole('throughline_functions', count), table).toEqual([{ rows: 0 }])
      const named = (tenant: string) =>
        asRole('throughline_reader', `select set_config('throughline.tenant', '${tenant}', false); ${count}`)
      expect(await named('acme'), table).toEqual([{ rows: 1 }])
      expect(await named('other'), table).toEqual([{ rows: 0 }])
      await expect(asRole('throughline_reader', `delete from memori.${table}`)).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('row level security hides other tenants even if the functions do not check', async () => {
    const { sessionId, id } = await remembered()
    await database.admin(`
      create or replace function context.can_access(s_tenant text, s_user text, p_tenant text, p_user text) returns boolean
      language sql immutable as 'select true';
      create or replace function context.corpus_id(p_partition smallint, p_tenant text, p_user text, p_corpus text)
      returns integer
      language sql stable set throughline.tenant = '*' as
      'select x.corpus_id from context.recall_corpora x where x.corpus = p_corpus'`)
    for (const corpus of ['messages', 'memories'] as const) {
      expect(await store.index.postings({ ...ACME, corpus }, ['tea'], 9)).toHaveLength(1)
      expect(await store.index.postings({ ...OTHER, corpus }, ['tea'], 9)).toEqual([])
      expect((await store.index.lookup({ ...OTHER, corpus }, ['tea'])).messages).toBe(0)
    }
    const facts = { places: [{ session: sessionId, turn: 1 }], sessions: [sessionId], perSession: 9 }
    expect(await store.index.facts(ACME, facts)).toHaveLength(1)
    expect(await store.index.facts(OTHER, facts)).toEqual([])
    expect(await store.index.events(OTHER, [{ session: sessionId, sequence: 1 }])).toEqual([])
    expect(await store.index.marks(OTHER, 2)).toEqual([])
    expect(await store.memories.get([id], OTHER)).toEqual([])
    expect(await store.memories.history(id, OTHER)).toEqual([])
    expect(await store.memories.expired(noonPlus(1), 9, OTHER)).toEqual([])
    expect(await store.memories.get([id], ACME)).toHaveLength(1)
    expect(await store.memories.findResponse(STAMP, OTHER)).toBeUndefined()
    expect(await store.memories.forgetKeys(noonPlus(1), 9, OTHER)).toBe(0)
    expect(await store.memories.findResponse(STAMP, ACME)).toBe('[]')
    expect(await store.memories.forgetKeys(noonPlus(1), 9, ACME)).toBe(1)
  })

  it('no write changes, counts or removes data of another tenant', async () => {
    const { sessionId, id } = await remembered()
    const mark = { sessionId, from: 0, to: 1 }
    expect((await store.memories.change(putRequest([], { ...OTHER, mark }))).outcome).toBe('stale')
    await store.memories.markUsed(OTHER, [id], NOON)
    const words = { description: describeTerms(['tea']), version: 1 }
    await store.memories.change(putRequest([], { ...OTHER, decide: () => ({ puts: [], removals: [id] }) }))
    // the same user id in another tenant is another user, and the same memory id there another memory
    await store.memories.change(putRequest([{ memory: someMemory({ ...OTHER, id }), words }], OTHER))
    const idempotency = { ...STAMP, fingerprint: 'of another' }
    const keyed = { ...OTHER, idempotency, decide: () => ({ puts: [], response: '[]' }) }
    expect((await store.memories.change(putRequest([], keyed))).outcome).toBe('written')
    expect(await store.memories.purge(OTHER)).toEqual({ memories: 1, keys: 1 })
    expect(await store.memories.findResponse(STAMP, ACME)).toBe('[]')
    const [memory] = await store.memories.get([id], ACME)
    expect(memory).toMatchObject({ content: 'a secret', useCount: 0 })
    expect((await store.index.lookup({ ...ACME, corpus: 'memories' }, ['tea'])).frequencies.get('tea')).toBe(1)
    expect((await store.index.lookup({ ...OTHER, corpus: 'memories' }, ['tea'])).messages).toBe(0)
  })

  it('a purge of the session and then of the memories leaves no row in any table', async () => {
    const { sessionId } = await remembered()
    await remembered({ tenant: 'acme', userId: 'bob' })
    const tables = await database.admin(`
      select schemaname || '.' || tablename as name from pg_tables
      where schemaname = 'memori' or schemaname = 'context' and tablename ~ '^(recall_|session_)'`)
    expect(tables.length).toBeGreaterThan(9)
    const left = async (pattern: RegExp) => {
      const rows = await Promise.all(tables.map(({ name }) => database.admin(`select * from ${name}`)))
      return rows.flat().filter((row) => pattern.test(JSON.stringify(row)))
    }
    await store.purge({ sessionId }, NOON)
    expect(await left(new RegExp(sessionId))).toEqual([])
    expect((await store.index.lookup({ ...ACME, corpus: 'messages' }, ['tea'])).messages).toBe(0)
    expect(await store.memories.purge(ACME)).toEqual({ memories: 1, keys: 1 })
    expect(await left(/"ada"/)).toEqual([])
    // the words of bob's two corpora remain
    const rows = await database.admin(
      'select corpus_id, count(*)::int as n from context.recall_terms group by corpus_id',
    )
    expect(rows.map(({ n }) => n)).toEqual([2, 2])
  })

  it('changes of memories and the index take no lock that an append waits for', async () => {
    const { sessionId } = await remembered()
    const none = Array(19).fill("'{}'").join(', ')
    for (const call of [
      `load_memory_change(${PARTITION}, 'acme', 'ada', null, 'new', array['${sessionId}']::uuid[], '${sessionId}', 0, 1, '{}', '{}', null)`,
      `load_memory_change(${PARTITION}, 'acme', 'ada', '${sessionId}', null, array['${sessionId}']::uuid[], '${sessionId}', 0, 1, '{}', '{}', null)`,
      `index_messages(${PARTITION}, '${sessionId}', 1, 2, 1, ${none})`,
      `unindex_session(${PARTITION}, '${sessionId}')`,
    ]) {
      const held = await database.admin(`
        begin;
        create temp table given on commit drop as select 1 as row from context.${call};
        select mode from pg_locks l
        where l.pid = pg_backend_pid() and l.relation = 'context.sessions'::regclass`)
      expect(
        held.map(({ mode }) => mode),
        call,
      ).toEqual(['AccessShareLock'])
    }
  })
})
