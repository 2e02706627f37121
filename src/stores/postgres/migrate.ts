import { SchemaNewerError, SchemaOutdatedError } from '../../domain/errors.ts'
import { migrationsOf } from '../migrations.ts'
import { type Connections, codeOf, type Query } from './connection.ts'

const LOCK = { name: 'migrate-lock', text: 'select pg_advisory_xact_lock(474700001)' }

/** The ledger, and the function by which any role that may use the schema asks for its version. */
const LEDGER = `
  create schema if not exists context;
  create table if not exists context.throughline_migrations (
    version    integer     not null primary key,
    name       text        not null,
    applied_at timestamptz not null default now()
  );
  create or replace function context.schema_version() returns integer
  language sql stable security definer set search_path = context, pg_temp set jit = off as
  'select coalesce(max(version), 0) from context.throughline_migrations'`

const DONE = {
  name: 'migrate-done',
  text: 'insert into context.throughline_migrations (version, name) values ($1, $2)',
}

const VERSION = { name: 'schema-version', text: 'select context.schema_version() as version' }

/** Schema that this version of the package works with. */
export function knownSchema(): number {
  return migrationsOf('postgres').at(-1)?.version ?? 0
}

/** Schema that the database has; 0 where there is none, or none that this role may see. */
export async function schemaOf({ query }: Connections): Promise<number> {
  try {
    const [row] = await query<{ version: number }>(VERSION, [], { again: true })
    return row?.version ?? 0
  } catch (error) {
    // no such schema, no such function
    if (['3F000', '42883'].includes(codeOf(error))) return 0
    throw error
  }
}

/** Brings the database to the schema of this version, each step in a transaction with its ledger row, under a lock. */
export async function migrate(connections: Connections): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const found = await schemaOf(connections)
    refuseNewer(found)
    if (found === knownSchema()) return
    try {
      await connections.transaction(applyNext)
    } catch (error) {
      // roles belong to the whole cluster: another database of it is being migrated at this very moment
      if (codeOf(error) !== 'XX000' || attempt > 20) throw error
    }
  }
}

async function applyNext(query: Query, script: (sql: string) => Promise<void>): Promise<void> {
  await query(LOCK, [])
  await script(LEDGER)
  const [row] = await query<{ version: number }>(VERSION, [])
  const found = row?.version ?? 0
  refuseNewer(found)
  const next = migrationsOf('postgres').find(({ version }) => version > found)
  if (next === undefined) return
  await script(next.sql)
  await query(DONE, [next.version, next.name])
}

/** Throws unless the database has exactly the schema of this version. */
export async function requireSchema(connections: Connections): Promise<void> {
  const found = await schemaOf(connections)
  refuseNewer(found)
  if (found < knownSchema()) throw new SchemaOutdatedError({ found, needed: knownSchema() })
}

function refuseNewer(found: number): void {
  if (found > knownSchema()) throw new SchemaNewerError({ found, known: knownSchema() })
}
