import type { LegacySource } from '../ports/legacy-source.ts'
import { foldSessions } from './fold-sessions.ts'
import { type Connection, connect } from './postgres-connection.ts'
import { BEGIN, COLUMNS, type Column, countSql, FIND, type FoundTable, selectSql } from './postgres-sql.ts'
import { type LegacyRow, missingTable, shapeOf, type TableOption, type TableShape } from './table-shape.ts'

/** Rows per fetch: the first time, and at most. */
const FIRST_PAGE_ROWS = 200
const MAX_PAGE_ROWS = 2000
/** Target characters of a page with long rows. */
const PAGE_CHARACTERS = 4 * 1024 * 1024

/** Opens the table in one transaction, which starts here. */
export async function postgresSource(url: string, place: TableOption): Promise<LegacySource> {
  const connection = await connect(url)
  let table: Table
  try {
    await connection.run(BEGIN)
    table = await findTable(connection, place)
  } catch (error) {
    await connection.close()
    throw error
  }
  const { from, select, shape } = table
  let cursors = 0

  async function* pages(after: string | undefined): AsyncGenerator<LegacyRow[]> {
    const cursor = `legacy_${++cursors}`
    await connection.run(`declare ${cursor} no scroll cursor for ${select}`, [after ?? null])
    try {
      for (let rows = FIRST_PAGE_ROWS; ; ) {
        const page = await connection.run<LegacyRow>(`fetch ${rows} from ${cursor}`)
        if (page.length > 0) yield page
        if (page.length < rows) return
        rows = Math.max(1, Math.min(MAX_PAGE_ROWS, Math.floor((PAGE_CHARACTERS * page.length) / (1 + sizeOf(page)))))
      }
    } finally {
      // the cursor ends with the transaction anyway
      await connection.run(`close ${cursor}`).catch(() => {})
    }
  }

  return {
    async count(after) {
      const [row] = await connection.run<{ sessions: string }>(countSql(from), [after ?? null])
      return Number(row?.sessions)
    },
    sessions: (after) => foldSessions(pages(after), shape),
    close: () => connection.close(),
  }
}

interface Table {
  /** Its name, quoted. */
  from: string
  select: string
  shape: TableShape
}

async function findTable({ run }: Connection, place: TableOption): Promise<Table> {
  const found = await run<FoundTable>(FIND, [place.table])
  const table = found.find(({ whole }) => whole) ?? found.find(({ visible }) => visible)
  if (table === undefined)
    throw missingTable(
      place,
      found.map(({ name }) => name),
    )
  const columns = await run<Column>(COLUMNS, [table.oid])
  const shape = shapeOf(
    columns.map(({ name }) => name),
    place,
  )
  return { from: table.quoted, select: selectSql(table.quoted, shape, columns, place), shape }
}

function sizeOf(page: readonly LegacyRow[]): number {
  let size = 0
  for (const row of page) for (const value of Object.values(row)) if (typeof value === 'string') size += value.length
  return size
}
