import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { SchemaOutdatedError, StorageError } from '../../domain/errors.ts'
import {
  knownSchema as knownSchemaOf,
  type LedgerRow,
  type Migration,
  migrationsOf,
  newestIn,
  schemaIn,
  stepsOf,
} from '../migrations.ts'
import { retryWhileBusy } from './connection.ts'
import { prepared } from './statement.ts'

/** Longest time in milliseconds until a read notices that a newer version migrated the file. */
const CHECK_INTERVAL = 1000

const LEDGER = `
  create table if not exists throughline_migrations (
    version    integer not null primary key,
    name       text    not null,
    checksum   text    not null,
    applied_at text    not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict`

const HAS_LEDGER = `select 1 from sqlite_schema where type = 'table' and name = 'throughline_migrations'`

/** Schema that this version of the package works with. */
export const knownSchema = () => knownSchemaOf('sqlite')

/** Schema of the database; 0 for an empty file. Throws if this version cannot use it. */
export function schemaOf(db: Database, migrations: readonly Migration[] = migrationsOf('sqlite')): number {
  return db.prepare(HAS_LEDGER).get() === undefined ? 0 : schemaIn(ledgerOf(db), migrations)
}

function ledgerOf(db: Database): LedgerRow[] {
  // every column: ledgers of earlier pre-releases have no checksum
  return db.prepare<[], LedgerRow>('select * from throughline_migrations').all()
}

/**
 * Migrates to the schema of this version: each step in a transaction, the last one with the row of the ledger. Each
 * looks again under the write lock, so any number of processes may do this at once. If one is interrupted, the next one
 * begins the migration again, so its steps can be repeated.
 */
export async function migrate(db: Database, migrations: readonly Migration[] = migrationsOf('sqlite')): Promise<void> {
  const found = schemaOf(db, migrations)
  for (const migration of migrations) if (migration.version > found) await apply(db, migration)
}

async function apply(db: Database, migration: Migration): Promise<void> {
  const steps = stepsOf(migration.sql)
  for (const [i, { kind, sql }] of steps.entries()) {
    if (kind === 'transaction') {
      await whileMissing(db, migration, () => {
        db.exec(sql)
        if (i === steps.length - 1) insertRow(db, migration)
      })
      continue
    }
    for (let next: string | null | undefined = null; next !== undefined; ) {
      const rows = await whileMissing(db, migration, () => db.prepare<[string | null], BatchRow>(sql).all(next ?? null))
      next = rows?.at(-1)?.next ?? undefined
      await nextTurn()
    }
  }
}

interface BatchRow {
  next: string | null
}

/** Runs work under the write lock, unless another process has applied the migration. */
async function whileMissing<T>(db: Database, { version }: Migration, work: () => T): Promise<T | undefined> {
  const run = () => {
    db.exec(LEDGER)
    return newestIn(ledgerOf(db)) < version ? work() : undefined
  }
  return await retryWhileBusy(() => db.transaction(run).immediate())
}

function insertRow(db: Database, { version, name, checksum }: Migration): void {
  db.prepare('insert into throughline_migrations (version, name, checksum) values (?, ?, ?)').run(
    version,
    name,
    checksum,
  )
}

/** Throws if the file belongs to another program: it has tables, but not our ledger. */
export function refuseForeign(db: Database): void {
  const tables = db.prepare("select count(*) from sqlite_schema where type = 'table'").pluck().get()
  if (tables !== 0 && db.prepare(HAS_LEDGER).get() === undefined) {
    throw new StorageError('sqlite', 'the file holds tables of another program; give Throughline a file of its own')
  }
}

/** Throws unless the database has exactly the schema of this version. */
export function requireSchema(db: Database): void {
  const found = schemaOf(db)
  if (found < knownSchema()) throw new SchemaOutdatedError({ found, needed: knownSchema() })
}

/**
 * Throws `SchemaNewerError` once a newer version has migrated the open file, on this and every later call. Writes look
 * whenever another connection has written; reads look once a second, because looking takes as long as a small read.
 */
export function schemaGuard(db: Database): { beforeWrite(othersWrote: boolean): void; beforeRead(): void } {
  const selectNewest = prepared<[], number>(db, 'select max(version) from throughline_migrations').pluck()
  let isKnown = true
  let checkedAt = performance.now()

  function check(): void {
    isKnown = false
    if ((selectNewest.get() ?? 0) > knownSchema()) schemaOf(db)
    isKnown = true
  }

  return {
    beforeWrite(othersWrote) {
      if (othersWrote || !isKnown) check()
    },
    beforeRead() {
      const now = performance.now()
      if (isKnown && now - checkedAt < CHECK_INTERVAL) return
      check()
      checkedAt = now
    },
  }
}
