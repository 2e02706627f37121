import { Socket } from 'node:net'
import { defined } from '../../domain/optional.ts'
import { codeOf, loadDriver, storageError } from './connection.ts'
import { settingsOf } from './connection-url.ts'

/** Facts about the server and the connected role, readable by every role. */
export interface PostgresFacts {
  version: string
  /** `server_version_num`: 150004 is 15.4. */
  versionNumber: number
  database: string
  /** Quoted for SQL. */
  role: string
  rights: 'superuser' | 'bypassrls' | 'restricted'
  /** Whether it refuses writes: a replica, or read-only by configuration. */
  isReadOnly: boolean
  /** The server's clock in milliseconds since 1970, and ours before and after the query. */
  clock: { server: number; before: number; after: number }
  /** Absent if the role may not read it. */
  bytes?: number
  /** Whether the schema `context` exists. */
  hasSchema: boolean
  /** Owner of the tables; absent if there are none. */
  owner?: string
  ownsTables: boolean
  /** Whether the role `throughline_app` exists. */
  hasAppRole: boolean
  /** Whether the connected role is a member of `throughline_app`, and whether it inherits its privileges. */
  isMember: boolean
  inherits: boolean
  /** Number of our tables that Citus has distributed. */
  distributed: number
  /** Number of our functions that the role may call, and that only `throughline_app` may call. */
  callable: number
  withheld: number
}

/** Why the server could not be examined. */
export interface ConnectionFailure {
  problem: string
  /** Code of the server or the socket; empty if there is none. */
  code: string
}

/** Milliseconds to connect, and to run the query. */
const TIMEOUT = 5000

const FACTS = `
  select current_setting('server_version') as version, current_setting('server_version_num')::integer as "versionNumber",
    quote_ident(current_database()) as database, quote_ident(current_user) as role,
    case when me.rolsuper then 'superuser' when me.rolbypassrls then 'bypassrls' else 'restricted' end as rights,
    current_setting('transaction_read_only') = 'on' as "isReadOnly",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    case when has_database_privilege(current_database(), 'connect') then pg_database_size(current_database())::float8 end as bytes,
    ours.oid is not null as "hasSchema",
    to_regclass('pg_dist_partition') is not null as "hasCitus",
    quote_ident(pg_get_userbyid(log.relowner)) as owner,
    coalesce(pg_has_role(current_user, log.relowner, 'usage'), false) as "ownsTables",
    app.oid is not null as "hasAppRole",
    coalesce(pg_has_role(current_user, app.oid, 'member'), false) as "isMember",
    coalesce(pg_has_role(current_user, app.oid, 'usage'), false) as inherits,
    (select count(*)::integer from pg_proc p
      where p.pronamespace = ours.oid and has_schema_privilege(ours.oid, 'usage') and has_function_privilege(p.oid, 'execute')
    ) as callable,
    (select count(*)::integer from pg_proc p
      where p.pronamespace = ours.oid and has_function_privilege(app.oid, p.oid, 'execute')
        and not (has_schema_privilege(ours.oid, 'usage') and has_function_privilege(p.oid, 'execute'))
    ) as withheld
  from pg_roles me
  left join pg_namespace ours on ours.nspname = 'context'
  left join pg_class log on log.relnamespace = ours.oid and log.relname = 'session_events'
  left join pg_roles app on app.rolname = 'throughline_app'
  where me.rolname = current_user`

/** Our tables in the catalog of Citus. */
const DISTRIBUTED = `
  select count(*)::integer as distributed
  from pg_dist_partition d
  join pg_class r on r.oid = d.logicalrelid
  where r.relnamespace::regnamespace::text in ('context', 'memori')`

/**
 * Reads facts on a connection of its own, without retries: those of the first host that takes writes, else of one that
 * responds. Changes nothing.
 */
export async function examinePostgres(
  url: string,
  now: () => number = Date.now,
): Promise<PostgresFacts | ConnectionFailure> {
  const [first, ...others] = settingsOf(url).hosts
  let found = await examineHost(first, now)
  for (const host of others) {
    if (!('problem' in found) && !found.isReadOnly) break
    const next = await examineHost(host, now)
    if (!('problem' in next)) found = next
  }
  return found
}

async function examineHost(connectionString: string, now: () => number): Promise<PostgresFacts | ConnectionFailure> {
  const { default: pg } = await loadDriver()
  const socket = new Socket()
  try {
    const timeouts = { connectionTimeoutMillis: TIMEOUT, query_timeout: TIMEOUT }
    const client = new pg.Client({ connectionString, stream: () => socket, ...timeouts })
    client.on('error', () => {})
    await client.connect()
    const before = now()
    const { rows } = await client.query<Row>(FACTS)
    const after = now()
    const row = rows[0] as Row
    const citus = row.hasCitus ? await client.query<{ distributed: number }>(DISTRIBUTED) : undefined
    return { ...factsOf(row, before, after), distributed: citus?.rows[0]?.distributed ?? 0 }
  } catch (error) {
    // the driver's timeouts have no code: "timeout expired" and "Query read timeout" in pg 8.16 to 8.23
    const isTimedOut = error instanceof Error && /timeout/i.test(error.message)
    const problem = isTimedOut ? `no answer within ${TIMEOUT / 1000} s` : storageError(error).message
    return { problem, code: isTimedOut ? 'ETIMEDOUT' : codeOf(error) }
  } finally {
    // without a proper close, which a hanging server would not answer
    socket.destroy()
  }
}

type Row = Omit<PostgresFacts, 'clock' | 'bytes' | 'owner' | 'distributed'> & {
  hasCitus: boolean
  now: number
  bytes: number | null
  owner: string | null
}

function factsOf(
  { now, bytes, owner, hasCitus: _, ...facts }: Row,
  before: number,
  after: number,
): Omit<PostgresFacts, 'distributed'> {
  return {
    ...facts,
    clock: { server: now, before, after },
    ...defined({ bytes: bytes ?? undefined, owner: owner ?? undefined }),
  }
}
