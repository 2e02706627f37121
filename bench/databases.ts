import { randomBytes } from 'node:crypto'
import { open } from '../dist/index.js'
import { postgresPrograms, startPostgres } from '../test/servers/postgres.ts'
import { pg } from './drivers.ts'
import { childrenTime, parentOf, pinProcesses } from './processes.ts'

const SIZE = `
  select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`

/** Databases on one Postgres server, one per competitor. */
export interface Databases {
  /** URL of a new one that is empty, as its owner. */
  empty(): Promise<string>
  /** URL of a new one with Throughline's schema, as a role that is neither owner nor superuser. */
  served(): Promise<string>
  /** URL of the same database as its owner. */
  owner(url: string): string
  /** Vacuums now, so that autovacuum does not run during the measurement. */
  vacuum(): Promise<void>
  /** Bytes of all tables of a database on disk, with their indexes, after a vacuum. */
  size(url: string): Promise<number>
  /** Milliseconds of CPU time of the server so far; 0 for a server that was not started here. */
  cpuTime(): Promise<number>
  /** Whether new connections pin the server and this process to separate cores. */
  separate(apart: boolean): Promise<void>
  version(): Promise<string>
  /** Drops them all. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** On the server of `DATABASE_URL` if set, else on a durable one that is started here. */
export async function databases(): Promise<Databases> {
  const server = await startServer()
  const serving = { user: `throughline_bench_${process.pid}`, password: randomBytes(16).toString('hex') }
  const made: string[] = []
  let count = 0
  let first: Promise<number | undefined> | undefined

  function at(database: string, role?: { user: string; password: string }): string {
    const target = new URL(server.url)
    target.pathname = `/${database}`
    if (role !== undefined) Object.assign(target, { username: role.user, password: role.password })
    return target.href
  }

  async function create(): Promise<string> {
    const database = `throughline_bench_${process.pid}_${count++}`
    await run(server.url, `create database ${database}`)
    made.push(database)
    return database
  }

  async function clear(): Promise<void> {
    for (const database of made.splice(0)) await run(server.url, `drop database ${database} with (force)`)
  }

  /** The server's first process; undefined for a server that was not started here. */
  async function firstProcess(): Promise<number | undefined> {
    if (process.env['DATABASE_URL'] !== undefined) return undefined
    first ??= run(server.url, 'select pg_backend_pid() as pid').then(([row]) => parentOf(Number(row?.['pid'])))
    return await first
  }

  try {
    await run(server.url, `create role ${serving.user} login password '${serving.password}'`)
  } catch (error) {
    await server.stop()
    throw error
  }
  return {
    empty: async () => at(await create()),
    async served() {
      const database = await create()
      const migrated = await open({ url: at(database), migrate: true })
      await migrated.close()
      await run(server.url, `grant throughline_app to ${serving.user}`)
      return at(database, serving)
    },
    owner: (url) => at(new URL(url).pathname.slice(1)),
    async vacuum() {
      for (const database of made) await run(at(database), 'vacuum analyze')
    },
    async size(url) {
      const database = at(new URL(url).pathname.slice(1))
      await run(database, 'vacuum')
      const [row] = await run(database, SIZE)
      return Number(row?.['bytes'])
    },
    async cpuTime() {
      const server = await firstProcess()
      return server === undefined ? 0 : childrenTime(server)
    },
    async separate(apart) {
      const server = await firstProcess()
      if (server !== undefined) pinProcesses(server, apart)
    },
    version: async () => `${(await run(server.url, 'show server_version'))[0]?.['server_version']}`,
    clear,
    async close() {
      try {
        await clear()
        await run(server.url, `drop role ${serving.user}`)
      } finally {
        await server.stop()
      }
    },
  }
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env['DATABASE_URL']
  if (given !== undefined) return { url: given, stop: async () => {} }
  const programs = postgresPrograms().find(({ name }) => name === 'postgres 18')
  if (programs === undefined)
    throw new Error('There is no Postgres 18 in node_modules: run npm ci, or set DATABASE_URL.')
  return await startPostgres(programs, true)
}

async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
