import pg from 'pg'
import { postgresStore } from '../../src/stores/postgres/index.ts'

/** Two roles without superuser rights: one owns the tables and migrates, the other serves. */
export const OWNER = 'throughline_test_owner'
export const SERVING = 'throughline_test_serving'

/** A template database with the schema; nobody may be connected to it. */
export interface Template {
  /** URL of the server for its superuser. */
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

/** A prefix that no other test file and no other run uses. */
export function newPrefix(): string {
  return `throughline_test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
}

/** Locked, because several test files create the roles of one cluster at the same time. */
const MAKE_ROLES = `
  select pg_advisory_xact_lock(4747);
  do $$ begin
    if not exists (select 1 from pg_roles where rolname = '${OWNER}') then
      create role ${OWNER} login createrole;
      create role ${SERVING} login;
    end if;
  end $$`

/** URL of a database on the same server, for a role. */
export function databaseUrl(url: string, database: string, role?: string): string {
  const target = new URL(url)
  target.pathname = `/${database}`
  if (role !== undefined) target.username = role
  return target.href
}

/** Runs statements on a new connection. @returns the rows of the last */
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
