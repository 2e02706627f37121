import pg from 'pg'
import { postgresStore } from '../../src/stores/postgres/index.ts'

/** Roles that are neither superuser nor each other: one owns and migrates, the other serves. */
export const OWNER = 'throughline_test_owner'
export const SERVING = 'throughline_test_serving'

/** A database with the schema, to copy others from: nobody may be connected to it. */
export interface Template {
  /** The server's, as its superuser sees it. */
  url: string
  name: string
}

/** Makes the roles and a template. */
export async function createTemplate(url: string): Promise<Template> {
  const name = `${newPrefix()}_template`
  await runSql(url, MAKE_ROLES)
  await runSql(url, `create database ${name} owner ${OWNER}`)
  const migrated = await postgresStore({ url: databaseUrl(url, name, OWNER), migrate: true })
  await migrated.close()
  await runSql(url, `grant throughline_app to ${SERVING}`)
  return { url, name }
}

export async function dropTemplate({ url, name }: Template): Promise<void> {
  await runSql(url, `drop database ${name} with (force)`)
}

/** Of names that no other file and no other run of the tests uses. */
export function newPrefix(): string {
  return `throughline_test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
}

/** Roles belong to the cluster, which several test files share at the same time. */
const MAKE_ROLES = `
  select pg_advisory_xact_lock(4747);
  do $$ begin
    if not exists (select 1 from pg_roles where rolname = '${OWNER}') then
      create role ${OWNER} login createrole;
      create role ${SERVING} login;
    end if;
  end $$`

/** The address of a database on the same server, as a role. */
export function databaseUrl(url: string, database: string, role?: string): string {
  const target = new URL(url)
  target.pathname = `/${database}`
  if (role !== undefined) target.username = role
  return target.href
}

/** Runs statements on a connection that ends with them. Gives the rows of the last. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const result = await client.query(sql)
    return [result].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
