import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open } from '../../src/index.ts'
import { expectError, upTo } from '../../src/stores/conformance/samples.ts'
import { amount, printFigure } from '../proof.ts'
import { appendRace } from '../servers/append-race.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { type Pgbouncer, startPgbouncer } from '../servers/pgbouncer.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres.ts'

const PROCESSES = amount(3, 16)
const EACH = amount(10, 500)

describe('behind pgbouncer in transaction mode', () => {
  let server: PostgresServer
  let databases: Databases
  let pgbouncer: Pgbouncer
  beforeAll(async () => {
    const [program] = postgresPrograms()
    if (program === undefined) throw new Error('there is no Postgres: run npm install')
    server = await startPostgres(program, true)
    databases = await databasesOf(server.url)
    pgbouncer = await startPgbouncer(server.port, [SERVING])
  }, 300_000)
  afterAll(async () => {
    await pgbouncer?.stop()
    await server?.stop()
  })

  it(`writes once what ${PROCESSES} processes each send twice with its key`, { timeout: 600_000 }, async () => {
    const target = new URL((await databases.create()).url(SERVING))
    target.port = String(pgbouncer.port)
    target.searchParams.set('pooled', 'true')
    const { told, contents, sequences, differences, seconds } = await appendRace(target.href, PROCESSES, EACH)
    const all = upTo(PROCESSES * EACH).map((n) => n + 1)
    expect(sequences).toEqual(all)
    for (const [first, second] of told) expect(second).toBe(first)
    expect(told.map(([first]) => first ?? 0).sort((a, b) => a - b)).toEqual(all)
    expect(new Set(contents).size).toBe(PROCESSES * EACH)
    expect(differences).toEqual([])
    printFigure(`${PROCESSES} processes × ${EACH} appends through pgbouncer: dense, each once, ${seconds.toFixed(1)} s`)
  })

  it('says what is missing in a URL without pooled=true', async () => {
    const target = new URL((await databases.create()).url(SERVING))
    target.port = String(pgbouncer.port)
    target.searchParams.set('timeout', '200')
    const { message } = await expectError('STORAGE', open(target.href))
    expect(message).toMatch(/behind a pooler, add pooled=true to the URL/)
  })
})
