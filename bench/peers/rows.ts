/** Rows written straight into a peer's own tables, to set a measurement up where the peer's calls are too slow. */
export interface Rows {
  /** The placeholders are $1, $2 … in either database. */
  run(sql: string, values: readonly (string | number)[]): Promise<void>
  all(sql: string, values: readonly (string | number)[]): Promise<Record<string, unknown>[]>
  /** The numbers from $1 to $2 as rows named `n` with the column `i`. */
  readonly numbers: string
}

const RANGE = 'n(i) as (select cast($1 as integer) union all select i + 1 from n where i < cast($2 as integer))'

/** Calls the work with the rows of a SQLite file, in one transaction. */
export async function inSqlite<Result>(path: string, work: (rows: Rows) => Promise<Result>): Promise<Result> {
  const { default: Database } = await import('better-sqlite3')
  const db = new Database(path)
  const bound = (values: readonly (string | number)[]) => Object.fromEntries(values.map((value, i) => [i + 1, value]))
  try {
    db.exec('begin immediate')
    const result = await work({
      run: async (sql, values) => void db.prepare(sql).run(bound(values)),
      all: async (sql, values) => db.prepare<unknown[], Record<string, unknown>>(sql).all(bound(values)),
      numbers: `with recursive ${RANGE}`,
    })
    db.exec('commit')
    return result
  } finally {
    db.close()
  }
}

/** Calls the work with the rows of a Postgres database, in one transaction. */
export async function inPostgres<Result>(url: string, work: (rows: Rows) => Promise<Result>): Promise<Result> {
  const { Client } = (await import('pg')).default
  const client = new Client(url)
  await client.connect()
  try {
    await client.query('begin')
    const result = await work({
      run: async (sql, values) => void (await client.query(sql, [...values])),
      all: async (sql, values) => (await client.query<Record<string, unknown>>(sql, [...values])).rows,
      numbers: 'with n as (select i from generate_series($1::integer, $2::integer) as i)',
    })
    await client.query('commit')
    return result
  } finally {
    await client.end()
  }
}
