import pg from 'pg'
import { inject } from 'vitest'
import { createTemplate, databaseUrl, dropTemplate, newPrefix, OWNER, runSql } from './template-database.ts'

export { OWNER, SERVING } from './template-database.ts'

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

/**
 * `url` is the server's as its superuser sees it. One that all files share has a template already: to make one takes a second.
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
      const destroy = async () => {
        await used.admin.query(EMPTY)
        free.push(used)
      }
      return { ...used.database, destroy }
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

/** With a connection that empties it time and again: a new one would have to learn all tables first. */
interface Recycled {
  database: TestDatabase
  admin: pg.Client
}

async function kept(database: TestDatabase): Promise<Recycled> {
  const admin = new pg.Client(database.url())
  await admin.connect()
  return { database, admin }
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
