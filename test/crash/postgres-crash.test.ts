import { afterAll, beforeAll, expect, it } from 'vitest'
import { open } from '../../src/index.ts'
import { amount, printFigure } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres.ts'
import { BATCH, sequencesIn, startWriters } from '../servers/retrying-writers.ts'

const CRASHES = amount(2, 60)

let server: PostgresServer
let target: string
beforeAll(async () => {
  const [program] = postgresPrograms()
  if (program === undefined) throw new Error('there is no Postgres: run npm install')
  server = await startPostgres(program, true)
  target = (await (await databasesOf(server.url)).create()).url(SERVING)
})
afterAll(() => server.stop())

it('has every acknowledged append exactly once and whole after crashes of the server', {
  timeout: 900_000,
}, async () => {
  const tl = await open(target)
  const session = await tl.sessions.create({ userId: 'ada' })
  const writers = startWriters(session, { keyed: 8, keyless: 2 })
  for (let crash = 0; crash < CRASHES; crash++) {
    await writers.acknowledged(1 + Math.floor(Math.random() * 150))
    await server.crash(crash % 2 === 0 ? 'SIGKILL' : 'SIGQUIT')
    await server.start()
  }
  await writers.acknowledged(50)
  const { acknowledged, unknown, failures } = await writers.stop()

  const kept = await sequencesIn(session)
  for (const [label, sequences] of acknowledged) expect(kept.get(label), label).toEqual(sequences)
  for (const [label, sequences] of kept) {
    const [first = 0] = sequences
    expect(sequences, label).toEqual(Array.from({ length: BATCH }, (_, i) => first + i))
    expect(acknowledged.has(label) || unknown.has(label), label).toBe(true)
  }
  const { differences, events } = await tl.verify()
  expect(differences).toEqual([])
  await tl.close()
  const found = [...unknown].filter((label) => kept.has(label)).length
  printFigure(
    `${CRASHES} crashes of Postgres: ${acknowledged.size} acknowledged batches all there once, ${events} events`,
  )
  printFigure(
    `${failures} calls failed with STORAGE; of ${unknown.size} failed appends without a key, ${found} are there`,
  )
})
