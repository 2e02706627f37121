import pg from 'pg'
import { inject } from 'vitest'
import { createTemplate, databaseUrl, dropTemplate, newPrefix, OWNER, runSql } from './template-database.ts'

export { OWNER, SERVING } from './template-database.ts'

/** Databases of one server, for tests. */
export interface Databases {
  /** Creates a database, with the schema unless `bare`. */
  create(bare?: 'bare'): Promise<TestDatabase>
  /** Empties and reuses a database of earlier tests, which is much faster than creating one. `destroy` returns it. */
  recycled(): Promise<RecycledDatabase>
  close(): Promise<void>
}

export interface TestDatabase {
  /** URL for a role. @default the superuser */
  url(role?: string): string
  /** Runs statements as the superuser. */
  admin(sql: string): Promise<Record<string, unknown>[]>
  destroy(): Promise<void>
}

export interface RecycledDatabase extends TestDatabase {
  /** Empties it for the next test of the same user. */
  empty(): Promise<void>
}

/**
 * `url` is that of the server for its superuser. A server that all files share has a template already, which takes a
 * second to create.
 */
export async function databasesOf(url: string): Promise<Databases> {
  const shared = inject('templates').find((one) => one.url === url)
  const template = shared ?? (await createTemplate(url))
  const prefix = newPrefix()
  let made = 0

  async function create(bare?: 'bare'): Promise<TestDatabase> {
    const name = `${prefix}_${made++}`
    await runSql(url, `create database ${name} ${bare ? '' : `template ${template.name}`} owner ${OWNER}`)
    return {
      url: (role) => databaseUrl(url, name, role),
      admin: (sql) => runSql(databaseUrl(url, name), sql),
      destroy: async () => void (await runSql(url, `drop database ${name} with (force)`)),
    }
  }

  const free: Recycled[] = []
  return {
    create,
    async recycled() {
      const used = free.pop() ?? (await kept(await create()))
      const empty = async () => void (await used.admin.query(EMPTY))
      const destroy = async () => {
        await empty()
        free.push(used)
      }
      return { ...used.database, empty, destroy }
    },
    async close() {
      for (const { database, admin } of free) {
        await admin.end()
        await database.destroy()
      }
      if (shared === undefined) await dropTemplate(template)
    },
  }
}

/** With a kept connection that empties it: a new one would have to load the catalog of all tables first. */
interface Recycled {
  database: TestDatabase
  admin: pg.Client
}

async function kept(database: TestDatabase): Promise<Recycled> {
  const admin = new pg.Client(database.url())
  await admin.connect()
  return { database, admin }
}

/** Deletes all rows, which is faster than truncate for tables this small. */
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
