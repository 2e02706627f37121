import { SchemaOutdatedError } from '../../domain/errors.ts'
import { knownSchema as knownSchemaOf, type LedgerRow, migrationsOf, schemaIn } from '../migrations.ts'
import { type Connections, codeOf, type Query } from './connection.ts'

const LOCK = { name: 'migrate-lock', text: 'select pg_advisory_xact_lock(474700001)' }

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

/** Schema of the database; 0: there is none, or none that this role may see. Throws if this version cannot use it. */
export async function schemaOf({ query }: Pick<Connections, 'query'>): Promise<number> {
  try {
    return schemaIn('postgres', (await query<VersionRow>(SELECT_LEDGER, [], { retry: true })).map(ledgerRow))
  } catch (error) {
    // no such schema, no such function
    if (['3F000', '42883'].includes(codeOf(error))) return 0
    throw error
  }
}

function ledgerRow(row: VersionRow): LedgerRow {
  return 'schema_version' in row ? { version: row.schema_version } : row
}

/** Migrates to the schema of this version: under a lock, each step in a transaction with its row of the ledger. */
export async function migrate(connections: Connections): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if ((await schemaOf(connections)) === knownSchema()) return
    try {
      await connections.transaction(applyNext)
    } catch (error) {
      // roles belong to the whole cluster: another of its databases is being migrated at the same moment
      if (codeOf(error) !== 'XX000' || attempt > 20) throw error
    }
  }
}

async function applyNext(query: Query, script: (sql: string) => Promise<void>): Promise<void> {
  await query(LOCK, [])
  await script(LEDGER)
  const found = schemaIn('postgres', (await query<VersionRow>(SELECT_LEDGER, [])).map(ledgerRow))
  const next = migrationsOf('postgres').find(({ version }) => version > found)
  if (next === undefined) return
  await script(next.sql)
  await query(INSERT_ROW, [next.version, next.name, next.checksum])
}

/** Throws unless the database has exactly the schema of this version. */
export async function requireSchema(connections: Connections): Promise<void> {
  const found = await schemaOf(connections)
  if (found < knownSchema()) throw new SchemaOutdatedError({ found, needed: knownSchema() })
}
