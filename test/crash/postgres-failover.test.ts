import { afterAll, beforeAll, expect, it } from 'vitest'
import { open, type Session, type Throughline } from '../../src/index.ts'
import { expectError } from '../../src/stores/conformance/samples.ts'
import { amount, printFigure } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { type FaultyNetwork, startFaultyNetwork } from '../servers/faulty-network.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres.ts'
import { BATCH, sequencesIn, startWriters, type WriteResults } from '../servers/retrying-writers.ts'
import { runSql } from '../servers/template-database.ts'

const ROUNDS = amount(2, 20)
/** Milliseconds of a statement; a call retries twice as long. */
const TIMEOUT = 5000

/** What happens to a primary, in turns. After the first its connections stay open; after the second they are gone. */
const FAILURES = [
  {
    failure: 'made read-only',
    fail: async ({ url }: PostgresServer) => {
      await runSql(url, 'alter system set default_transaction_read_only = on')
      await runSql(url, 'select pg_reload_conf()')
    },
  },
  { failure: 'killed', fail: async (server: PostgresServer) => await server.crash('SIGQUIT') },
]

let primary: PostgresServer
/** The path of the URL of a database. */
let database: string
/** A stable address of the primary, as a virtual address or a name is. */
let network: FaultyNetwork
beforeAll(async () => {
  const [program] = postgresPrograms()
  if (program === undefined) throw new Error('there is no Postgres: run npm install')
  primary = await startPostgres(program, true)
  database = new URL((await (await databasesOf(primary.url)).create()).url()).pathname
  network = await startFaultyNetwork(primary.port)
})
afterAll(async () => {
  await network.stop()
  await primary.stop()
})

const urlOf = (ports: readonly number[], timeout = TIMEOUT) =>
  `postgres://${SERVING}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}${database}?timeout=${timeout}`

/** A standby without which no commit of the primary is acknowledged. */
async function startSynchronousStandby(): Promise<PostgresServer> {
  const standby = await primary.startStandby()
  await runSql(primary.url, "alter system set synchronous_standby_names = '*'")
  await runSql(primary.url, 'select pg_reload_conf()')
  const state = 'select sync_state from pg_stat_replication'
  await expect.poll(() => runSql(primary.url, state), { timeout: 20_000 }).toEqual([{ sync_state: 'sync' }])
  return standby
}

it('loses no acknowledged event in a failover, and writes again without a restart', { timeout: 900_000 }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { failure, fail } = FAILURES[round % FAILURES.length] as (typeof FAILURES)[number]
    const standby = await startSynchronousStandby()
    const observer = await open(urlOf([primary.port], 100))
    expect((await observer.health()).ok).toBe(true)
    const clients = [
      { name: 'one address', ...(await clientOf(urlOf([network.port]))) },
      { name: 'both hosts', ...(await clientOf(urlOf([primary.port, standby.port]))) },
    ]
    await Promise.all(clients.map(({ writers }) => writers.acknowledged(20)))
    const failed = performance.now()
    await fail(primary)
    const healthOf = (tl: Throughline) =>
      tl.health().then(
        ({ ok }) => ok,
        ({ code }: { code: string }) => code,
      )
    // connections that are open learn of the new setting a moment later
    await expect.poll(() => healthOf(observer)).toBe('STORAGE')
    await expectError('STORAGE', observer.sessions.create({ userId: 'ada' }))
    await observer.close()
    await runSql(standby.url, 'select pg_promote()')
    network.moveTo(standby.port)
    const promoted = performance.now()
    const figures = await Promise.all(
      clients.map(async (client) => {
        await client.writers.acknowledged(1)
        const took = performance.now() - promoted
        await client.writers.acknowledged(20)
        return { took, ...(await finish(client)) }
      }),
    )
    for (const [i, { took, failures, acknowledged, lost }] of figures.entries()) {
      expect(lost).toBe(0)
      printFigure(
        `failover, primary ${failure}, ${clients[i]?.name}: ${failures} errors, writes again ${took.toFixed(0)} ms after ` +
          `the promotion (${(promoted - failed).toFixed(0)} ms after the failure), ${acknowledged} appends acknowledged, ` +
          `${lost} lost`,
      )
    }
    await returnAsStandby(primary, standby)
    primary = standby
  }
})

interface Client {
  tl: Throughline
  session: Session
  writers: ReturnType<typeof startWriters>
}

async function clientOf(url: string): Promise<Client> {
  const tl = await open(url)
  const session = await tl.sessions.create({ userId: 'ada' })
  return { tl, session, writers: startWriters(session, { keyed: 4, keyless: 2 }) }
}

/** Compares what the client was told with what is stored. */
async function finish({ tl, session, writers }: Client) {
  const told: WriteResults = await writers.stop()
  const kept = await sequencesIn(session)
  const lost = [...told.acknowledged].filter(([label, sequences]) => `${kept.get(label)}` !== `${sequences}`)
  // once, whatever the number of attempts
  for (const sequences of kept.values()) expect(sequences).toHaveLength(BATCH)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
  return { lost: lost.length, failures: told.failures, acknowledged: told.acknowledged.size }
}

/** A former primary that comes back as a standby is not used, although it is the first of the hosts. */
async function returnAsStandby(former: PostgresServer, { port }: PostgresServer): Promise<void> {
  await former.crash('SIGQUIT')
  former.demote()
  await former.start()
  const { message } = await expectError('STORAGE', open(urlOf([former.port], 100)))
  expect(message).toMatch(/takes no writes.*connect to the primary/)
  const tl = await open(urlOf([former.port, port]))
  const session = await tl.sessions.create({ userId: 'eve' })
  await session.append({ type: 'user_message', content: 'after the failover' })
  expect((await tl.health()).ok).toBe(true)
  await tl.close()
  await former.stop()
}
