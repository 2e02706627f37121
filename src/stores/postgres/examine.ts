import { Socket } from 'node:net'
import { codeOf, loadDriver, settingsOf, storageError } from './connection.ts'

/** What can be said of a server and of the role that asks, whatever that role may or may not do. */
export interface PostgresFacts {
  version: string
  /** As the server counts: 150004 is 15.4. */
  versionNumber: number
  database: string
  /** As it is written in SQL. */
  role: string
  rights: 'superuser' | 'bypassrls' | 'restricted'
  /** It takes no writes: a replica, or one that was set so. */
  isReadOnly: boolean
  /** Its clock in milliseconds since 1970, and ours before and after it was asked. */
  clock: { there: number; before: number; after: number }
  /** Absent where this role may not know. */
  bytes?: number
  /** Whether the schema `context` is there at all. */
  hasSchema: boolean
  /** Owner of the tables; absent where there are none. */
  owner?: string
  ownsTables: boolean
  /** Whether there is a role `throughline_app`. */
  hasAppRole: boolean
  /** Whether this role is a member of it, and whether what it may do comes along by itself. */
  isMember: boolean
  inherits: boolean
  /** Functions of ours that this role may call, and those that only `throughline_app` may. */
  callable: number
  withheld: number
}

/** Why a server cannot be asked. */
export interface ConnectionFailure {
  problem: string
  /** Of the server or of the socket; empty where there is none. */
  code: string
}

/** Longest wait for a connection, and for the answer, in milliseconds. */
const PATIENCE = 5000

const FACTS = `
  select current_setting('server_version') as version, current_setting('server_version_num')::integer as "versionNumber",
    quote_ident(current_database()) as database, quote_ident(current_user) as role,
    case when me.rolsuper then 'superuser' when me.rolbypassrls then 'bypassrls' else 'restricted' end as rights,
    current_setting('transaction_read_only') = 'on' as "isReadOnly",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    case when has_database_privilege(current_database(), 'connect') then pg_database_size(current_database())::float8 end as bytes,
    ours.oid is not null as "hasSchema",
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

/** Asks once, over one connection, and gives up within seconds. Changes nothing. */
export async function examinePostgres(
  url: string,
  now: () => number = Date.now,
): Promise<PostgresFacts | ConnectionFailure> {
  const { default: pg } = await loadDriver()
  const { connectionString } = settingsOf(url)
  const socket = new Socket()
  try {
    const timeouts = { connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE }
    const client = new pg.Client({ connectionString, stream: () => socket, ...timeouts })
    client.on('error', () => {})
    await client.connect()
    const before = now()
    const { rows } = await client.query<Row>(FACTS)
    return factsOf(rows[0] as Row, before, now())
  } catch (error) {
    const isLate = error instanceof Error && /timeout/i.test(error.message)
    const problem = isLate ? `no answer within ${PATIENCE / 1000} s` : storageError(error).message
    return { problem, code: isLate ? 'ETIMEDOUT' : codeOf(error) }
  } finally {
    // without a goodbye: a server that hangs would not answer it
    socket.destroy()
  }
}

type Row = Omit<PostgresFacts, 'clock' | 'bytes' | 'owner'> & {
  now: number
  bytes: number | null
  owner: string | null
}

function factsOf({ now, bytes, owner, ...facts }: Row, before: number, after: number): PostgresFacts {
  return {
    ...facts,
    clock: { there: now, before, after },
    ...(bytes !== null && { bytes }),
    ...(owner !== null && { owner }),
  }
}
