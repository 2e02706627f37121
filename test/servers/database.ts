import pg from 'pg'
import { postgresStore } from '../../src/stores/postgres/index.ts'

/** Roles that are neither superuser nor each other: one owns and migrates, the other serves. */
export const OWNER = 'throughline_test_owner'
export const SERVING = 'throughline_test_serving'

/** Databases of one server, for tests. */
export interface Databases {
  /** A new database, with the schema unless `bare`. */
  create(bare?: 'bare'): Promise<TestDatabase>
  /** One that tests before used, emptied: far quicker than a new one. It goes back by its `destroy`. */
  recycled(): Promise<TestDatabase>
  close(): Promise<void>
}

export interface TestDatabase {
  /** As a role: the superuser, unless another is named. */
  url(role?: string): string
  /** Runs statements as the superuser. */
  admin(sql: string): Promise<Record<string, unknown>[]>
  destroy(): Promise<void>
}

/** `url` is the server's as its superuser sees it. */
export async function databasesOf(url: string): Promise<Databases> {
  const prefix = `throughline_test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  const template = `${prefix}_template`
  let made = 0
  await run(url, MAKE_ROLES)
  await run(url, `create database ${template} owner ${OWNER}`)
  const migrated = await postgresStore({ url: at(url, template, OWNER), migrate: true })
  await migrated.close()
  await run(url, `grant throughline_app to ${SERVING}`)

  async function create(bare?: 'bare'): Promise<TestDatabase> {
    const name = `${prefix}_${made++}`
    await run(url, `create database ${name} ${bare ? '' : `template ${template}`} owner ${OWNER}`)
    return {
      url: (role) => at(url, name, role),
      admin: (sql) => run(at(url, name), sql),
      destroy: async () => void (await run(url, `drop database ${name} with (force)`)),
    }
  }

  const free: TestDatabase[] = []
  return {
    create,
    async recycled() {
      const database = free.pop() ?? (await create())
      const destroy = async () => {
        await database.admin(EMPTY)
        free.push(database)
      }
      return { ...database, destroy }
    },
    async close() {
      for (const database of free) await database.destroy()
      await run(url, `drop database ${template} with (force)`)
    },
  }
}

/** Deletes all rows; on tables this small that is quicker than to truncate them. */
const EMPTY = `
  do $$
  declare
    t record;
  begin
    for t in
      select schemaname, tablename from pg_tables
      where schemaname in ('context', 'memori') and tablename <> 'throughline_migrations'
    loop
      execute format('delete from %I.%I', t.schemaname, t.tablename);
    end loop;
  end $$`

/** Roles belong to the cluster, which several test files share at the same time. */
const MAKE_ROLES = `
  select pg_advisory_xact_lock(4747);
  do $$ begin
    if not exists (select 1 from pg_roles where rolname = '${OWNER}') then
      create role ${OWNER} login createrole;
      create role ${SERVING} login;
    end if;
  end $$`

function at(url: string, database: string, role?: string): string {
  const target = new URL(url)
  target.pathname = `/${database}`
  if (role !== undefined) target.username = role
  return target.href
}

async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const result = await client.query(sql)
    return [result].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
