import type { Database, Statement } from 'better-sqlite3'

/** The part of a statement that the store uses. */
export type Prepared<Values extends unknown[] = unknown[], Row = unknown> = Pick<
  Statement<Values, Row>,
  'get' | 'all' | 'iterate' | 'run'
> & {
  /** Returns the first column only. */
  pluck(): Prepared<Values, Row>
  /** Returns rows as arrays. */
  raw(): Prepared<Values, Row>
}

/** A statement prepared on first use: preparing all 160 took 10 ms per open, and most processes use a few. */
export function prepared<Values extends unknown[] = unknown[], Row = unknown>(
  db: Database,
  sql: string,
): Prepared<Values, Row> {
  let made: Statement<Values, Row> | undefined
  let shape: 'pluck' | 'raw' | undefined

  function ready(): Statement<Values, Row> {
    if (made !== undefined) return made
    made = db.prepare<Values, Row>(sql)
    if (shape !== undefined) made[shape]()
    return made
  }

  const statement: Prepared<Values, Row> = {
    get: (...values: Values) => ready().get(...values),
    all: (...values: Values) => ready().all(...values),
    iterate: (...values: Values) => ready().iterate(...values),
    run: (...values: Values) => ready().run(...values),
    pluck() {
      shape = 'pluck'
      return statement
    },
    raw() {
      shape = 'raw'
      return statement
    },
  }
  return statement
}
