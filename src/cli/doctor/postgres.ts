import type { PostgresFacts, Unreached } from '../../stores/postgres/index.ts'
import { type Check, formatBytes } from './check.ts'

const BYPASSES_RLS = 'passes over row level security, the second wall between tenants'
const USE_APP_ROLE = `for servers make a role of its own: create role throughline_server login password '…'; grant throughline_app to throughline_server (ops/postgres/roles.sql makes all of them); one that checks tokens refuses this role`

/** Why a server cannot be asked, and what to do. */
export function describeConnectionFailure({ problem, code }: Unreached): Check {
  return { name: 'store', status: 'fail', found: problem, advice: ADVICE[code] ?? DEFAULT_ADVICE }
}

const DEFAULT_ADVICE = 'look what --url or THROUGHLINE_URL names, and try psql with the same'

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start the server, or correct host and port: pg_isready -h HOST -p PORT',
  ETIMEDOUT: 'look whether this machine may reach it (firewall, network): pg_isready -h HOST -p PORT',
  ENOTFOUND: 'correct the host: its name is not known',
  EAI_AGAIN: 'correct the host, or bring name resolution back: its name cannot be asked for',
  '28P01': 'correct user and password in the URL, or PGPASSWORD',
  '28000': 'correct user and password, or let the role in by pg_hba.conf',
  '3D000': 'create database NAME owner throughline_owner, as ops/postgres/roles.sql does; then throughline migrate',
  '42501': 'grant connect on database NAME to ROLE',
  '53300': 'the server takes no more connections: use a pooler, or smaller pools (?pool=N)',
  '57P03': 'wait until the server has started',
}

/** What is wrong with the server for everyone; `undefined` where nothing is. */
export function checkServerVersion({ version, versionNumber, isReadOnly }: PostgresFacts): Check | undefined {
  if (versionNumber < 150_000) {
    return { name: 'store', status: 'fail', found: `postgres ${version}`, advice: 'install Postgres 15 or newer' }
  }
  if (!isReadOnly) return undefined
  const found = `postgres ${version}: takes no writes: a replica, or set to read only`
  return { name: 'store', status: 'fail', found, advice: 'connect to the primary: select pg_is_in_recovery()' }
}

/** What is missing where no table of ours can be found; `undefined` where they are there. */
export function checkTablesExist({ hasSchema, owner, database }: PostgresFacts): Check | undefined {
  if (hasSchema && owner !== undefined) return undefined
  const found = `database ${database} has no tables of ours`
  const advice = 'throughline migrate, as the role that is to own them (ops/postgres/roles.sql makes the roles)'
  return { name: 'schema', status: 'fail', found, advice }
}

/** Whether the role may do what it has to, and no more. */
export function checkRole(facts: PostgresFacts): Check {
  const { role, rights, hasSchema, owner, ownsTables } = facts
  const check = (status: Check['status'], found: string, advice?: string): Check => ({
    name: 'role',
    status,
    found: `role ${role}${rights === 'restricted' ? '' : ` (${rights})`}: ${found}`,
    ...(advice !== undefined && { advice }),
  })
  if (rights === 'superuser') return check('warn', BYPASSES_RLS, USE_APP_ROLE)
  const missing = hasSchema && owner !== undefined ? findMissingRight(facts) : undefined
  if (missing !== undefined) return check('fail', ...missing)
  if (rights !== 'restricted') return check('warn', BYPASSES_RLS, USE_APP_ROLE)
  if (owner === undefined) return check('ok', 'what it may do is settled by the first migration')
  if (ownsTables) return check('ok', 'owns the tables, as migrate needs it; let servers connect as another')
  return check('ok', `calls the functions of throughline_app; the tables are ${owner}'s`)
}

/** What the role lacks, and how to give it. */
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
    const advice = 'bring the roles over too, before the data: pg_dumpall --roles-only'
    return ['there is no role throughline_app: was the database restored without its roles?', advice]
  }
  if (isMember && !inherits) {
    const advice =
      versionNumber < 160_000 ? `alter role ${role} inherit` : `grant throughline_app to ${role} with inherit true`
    return ['is a member of throughline_app, but does not inherit what that may do', advice]
  }
  if (withheld > 0) return ['may not call our functions', `as a superuser: grant throughline_app to ${role}`]
  if (callable > 0) return undefined
  const advice = 'restore it with its privileges: pg_dump and pg_restore without --no-privileges'
  return ['even throughline_app may call none of our functions: was the database restored without grants?', advice]
}

/** How much room the database takes; what is free only the server's machine knows. */
export function checkDatabaseSize({ bytes, database }: PostgresFacts): Check {
  const found = bytes === undefined ? 'this role may not know the size' : `database ${database}: ${formatBytes(bytes)}`
  return { name: 'disk', status: 'ok', found }
}
