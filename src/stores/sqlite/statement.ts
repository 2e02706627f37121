import type { Database, Statement } from 'better-sqlite3'

/** What is asked of a statement. */
export type Prepared<Values extends unknown[] = unknown[], Row = unknown> = Pick<
  Statement<Values, Row>,
  'get' | 'all' | 'run'
> & {
  /** Gives the first column alone. */
  pluck(): Prepared<Values, Row>
  /** Gives rows as lists. */
  raw(): Prepared<Values, Row>
}

/** A statement that is made when it is first needed: to make all 160 took whoever opens a file 10 ms, and most use a few of them. */
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
