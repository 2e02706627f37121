import { ValidationError } from '../domain/errors.ts'
import { checkText } from '../domain/json.ts'
import { type StoreTarget, targetOf } from '../open/target.ts'
import type { LegacySource } from '../ports/legacy-source.ts'
import type { TableOption } from './table-shape.ts'

export interface LegacyOptions {
  /** `postgres://…` or `sqlite:PATH`. */
  url: string
  /**
   * Table or view of the events, with its schema if needed.
   *
   * @default 'session_events'
   */
  table?: string
}

/**
 * Opens the log of an older system read-only. Errors name the option to change: `from` for the URL, `table` for the
 * table.
 */
export async function legacySource({ url, table }: LegacyOptions): Promise<LegacySource> {
  const target = databaseOf(url)
  if (table !== undefined) checkText(table, 'table')
  const place: TableOption =
    table === undefined ? { table: 'session_events', field: 'from' } : { table, field: 'table' }
  if (target.store === 'sqlite') return await (await import('./sqlite.ts')).sqliteSource(target.path, place)
  return await (await import('./postgres.ts')).postgresSource(target.url, place)
}

function databaseOf(url: string): Exclude<StoreTarget, { store: 'memory' }> {
  try {
    const target = targetOf(url)
    if (target.store === 'sqlite' || target.store === 'postgres') return target
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
  }
  // leaves out the URL, which may contain a password
  throw new ValidationError('from', "must be 'sqlite:PATH' or 'postgres://…'")
}
