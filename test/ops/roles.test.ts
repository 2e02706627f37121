import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { serve } from '../../src/server.ts'
import { SECRET, tokenOf } from '../servers/http.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres.ts'
import { runInProcess } from '../servers/run-cli.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const { services } = parse(textOf('compose.yaml'))

/** Passwords that need quoting in URLs and in SQL. */
const PASSWORDS: Record<string, string> = {
  POSTGRES_OWNER_PASSWORD: "the owner's: 1/2",
  POSTGRES_SERVER_PASSWORD: 'p@ss/w:rd #1',
}

/** The statements that psql would send, with variables from the environment. */
function statementsOf(script: string, env: Record<string, string>): string[] {
  let sql = script.replaceAll(/^--.*\n/gm, '')
  for (const [line, variable, name = ''] of sql.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    sql = sql.replace(line, '').replaceAll(`:'${variable}'`, pg.escapeLiteral(env[name] ?? ''))
  }
  expect(sql).not.toMatch(/^\\|:'/m)
  return sql.split(/;\n/).filter((statement) => statement.trim() !== '')
}

/** The database URL of a service of compose.yaml, on the server of this test. */
function urlFor(service: string, { port }: PostgresServer): string {
  return services[service].environment.THROUGHLINE_URL.replace('postgres:5432', `127.0.0.1:${port}`)
}
/** The password of a service. */
const passwordFor = (service: string) =>
  PASSWORDS[/\{(\w+):/.exec(services[service].environment.PGPASSWORD)?.[1] ?? ''] ?? ''

let postgres: PostgresServer
let folder: string
// a server of its own, because roles belong to the whole cluster
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-roles-'))
  const [program] = postgresPrograms()
  if (program === undefined) throw new Error('there is no Postgres: run npm install')
  postgres = await startPostgres(program)
  const client = new pg.Client(postgres.url)
  await client.connect()
  try {
    for (const statement of statementsOf(textOf('ops/postgres/roles.sql'), PASSWORDS)) await client.query(statement)
  } finally {
    await client.end()
  }
  for (const service of ['migrate', 'server']) {
    await postgres.requirePassword(new URL(urlFor(service, postgres)).username)
  }
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

describe('the roles of ops/postgres/roles.sql', () => {
  it('let the owner migrate and the server serve callers with a token', async () => {
    const migrated = await runInProcess(['migrate'], folder, {
      THROUGHLINE_URL: urlFor('migrate', postgres),
      PGPASSWORD: passwordFor('migrate'),
    })
    expect(migrated).toMatchObject({ code: 0, stderr: '' })

    const doctor = await runInProcess(['doctor'], folder, {
      THROUGHLINE_URL: urlFor('server', postgres),
      PGPASSWORD: passwordFor('server'),
    })
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('All checks passed.') })
    expect(doctor.stdout).toContain('throughline_server: member of throughline_app; throughline_owner owns the tables')

    const url = new URL(urlFor('server', postgres))
    url.password = encodeURIComponent(passwordFor('server'))
    const server = await serve({ url: url.href, jwt: { secret: SECRET }, port: 0, log: 'silent' })
    try {
      const headers = {
        authorization: `Bearer ${await tokenOf({ tenant: 'acme', sub: 'ada' })}`,
        'content-type': 'application/json',
      }
      const answer = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body: '{"userId":"ada"}' })
      expect(answer.status).toBe(201)
      expect(await answer.json()).toMatchObject({ tenant: 'acme', userId: 'ada', head: 1 })
    } finally {
      await server.close()
    }
  })

  it('need their passwords', async () => {
    const env = { THROUGHLINE_URL: urlFor('server', postgres), PGPASSWORD: 'guessed' }
    expect((await runInProcess(['doctor'], folder, env)).stdout).toContain('check user and password')
  })

  it('are not the superuser, as whom the server refuses to serve', async () => {
    const url = new URL(urlFor('server', postgres))
    url.username = 'postgres'
    await expect(serve({ url: url.href, jwt: { secret: SECRET }, port: 0, log: 'silent' })).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining('superuser'),
    })
  })
})
