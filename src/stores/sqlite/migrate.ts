import type { Database } from 'better-sqlite3'
import { SchemaNewerError, SchemaOutdatedError, StorageError } from '../../domain/errors.ts'
import { migrationsOf } from '../migrations.ts'
import { whenFree } from './connection.ts'

const LEDGER = `
  create table if not exists throughline_migrations (
    version    integer not null primary key,
    name       text    not null,
    applied_at text    not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict`

const HAS_LEDGER = `select 1 from sqlite_schema where type = 'table' and name = 'throughline_migrations'`

/** Schema that this version of the package works with. */
export function knownSchema(): number {
  return migrationsOf('sqlite').at(-1)?.version ?? 0
}

/** Schema that the database has; 0 for an empty file. */
export function schemaOf(db: Database): number {
  if (db.prepare(HAS_LEDGER).get() === undefined) return 0
  return db.prepare('select coalesce(max(version), 0) from throughline_migrations').pluck().get() as number
}

/**
 * Brings the database to the schema of this version. Whoever has the write lock looks again what is missing, and all of that is one
 * transaction with its ledger rows, so that any number of processes may do this at once.
 */
export async function migrate(db: Database): Promise<void> {
  refuseNewer(schemaOf(db))
  if (schemaOf(db) < knownSchema()) await whenFree(() => db.transaction(applyMissing).immediate(db))
}

/** Throws if the file belongs to another program: it has tables, and no ledger of ours among them. */
export function refuseForeign(db: Database): void {
  const tables = db.prepare("select count(*) from sqlite_schema where type = 'table'").pluck().get()
  if (tables !== 0 && db.prepare(HAS_LEDGER).get() === undefined) {
    throw new StorageError('sqlite', 'the file holds tables of another program; give Throughline a file of its own')
  }
}

/** Throws unless the database has exactly the schema of this version. */
export function requireSchema(db: Database): void {
  const found = schemaOf(db)
  refuseNewer(found)
  if (found < knownSchema()) throw new SchemaOutdatedError({ found, needed: knownSchema() })
}

function applyMissing(db: Database): void {
  db.exec(LEDGER)
  const found = schemaOf(db)
  refuseNewer(found)
  const note = db.prepare('insert into throughline_migrations (version, name) values (?, ?)')
  for (const { version, name, sql } of migrationsOf('sqlite')) {
    if (version <= found) continue
    db.exec(sql)
    note.run(version, name)
  }
}

function refuseNewer(found: number): void {
  if (found > knownSchema()) throw new SchemaNewerError({ found, known: knownSchema() })
}
