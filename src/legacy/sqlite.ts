import type { Database } from 'better-sqlite3'
import { StorageError, ThroughlineError } from '../domain/errors.ts'
import type { LegacySource } from '../ports/legacy-source.ts'
import { foldSessions } from './fold-sessions.ts'
import { type LegacyRow, missingTable, shapeOf, type TableOption, type TableShape, UNUSED_KEYS } from './table-shape.ts'
import { parseTime } from './time.ts'

/** Maximum wait for another process that locks the file. */
const BUSY_TIMEOUT_MS = 10_000
const PAGE = 200

const TABLE = `
  select name from main.sqlite_schema
  where type in ('table', 'view') and ? in (name, 'main.' || name)`

const COLUMNS = `select lower(name) from pragma_table_xinfo(?, 'main')`

const SESSION = `coalesce(cast(t.session_id as text), '') collate binary`

/** Keeps what is not JSON. Removes messages, which would make the sort large. */
const PAYLOAD = `
  case when json_valid(t.payload)
    then json_remove(t.payload, ${UNUSED_KEYS.map((key) => `'$.${key}'`).join(', ')})
    else cast(t.payload as text) end as payload`

/** Opens the file in one transaction, which starts here. */
export async function sqliteSource(path: string, place: TableOption): Promise<LegacySource> {
  const { db, from, shape } = await openTable(path, place)
  const reading = new Set<Iterator<unknown>>()

  function next(rows: Iterator<LegacyRow>): LegacyRow[] {
    // a closed iterator looks like one at its end
    if (!db.open) throw new StorageError('sqlite', 'the source is closed')
    return withStorageErrors(() => nextPage(rows))
  }

  function* pages(after: string | undefined): Generator<LegacyRow[]> {
    const rows = withStorageErrors(() =>
      db.prepare(selectSql(from, shape)).iterate({ after: after ?? null }),
    ) as IterableIterator<LegacyRow>
    reading.add(rows)
    try {
      for (let page = next(rows); page.length > 0; page = next(rows)) yield page
    } finally {
      rows.return?.()
      reading.delete(rows)
    }
  }

  return {
    async count(after) {
      const sql = `select count(distinct ${SESSION}) from ${from} t where @after is null or ${SESSION} > @after`
      return withStorageErrors(() =>
        db
          .prepare(sql)
          .pluck()
          .get({ after: after ?? null }),
      ) as number
    },
    sessions: (after) => foldSessions(pages(after), shape),
    async close() {
      // the driver refuses to close while an iterator is open
      for (const rows of reading) rows.return?.()
      db.close()
    },
  }
}

async function openTable(path: string, place: TableOption): Promise<{ db: Database; from: string; shape: TableShape }> {
  const { default: open } = await import('better-sqlite3')
  const doing = `cannot open '${path}'`
  const db = withStorageErrors(
    () => open(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }),
    doing,
  )
  try {
    db.function('legacy_instant', { deterministic: true }, parseTime)
    db.exec('begin')
    const table = db.prepare(TABLE).pluck().get(place.table) as string | undefined
    if (table === undefined) throw missingTable(place)
    const shape = shapeOf(db.prepare(COLUMNS).pluck().all(table) as string[], place)
    return { db, from: `main."${table.replaceAll('"', '""')}"`, shape }
  } catch (error) {
    db.close()
    throw storageError(error, doing)
  }
}

/** One sort, which may spill to disk; @after is the session to start after. */
function selectSql(from: string, { payload, columns }: TableShape): string {
  const taken = [...(payload ? [PAYLOAD] : []), ...columns.map((name) => `cast(t."${name}" as text) as "${name}"`)]
  return `
    select ${SESSION} as session, legacy_instant(t.occurred_at) as instant, ${taken.join(', ')}
    from ${from} t
    where @after is null or ${SESSION} > @after
    order by 1, 2 nulls first, t.id`
}

function nextPage(rows: Iterator<LegacyRow>): LegacyRow[] {
  const page: LegacyRow[] = []
  while (page.length < PAGE) {
    const { done, value } = rows.next()
    if (done) break
    page.push(value)
  }
  return page
}

/** Converts driver errors to `StorageError`. */
function withStorageErrors<T>(work: () => T, doing?: string): T {
  try {
    return work()
  } catch (error) {
    throw storageError(error, doing)
  }
}

function storageError(error: unknown, doing?: string): ThroughlineError {
  if (error instanceof ThroughlineError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
  return new StorageError('sqlite', [doing, `${message}${code}`].filter(Boolean).join(': '), { cause: error })
}
