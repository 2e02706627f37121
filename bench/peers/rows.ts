/** Rows written straight into a peer's own tables, to set a measurement up where the peer's calls are too slow. */
export interface Rows {
  /** The placeholders are $1, $2 … in either database. */
  run(sql: string, values: readonly (string | number)[]): Promise<void>
  /** The numbers from $1 to $2 as rows named `n` with the column `i`. */
  readonly numbers: string
  /** The items of the JSON array $1 as rows with the column `value`. */
  readonly items: string
}

const RANGE = 'n(i) as (select cast($1 as integer) union all select i + 1 from n where i < cast($2 as integer))'

/** Owner of a copied session by its number `n.i`: the user `bench` has one of ten, as with the other contenders. */
export const OWNER = `case when n.i % 10 = 0 then 'bench' else 'user-' || n.i % 1000 end`

/** The numbers from 1 to the given one in steps of 50,000, by their first and last. */
export function* steps(count: number): Generator<[number, number]> {
  for (let first = 1; first <= count; first += 50_000) yield [first, Math.min(count, first + 49_999)]
}

/** The same in parts that one statement takes well. */
export function* parts<Item>(all: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < all.length; at += 5000) yield all.slice(at, at + 5000)
}

/**
 * Calls the work with the rows of a database, in one transaction, and then vacuums where that is asked for and makes
 * sense.
 */
export type InDatabase = (target: string, work: (rows: Rows) => Promise<void>, vacuum?: boolean) => Promise<void>

/** What better-sqlite3 and libsql have in common. */
type Library = new (
  path: string,
) => {
  exec(sql: string): unknown
  prepare(sql: string): { run(values: Record<string, string | number>): unknown }
  close(): unknown
}

/**
 * A file must be written with the library that the peer has it open with: two copies of SQLite in one process undo each
 * other's locks, and the one that closes takes the other's WAL away.
 */
function bySqlite(load: () => Promise<{ default: unknown }>): InDatabase {
  return async (path, work) => {
    const Database = (await load()).default as Library
    const db = new Database(path)
    try {
      db.exec('pragma synchronous = off')
      db.exec('begin immediate')
      await work({
        async run(sql, values) {
          db.prepare(sql).run(Object.fromEntries(values.map((value, i) => [i + 1, value])))
        },
        numbers: `with recursive ${RANGE}`,
        items: 'json_each($1)',
      })
      db.exec('commit')
    } finally {
      db.close()
    }
  }
}

export const inSqlite = bySqlite(() => import('better-sqlite3'))
export const inLibsql = bySqlite(() => import('libsql'))

export const inPostgres: InDatabase = async (url, work, vacuum = false) => {
  const { Client } = (await import('pg')).default
  const client = new Client(url)
  await client.connect()
  try {
    await client.query('begin')
    await work({
      async run(sql, values) {
        await client.query(sql, [...values])
      },
      numbers: 'with n as (select i from generate_series($1::integer, $2::integer) as i)',
      items: 'jsonb_array_elements($1::jsonb) as items (value)',
    })
    await client.query('commit')
    if (vacuum) await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
