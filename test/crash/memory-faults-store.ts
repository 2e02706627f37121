import { join } from 'node:path'
import Database from 'better-sqlite3'
import { uuid7 } from '../../src/ids.ts'
import type { OpenOptions } from '../../src/index.ts'
import type { Store } from '../../src/ports/store.ts'
import { postgresStore } from '../../src/stores/postgres/index.ts'
import { sqliteStore } from '../../src/stores/sqlite/index.ts'
import { SERVING, type TestDatabase } from '../servers/database.ts'

/** A database that a child may use and die in. */
export interface FaultStore {
  name: string
  target: OpenOptions
  connect(): Promise<Store>
  /** Waits until the database has finished the work of a killed child. */
  settled(): Promise<void>
  /** Rows that belong to a session or a memory that is not there, by table. */
  orphans(): Promise<{ table: string; rows: number }[]>
  /** Sessions whose removal is not complete. */
  unfinished(): Promise<number>
  /** Whether a fault point is the same moment in every run; overlapping statements may shift it by one. */
  exact: boolean
}

const SQLITE_ORPHANS = `
  select 'history' as "table", count(*) as rows from memory_history where memory not in (select number from memories)
  union all
  select 'sources', count(*) from memory_sources where memory_id not in (select id from memories)
  union all
  select 'marks', count(*) from session_marks
    where session_id not in (select id from sessions union select session_id from hidden_sessions)
  union all
  select 'postings', count(*) from recall_postings where lower(hex(session_id)) not in (select id from known)
  union all
  select 'blocks', count(*) from recall_blocks where lower(hex(session_id)) not in (select id from known)
  union all
  select 'messages', count(*) from recall_messages where lower(hex(session_id)) not in (select id from known)
  union all
  select 'terms', count(*) from recall_terms t
    where not exists (select 1 from recall_postings p where p.corpus_id = t.corpus_id and p.term = t.term)
  union all
  select 'full text', count(*) from memories_fts_docsize where id not in (select number from memories)`

/** A hidden session is one whose rows are being removed piece by piece. */
const SQLITE_KNOWN = `
  with known as (
    select replace(id, '-', '') as id from sessions
    union
    select replace(session_id, '-', '') from hidden_sessions
    union
    select replace(id, '-', '') from memories where superseded_by is null
  )`

export function sqliteFaultStore(folder: string, name: string): FaultStore {
  const path = join(folder, `${name}.db`)
  return {
    name: 'sqlite',
    target: { url: `sqlite:${path}`, durability: 'relaxed' },
    connect: () => sqliteStore({ path, durability: 'relaxed', migrate: true, newId: () => uuid7() }),
    settled: async () => {},
    orphans: async () => filled(queryFile(path, SQLITE_KNOWN + SQLITE_ORPHANS)),
    unfinished: async () => queryFile<{ n: number }>(path, 'select count(*) as n from hidden_sessions')[0]?.n ?? 0,
    exact: true,
  }
}

const POSTGRES_ORPHANS = `
  with known as (
    select id from context.sessions
    union
    select memory_id from memori.memories where superseded_by is null
  )
  select 'history' as "table", count(*)::integer as rows
  from memori.memory_history where memory_id not in (select memory_id from memori.memories)
  union all
  select 'sources', count(*) from memori.memory_sources where memory_id not in (select memory_id from memori.memories)
  union all
  select 'marks', count(*) from context.session_marks where session_id not in (select id from context.sessions)
  union all
  select 'postings', count(*) from context.recall_postings where session_id not in (select id from known)
  union all
  select 'blocks', count(*) from context.recall_blocks where session_id not in (select id from known)
  union all
  select 'messages', count(*) from context.recall_messages where session_id not in (select id from known)
  union all
  select 'terms', count(*) from context.recall_terms t
    where not exists (select 1 from context.recall_postings p where p.corpus_id = t.corpus_id and p.term = t.term)`

const OTHERS = `
  select count(*)::integer as n from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`

export function postgresFaultStore(name: string, database: TestDatabase): FaultStore {
  const url = database.url(SERVING)
  return {
    name,
    target: { url },
    connect: () => postgresStore({ url, migrate: false }),
    async settled() {
      while ((await database.admin(OTHERS))[0]?.['n'] !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    // a purge is one transaction
    unfinished: async () => 0,
    orphans: async () => filled((await database.admin(POSTGRES_ORPHANS)) as { table: string; rows: number }[]),
    exact: false,
  }
}

function queryFile<Row>(path: string, sql: string): Row[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).all() as Row[]
  } finally {
    db.close()
  }
}

function filled(tables: readonly { table: string; rows: number }[]): { table: string; rows: number }[] {
  return tables.filter(({ rows }) => Number(rows) > 0)
}
