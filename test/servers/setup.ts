import type { TestProject } from 'vitest/node'
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Servers for the tests, each as its superuser sees it. */
    postgres: { name: string; url: string }[]
  }
}

/** Starts what the tests need once for all of them, and stops it afterwards. `DATABASE_URL` is used instead where set. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL']
  const servers: PostgresServer[] =
    given === undefined ? await Promise.all(postgresPrograms().map((p) => startPostgres(p))) : []
  const found =
    given === undefined ? servers.map(({ name, url }) => ({ name, url })) : [{ name: 'postgres', url: given }]
  project.provide('postgres', found)
  return async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
