import { defined } from '../../domain/optional.ts'
import type { ConnectionFailure, PostgresFacts } from '../../stores/postgres/index.ts'
import { pluralize } from '../text.ts'
import { type Check, fail, formatBytes, ok } from './check.ts'

const BYPASSES_RLS = 'bypasses row level security, which separates tenants'
const USE_APP_ROLE = `use a separate role for servers: create role throughline_server login password '…'; grant throughline_app to throughline_server (ops/postgres/roles.sql does both); a server that requires tokens refuses this role`

/** Why the database cannot be reached, and what to do. */
export function describeConnectionFailure({ problem, code }: ConnectionFailure): Check {
  return fail('store', problem, ADVICE[code] ?? DEFAULT_ADVICE)
}

const DEFAULT_ADVICE = 'check --url or THROUGHLINE_URL, and try psql with the same URL'

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start the server, or fix host and port: pg_isready -h HOST -p PORT',
  ETIMEDOUT: 'check firewall and network: pg_isready -h HOST -p PORT',
  ENOTFOUND: 'fix the host name: it is unknown',
  EAI_AGAIN: 'fix the host name or name resolution: the lookup failed',
  '28P01': 'fix user and password in the URL, or PGPASSWORD',
  '28000': 'fix user and password, or allow the role in pg_hba.conf',
  '3D000': 'create database NAME owner throughline_owner (see ops/postgres/roles.sql), then run throughline migrate',
  '42501': 'grant connect on database NAME to ROLE',
  '53300': 'the server is out of connections: use a pooler, or smaller pools (?pool=N)',
  '57P03': 'wait until the server has started',
}

/** Problems of the server that affect every role; `undefined` if there are none. */
export function checkServerVersion({ version, versionNumber, isReadOnly }: PostgresFacts): Check | undefined {
  if (versionNumber < 150_000) return fail('store', `postgres ${version}`, 'install Postgres 15 or newer')
  if (!isReadOnly) return undefined
  const found = `postgres ${version}: read-only (a replica, or set to read only)`
  return fail('store', found, 'connect to the primary: select pg_is_in_recovery()')
}

/** The failure if the database has no Throughline tables; `undefined` if it has. */
export function checkTablesExist({ hasSchema, owner, database }: PostgresFacts): Check | undefined {
  if (hasSchema && owner !== undefined) return undefined
  const found = `database ${database} has no Throughline tables`
  const advice =
    'run throughline migrate as the role that should own the tables (ops/postgres/roles.sql creates the roles)'
  return fail('schema', found, advice)
}

/** The failure if tables are distributed; `undefined` if none is. */
export function checkNotDistributed({ distributed, database }: PostgresFacts): Check | undefined {
  if (distributed === 0) return undefined
  const found = `database ${database}: ${pluralize(distributed, 'Throughline table')} distributed by Citus, where rows disappear`
  return fail(
    'store',
    found,
    'export from the plain database and use one Postgres: Citus is not supported yet (docs/scale.md)',
  )
}

/** Checks that the role has the rights it needs and no more. */
export function checkRole(facts: PostgresFacts): Check {
  const { role, rights, hasSchema, owner, ownsTables } = facts
  const check = (status: Check['status'], found: string, advice?: string): Check => ({
    name: 'role',
    status,
    found: `role ${role}${rights === 'restricted' ? '' : ` (${rights})`}: ${found}`,
    ...defined({ advice }),
  })
  if (rights === 'superuser') return check('warn', BYPASSES_RLS, USE_APP_ROLE)
  const missing = hasSchema && owner !== undefined ? findMissingRight(facts) : undefined
  if (missing !== undefined) return check('fail', ...missing)
  if (rights !== 'restricted') return check('warn', BYPASSES_RLS, USE_APP_ROLE)
  if (owner === undefined) return check('ok', 'the first migration sets its rights')
  if (ownsTables) return check('ok', 'owns the tables, as migrate needs; servers should use another role')
  return check('ok', `member of throughline_app; ${owner} owns the tables`)
}

/** The right that the role lacks, and how to grant it. */
function findMissingRight({
  role,
  versionNumber,
  hasAppRole,
  isMember,
  inherits,
  callable,
  withheld,
}: PostgresFacts): [found: string, advice: string] | undefined {
  if (!hasAppRole) {
    const advice = 'restore the roles before the data: pg_dumpall --roles-only'
    return ['the role throughline_app is missing: was the database restored without its roles?', advice]
  }
  if (isMember && !inherits) {
    const advice =
      versionNumber < 160_000 ? `alter role ${role} inherit` : `grant throughline_app to ${role} with inherit true`
    return ['is a member of throughline_app but does not inherit its rights', advice]
  }
  if (withheld > 0) return ['cannot call the Throughline functions', `as a superuser: grant throughline_app to ${role}`]
  if (callable > 0) return undefined
  const advice = 'restore it with privileges: pg_dump and pg_restore without --no-privileges'
  return ['throughline_app cannot call the Throughline functions: was the database restored without grants?', advice]
}

/** Size of the database. Free space is known to its machine only. */
export function checkDatabaseSize({ bytes, database }: PostgresFacts): Check {
  const found = bytes === undefined ? 'this role cannot read the size' : `database ${database}: ${formatBytes(bytes)}`
  return ok('disk', found)
}
