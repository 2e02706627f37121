import type { Database } from 'better-sqlite3'

/** Everything a migration made, as SQLite stores it, without comments: tables, indexes, views and triggers by name. */
export function dumpSqlite(db: Database): string {
  const statements = db
    .prepare(
      `select sql from sqlite_schema where sql is not null order by type = 'index', type = 'view', type = 'trigger', name`,
    )
    .pluck()
    .all() as string[]
  const plain = statements.map((sql) => `${sql.replace(/^ *--.*\n/gm, '')};`)
  return `${plain.join('\n\n')}\n`
}
