import type { Database } from 'better-sqlite3'
import { StorageError, ThroughlineError } from '../domain/errors.ts'
import type { LegacySource } from '../ports/legacy-source.ts'
import { foldSessions } from './fold-sessions.ts'
import { SortedRows, type UnsortedRow } from './sorted-rows.ts'
import { type LegacyRow, missingTable, shapeOf, type TableOption, type TableShape, UNUSED_KEYS } from './table-shape.ts'
import { parseTime } from './time.ts'

/** Maximum wait for another process that locks the file. */
const BUSY_TIMEOUT_MS = 10_000

const TABLE = `
  select name from main.sqlite_schema
  where type in ('table', 'view') and ? in (name, 'main.' || name)`

const COLUMNS = `select lower(name) from pragma_table_xinfo(?, 'main')`

const SESSION = `coalesce(cast(t.session_id as text), '') collate binary`

/** Keeps what is not JSON. Removes messages, which would make the copy large. */
const PAYLOAD = `
  case when json_valid(t.payload)
    then json_remove(t.payload, ${UNUSED_KEYS.map((key) => `'$.${key}'`).join(', ')})
    else cast(t.payload as text) end as payload`

/** Opens the file in one transaction, which starts here. */
export async function sqliteSource(path: string, place: TableOption): Promise<LegacySource> {
  const { db, from, shape } = await openTable(path, place)
  const { default: open } = await import('better-sqlite3')
  const reading = new Set<Iterator<unknown>>()
  const sorted = new Map<string | undefined, Promise<SortedRows>>()

  function* unsorted(after: string | undefined): Generator<UnsortedRow> {
    const select = db.prepare(selectSql(from, shape)).raw().safeIntegers()
    const rows = select.iterate({ after: after ?? null }) as IterableIterator<UnsortedRow>
    reading.add(rows)
    try {
      for (const row of rows) {
        yield row
        checkOpen()
      }
    } finally {
      rows.return?.()
      reading.delete(rows)
    }
  }

  async function sort(after: string | undefined): Promise<SortedRows> {
    const rows = new SortedRows(open(''), namesOf(shape))
    try {
      await rows.add(unsorted(after))
      return rows
    } catch (error) {
      rows.close()
      throw storageError(error)
    }
  }

  /** Sorts them once for all calls. */
  async function sortedAfter(after: string | undefined): Promise<SortedRows> {
    checkOpen()
    const found = sorted.get(after) ?? sort(after)
    sorted.set(after, found)
    return await found
  }

  async function* pages(after: string | undefined): AsyncGenerator<LegacyRow[]> {
    try {
      for await (const page of (await sortedAfter(after)).pages()) {
        yield page
        checkOpen()
      }
    } catch (error) {
      throw storageError(error)
    }
  }

  /** A closed iterator looks like one at its end. */
  function checkOpen(): void {
    if (!db.open) throw new StorageError('sqlite', 'the source is closed')
  }

  return {
    count: async (after) => (await sortedAfter(after)).sessions,
    sessions: (after) => foldSessions(pages(after), shape),
    async close() {
      // the driver refuses to close while an iterator is open
      for (const rows of reading) rows.return?.()
      db.close()
      const all = await Promise.allSettled(sorted.values())
      for (const each of all) if (each.status === 'fulfilled') each.value.close()
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

/** The names of the values of a row, beside session and time. */
function namesOf({ payload, columns }: TableShape): string[] {
  return [...(payload ? ['payload'] : []), ...columns]
}

/** In no order; @after is the session to start after. */
function selectSql(from: string, { payload, columns }: TableShape): string {
  const taken = [...(payload ? [PAYLOAD] : []), ...columns.map((name) => `cast(t."${name}" as text) as "${name}"`)]
  return `
    select ${SESSION} as session, legacy_instant(t.occurred_at) as instant, t.id, ${taken.join(', ')}
    from ${from} t
    where @after is null or ${SESSION} > @after`
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
