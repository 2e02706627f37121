import { ValidationError } from '../domain/errors.ts'
import { LEGACY_FIELDS, type LegacyEvent } from '../domain/legacy.ts'
import { toIsoInRange } from './time.ts'

/** The table of an older log, and the option that errors name. */
export interface TableOption {
  table: string
  field: 'from' | 'table'
}

/** The columns of an older log. */
export interface TableShape {
  payload: boolean
  /** `LEGACY_FIELDS` that are separate columns. */
  columns: readonly string[]
}

/** A row of an older log, with a value for each column of its shape. */
export interface LegacyRow {
  session: string
  /** Milliseconds since 1970, possibly as text. */
  instant: number | string | null
  payload?: string | null
  [column: string]: unknown
}

/** Long payload keys that are not needed. */
export const UNUSED_KEYS = ['message', 'content'] as const

const REQUIRED_COLUMNS = ['session_id', 'occurred_at', 'id']
/** Only a log of Throughline has all of these. */
const THROUGHLINE_COLUMNS = ['session_id', 'sequence', 'content', 'parts', 'agent_id']

/** Returns the shape of a table. Throws if it is not a readable log. */
export function shapeOf(found: readonly string[], { table, field }: TableOption): TableShape {
  const has = (name: string) => found.includes(name)
  if (THROUGHLINE_COLUMNS.every(has)) {
    throw new ValidationError(field, `the table '${table}' is already a Throughline log; nothing to backfill`)
  }
  const shape = { payload: has('payload'), columns: LEGACY_FIELDS.filter(has) }
  const missing = REQUIRED_COLUMNS.filter((name) => !has(name)).map((name) => `'${name}'`)
  if (!shape.payload && shape.columns.length === 0) missing.push(`'payload' (or one of ${LEGACY_FIELDS.join(', ')})`)
  if (missing.length === 0) return shape
  throw new ValidationError(
    field,
    `the table '${table}' has no ${missing.join(', ')}, only ${found.join(', ')}; ` +
      'create a view with the missing columns and pass the view as table',
  )
}

export function missingTable({ table, field }: TableOption, elsewhere: readonly string[] = []): ValidationError {
  const other = elsewhere.length === 0 ? 'check the name' : `include the schema: ${elsewhere.join(', ')}`
  return new ValidationError(field, `table '${table}' not found; ${other}`)
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
  // a table without roles holds only messages
  const roleless = !payload && !columns.includes('role') && !columns.includes('type')
  const values: Record<string, unknown> = roleless ? { role: 'user' } : {}
  for (const name of columns) if (row[name] !== null) values[name] = row[name]
  return values
}
