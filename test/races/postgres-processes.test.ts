import { afterAll, beforeAll, expect, it } from 'vitest'
import { open } from '../../src/index.ts'
import { startWorker } from '../../src/stores/conformance/processes.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { amount, printFigure } from '../proof.ts'
import { appendRace } from '../servers/append-race.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres.ts'

const PROCESSES = amount(6, 16)
const EACH = amount(30, 500)
const STORES = 4
const SESSIONS = 20
const ROUNDS = amount(20, 400)

let server: PostgresServer
let databases: Databases
beforeAll(async () => {
  const [program] = postgresPrograms()
  if (program === undefined) throw new Error('there is no Postgres: run npm install')
  server = await startPostgres(program, true)
  databases = await databasesOf(server.url)
})
afterAll(() => server.stop())

it(`writes once what ${PROCESSES} processes each send twice with its key`, { timeout: 600_000 }, async () => {
  const { url } = await databases.create()
  const { told, contents, sequences, differences, seconds } = await appendRace(url(SERVING), PROCESSES, EACH)
  const all = upTo(PROCESSES * EACH).map((n) => n + 1)
  expect(sequences).toEqual(all)
  for (const [first, second] of told) expect(second).toBe(first)
  expect(told.map(([first]) => first ?? 0).sort((a, b) => a - b)).toEqual(all)
  expect(new Set(contents).size).toBe(PROCESSES * EACH)
  expect(differences).toEqual([])
  printFigure(
    `${PROCESSES} processes × ${EACH} appends on one session, each sent twice: each once, ${seconds.toFixed(1)} s`,
  )
})

it('never deadlocks when batches take the same sessions in opposite orders', { timeout: 600_000 }, async () => {
  const { url, admin } = await databases.create()
  const target = url(SERVING)
  const stores = await Promise.all(upTo(STORES).map(() => open(target)))
  const [tl] = stores
  if (tl === undefined) throw new Error('no store')
  const made = await Promise.all(upTo(SESSIONS).map((n) => tl.sessions.create({ userId: `user ${n}` })))
  const ids = made.map(({ id }) => id)
  const other = ids[SESSIONS - 1] ?? ''
  const worker = startWorker(target, { do: 'append', sessionId: other, count: ROUNDS, label: 'worker', times: 2 })

  const write = async (store: typeof tl, order: readonly string[]) => {
    const sessions = await Promise.all(order.map((id) => store.sessions.get(id)))
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all(sessions.map((session) => session.append({ type: 'x.load', content: `round ${round}` })))
  }
  await Promise.all(stores.map((store, i) => write(store, i % 2 === 0 ? ids : ids.toReversed())))
  await worker.done

  const records = await Promise.all(made.map((session) => session.record()))
  expect(records.map(({ head }) => head)).toEqual(ids.map((id) => 1 + STORES * ROUNDS + (id === other ? ROUNDS : 0)))
  expect((await tl.verify()).differences).toEqual([])
  await Promise.all(stores.map((store) => store.close()))
  const rows = await admin('select sum(deadlocks)::integer as deadlocks from pg_stat_database')
  expect(rows).toEqual([{ deadlocks: 0 }])
  printFigure(
    `${STORES} stores × ${ROUNDS} rounds over ${SESSIONS} sessions in opposite orders: no deadlock, none failed`,
  )
})
