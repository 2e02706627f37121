import { ValidationError } from '../domain/errors.ts'
import { type TableOption, type TableShape, UNUSED_KEYS } from './table-shape.ts'
import { MILLISECONDS } from './time.ts'

/**
 * One snapshot for all reads, without timeouts. Row level security raises an error instead of hiding rows. Times
 * without a zone are UTC. Cursors are planned to be read to the end.
 */
export const BEGIN = `
  begin isolation level repeatable read read only;
  set local row_security = off;
  set local timezone = 'UTC';
  set local cursor_tuple_fraction = 1;
  select set_config(name, '0', true) from pg_settings
  where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

/** A table or view. */
export interface FoundTable {
  oid: string
  /** With its schema, quoted for SQL. */
  quoted: string
  /** With its schema, unquoted. */
  name: string
  /** The given name includes the schema. */
  whole: boolean
  visible: boolean
}

/** $1: name of a table, with its schema or without. */
export const FIND = `
  select c.oid::text, format('%I.%I', n.nspname, c.relname) as quoted, n.nspname || '.' || c.relname as name,
    n.nspname || '.' || c.relname = $1 as whole, pg_table_is_visible(c.oid) as visible
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and $1::text in (c.relname, n.nspname || '.' || c.relname)
  order by name`

export interface Column {
  name: string
  type: string
}

/** $1: oid of a table. */
export const COLUMNS = `
  select attname as name, format_type(atttypid, null) as type
  from pg_attribute
  where attrelid = $1::oid and attnum > 0 and not attisdropped
  order by attnum`

const SESSION = `coalesce(t.session_id::text, '') collate "C"`

/** $1: the session to start after, or null. */
export function countSql(from: string): string {
  return `select count(distinct ${SESSION}) as sessions from ${from} t where $1::text is null or ${SESSION} > $1`
}

/** One sort, which may spill to disk; needs no index. $1: the session to start after, or null. */
export function selectSql(from: string, shape: TableShape, columns: readonly Column[], place: TableOption): string {
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type ?? ''
  const { order, instant } = timeSql(typeOf('occurred_at'), place)
  const taken = shape.columns.map((name) => `t."${name}"::text as "${name}"`)
  if (shape.payload) taken.push(`${typeOf('payload') === 'jsonb' ? WITHOUT_MESSAGE : 't.payload::text'} as payload`)
  return `
    select ${SESSION} as session, ${instant} as instant, ${taken.join(', ')}
    from ${from} t
    where $1::text is null or ${SESSION} > $1
    order by 1, ${order} nulls first, t.id`
}

const NUMBERS = ['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']

/** What to sort by, and milliseconds since 1970. */
function timeSql(type: string, { table, field }: TableOption): { order: string; instant: string } {
  if (type === 'date' || type.startsWith('timestamp')) {
    return { order: 't.occurred_at', instant: 'floor(extract(epoch from t.occurred_at::timestamptz) * 1000)' }
  }
  if (NUMBERS.includes(type)) {
    const instant = `case when abs(t.occurred_at) < ${MILLISECONDS} then t.occurred_at * 1000.0 else t.occurred_at end`
    return { order: instant, instant }
  }
  throw new ValidationError(
    field,
    `the column 'occurred_at' of '${table}' is ${type}, not a time or number; create a view that converts it`,
  )
}

/**
 * Leaves out messages, which are not needed. Only jsonb payloads are parsed: one malformed text would fail the query.
 */
const WITHOUT_MESSAGE = `
  case when jsonb_typeof(t.payload) = 'object' then t.payload - '{${UNUSED_KEYS.join(',')}}'::text[] else t.payload end::text`
