import { ValidationError } from '../domain/errors.ts'
import { LEGACY_FIELDS, type LegacyEvent } from '../domain/legacy.ts'
import { toIsoInRange } from './time.ts'

/** Where an older log is, and which option of the caller is to blame if it is not there. */
export interface TableOption {
  table: string
  field: 'from' | 'table'
}

/** What a table of an older log holds. */
export interface TableShape {
  payload: boolean
  /** Those of `LEGACY_FIELDS` that are columns of their own. */
  columns: readonly string[]
}

/** A row of an older log as both databases give it, with a value for each column of its shape too. */
export interface LegacyRow {
  session: string
  /** Milliseconds since 1970; a text if it comes as one. */
  instant: number | string | null
  payload?: string | null
  [column: string]: unknown
}

/** Keys of a payload that nobody reads, and that may be long. */
export const UNUSED_KEYS = ['message', 'content'] as const

const REQUIRED_COLUMNS = ['session_id', 'occurred_at', 'id']
/** Only a log of ours has all of these. */
const THROUGHLINE_COLUMNS = ['session_id', 'sequence', 'content', 'parts', 'agent_id']

/** How a table with these columns is read, or why it cannot be. */
export function shapeOf(found: readonly string[], { table, field }: TableOption): TableShape {
  const has = (name: string) => found.includes(name)
  if (THROUGHLINE_COLUMNS.every(has)) {
    throw new ValidationError(
      field,
      `the table '${table}' is a log of Throughline already: there is nothing to take over`,
    )
  }
  const shape = { payload: has('payload'), columns: LEGACY_FIELDS.filter(has) }
  const missing = REQUIRED_COLUMNS.filter((name) => !has(name)).map((name) => `'${name}'`)
  if (!shape.payload && shape.columns.length === 0) missing.push(`'payload' (or one of ${LEGACY_FIELDS.join(', ')})`)
  if (missing.length === 0) return shape
  throw new ValidationError(
    field,
    `the table '${table}' has no column ${missing.join(', ')}, only ${found.join(', ')}; ` +
      'make a view that names its columns so, and give the view as table',
  )
}

export function missingTable({ table, field }: TableOption, elsewhere: readonly string[] = []): ValidationError {
  const other =
    elsewhere.length === 0 ? 'name another one' : `there is ${elsewhere.join(', ')}: name it with its schema`
  return new ValidationError(field, `the database has no table '${table}' that can be seen; ${other}`)
}

export function toLegacyEvent(row: LegacyRow, { payload, columns }: TableShape): LegacyEvent {
  const occurredAt = row.instant === null ? undefined : toIsoInRange(Number(row.instant))
  return {
    ...(occurredAt !== undefined && { occurredAt }),
    ...(payload && { payload: row.payload }),
    ...(columns.length > 0 && { columns: valuesOf(row, columns, payload) }),
  }
}

function valuesOf(row: LegacyRow, columns: readonly string[], payload: boolean): Record<string, unknown> {
  // a table that knows no roles holds what was said, and nothing else
  const roleless = !payload && !columns.includes('role') && !columns.includes('type')
  const values: Record<string, unknown> = roleless ? { role: 'user' } : {}
  for (const name of columns) if (row[name] !== null) values[name] = row[name]
  return values
}
