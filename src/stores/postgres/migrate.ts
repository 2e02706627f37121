import { setTimeout as delay } from 'node:timers/promises'
import { SchemaOutdatedError } from '../../domain/errors.ts'
import {
  knownSchema as knownSchemaOf,
  type LedgerRow,
  type Migration,
  migrationsOf,
  newestIn,
  schemaIn,
  stepsOf,
} from '../migrations.ts'
import { type Connections, codeOf, connect, type Query } from './connection.ts'

/** The ledger, and the function that lets every role with access to the schema read it. */
const LEDGER = `
  create schema if not exists context;
  create table if not exists context.throughline_migrations (
    version    integer     not null primary key,
    name       text        not null,
    checksum   text        not null,
    applied_at timestamptz not null default now()
  );
  create or replace function context.schema_version() returns table (version integer, checksum text)
  language sql stable security definer set search_path = context, pg_temp set jit = off as
  'select m.version, m.checksum from context.throughline_migrations m order by m.version'`

const INSERT_ROW = {
  name: 'migrate-done',
  text: 'insert into context.throughline_migrations (version, name, checksum) values ($1, $2, $3)',
}

const SELECT_LEDGER = { name: 'schema-version', text: 'select * from context.schema_version()' }

/** A row of the ledger, or the one number that the function of an earlier pre-release returned. */
type VersionRow = LedgerRow | { schema_version: number }

/** Schema that this version of the package works with. */
export const knownSchema = () => knownSchemaOf('postgres')

/** Rows of the ledger; none: there is no schema, or none that this role may see. */
async function ledgerOf({ query }: Pick<Connections, 'query'>): Promise<LedgerRow[]> {
  try {
    return (await query<VersionRow>(SELECT_LEDGER, [], { retry: true })).map(ledgerRow)
  } catch (error) {
    // no such schema, no such function
    if (['3F000', '42883'].includes(codeOf(error))) return []
    throw error
  }
}

function ledgerRow(row: VersionRow): LedgerRow {
  return 'schema_version' in row ? { version: row.schema_version } : row
}

/** Schema of the database. A newer one is no error: a process that runs goes on until it is replaced. */
export async function currentSchema(connections: Connections): Promise<number> {
  return newestIn(await ledgerOf(connections))
}

/** Throws unless the database has exactly the schema of this version. */
export async function requireSchema(connections: Connections): Promise<void> {
  const found = schemaIn(await ledgerOf(connections), migrationsOf('postgres'))
  if (found < knownSchema()) throw new SchemaOutdatedError({ found, needed: knownSchema() })
}

const TRY_LOCK = { name: 'migrate-lock', text: 'select pg_try_advisory_xact_lock(474700001) as locked' }

/** Milliseconds between attempts to lock. */
const LOCK_INTERVAL = 200

/**
 * Migrates to the schema of this version, beside processes that serve: without their time limits, with locks that
 * others wait for at most half a second, and step by step where a migration has several. Any number of processes may
 * migrate at once. If one is interrupted, the next one begins the migration again, so its steps can be repeated.
 */
export async function migrate(
  url: string,
  serving: Connections,
  migrations: readonly Migration[] = migrationsOf('postgres'),
): Promise<void> {
  const next = async () => {
    const found = schemaIn(await ledgerOf(serving), migrations)
    return migrations.find(({ version }) => version > found)
  }
  if ((await next()) === undefined) return
  const connections = await connect(url, { forMigration: true })
  try {
    // an idle transaction keeps the lock through a pooler too, and does not hold back a concurrent index
    await connections.transaction(async (query, script) => {
      while (!(await query<{ locked: boolean }>(TRY_LOCK, []))[0]?.locked) await delay(LOCK_INTERVAL)
      // also ends the last statement with its snapshot, for which a concurrent index would wait
      await script('set local idle_in_transaction_session_timeout = 0')
      for (let one = await next(); one !== undefined; one = await next()) await apply(connections, one)
    })
  } finally {
    await connections.close()
  }
}

async function apply(connections: Connections, { version, name, checksum, sql }: Migration): Promise<void> {
  const steps = stepsOf(sql)
  for (const [i, step] of steps.entries()) {
    if (step.kind === 'concurrently') await connections.script(step.sql)
    else if (step.kind === 'batches') await runBatches(connections, step.sql)
    else
      await transaction(connections, async (query, script) => {
        const isLast = i === steps.length - 1
        if (isLast) await script(LEDGER)
        await script(step.sql)
        if (isLast) await query(INSERT_ROW, [version, name, checksum])
      })
  }
}

async function runBatches(connections: Connections, text: string): Promise<void> {
  let next: string | null = null
  do {
    const rows: { next: string | null }[] = await transaction(connections, (query) => query({ name: '', text }, [next]))
    next = rows.at(-1)?.next ?? null
  } while (next !== null)
}

/**
 * While a statement waits for a lock on a table, every later statement on that table waits behind it. So it gives up
 * soon, and tries again. The rows of all tenants are visible.
 */
const BESIDE_OTHERS = `
  set local statement_timeout = 0;
  set local lock_timeout = '500ms';
  set local throughline.tenant = '*'`

/** Attempts by SQLSTATE: a lock held by others, a deadlock, and roles that another database of the cluster changes. */
const ATTEMPTS: Readonly<Record<string, number>> = { '55P03': 600, '40P01': 600, XX000: 20 }

type Work<T> = (query: Query, script: (sql: string) => Promise<void>) => Promise<T>

async function transaction<T>(connections: Connections, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connections.transaction(async (query, script) => {
        await script(BESIDE_OTHERS)
        return await work(query, script)
      })
    } catch (error) {
      if (attempt >= (ATTEMPTS[codeOf(error)] ?? 1)) throw error
      // the calls that waited go first
      await delay(100 + Math.random() * 900)
    }
  }
}
