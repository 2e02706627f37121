import type { Database } from 'better-sqlite3'
import { pacer } from '../features/kernel/pace.ts'
import type { LegacyRow } from './table-shape.ts'

const PAGE = 200
/** Kibibytes of rows in memory; the others are in a temporary file. */
const CACHE_KIB = 16 * 1024

/** A row with its id, in the order of {@link SortedRows}. Integers are `bigint`, so that none is rounded. */
export type UnsortedRow = [session: string, instant: unknown, id: unknown, ...values: unknown[]]

/**
 * Sorts rows by session, time and id in an index of a temporary database. It grows row by row, so that other work runs
 * meanwhile: one sort of 100,000 rows held the event loop for 700 ms.
 */
export class SortedRows {
  /** How many sessions they belong to. */
  sessions = 0
  readonly #db: Database
  readonly #select: string
  readonly #reading = new Set<Iterator<unknown>>()

  /** @param db empty, and closed by {@link close} */
  constructor(db: Database, names: readonly string[]) {
    const values = names.map((name) => `, "${name}"`).join('')
    this.#db = db
    this.#select = `select session, instant${values} from legacy_rows order by session, instant, id`
    db.exec(`
      pragma journal_mode = off;
      pragma cache_size = -${CACHE_KIB};
      create table legacy_rows (session text, instant, id${values});
      create index legacy_rows_sorted on legacy_rows (session, instant, id);
      begin`)
  }

  /** Adds rows. Call it once, before {@link pages}. */
  async add(rows: Iterable<UnsortedRow>): Promise<void> {
    const find = this.#db.prepare('select 1 from legacy_rows where session = ?').pluck()
    let insert: ReturnType<Database['prepare']> | undefined
    const pace = pacer()
    for (const row of rows) {
      insert ??= this.#db.prepare(`insert into legacy_rows values (${row.map(() => '?').join(', ')})`)
      if (find.get(row[0]) === undefined) this.sessions++
      insert.run(row)
      const pause = pace()
      if (pause !== undefined) await pause
    }
  }

  /** The rows in order, with no time before every time. Several readers may read at once. */
  async *pages(): AsyncGenerator<LegacyRow[]> {
    const rows = this.#db.prepare<[], LegacyRow>(this.#select).iterate()
    this.#reading.add(rows)
    const pace = pacer()
    try {
      for (let page = this.#next(rows); page.length > 0; page = this.#next(rows)) {
        yield page
        await pace()
      }
    } finally {
      rows.return?.()
      this.#reading.delete(rows)
    }
  }

  /** Ends every reader. */
  close(): void {
    // the driver refuses to close while an iterator is open
    for (const rows of this.#reading) rows.return?.()
    this.#db.close()
  }

  #next(rows: Iterator<LegacyRow>): LegacyRow[] {
    const page: LegacyRow[] = []
    while (page.length < PAGE) {
      const { done, value } = rows.next()
      if (done) break
      page.push(value)
    }
    return page
  }
}
