import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { open, type SessionEvent, type Throughline } from '../../src/index.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { fixedClock } from '../../src/stores/conformance/samples.ts'
import { amount, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { servedDatabase } from '../servers/http.ts'
import { needsWork } from './claim-model.ts'
import { type Command, command, newWorld, outcomeOf, type World } from './run-commands.ts'

/** Opens a store with a clock; `work` is called while it is open. */
interface Contender {
  name: string
  run(clock: Clock, work: (tl: Throughline) => Promise<void>): Promise<void>
}

async function opened(target: Parameters<typeof open>[0], work: (tl: Throughline) => Promise<void>): Promise<void> {
  const tl = await open(target)
  try {
    await work(tl)
  } finally {
    await tl.close()
  }
}

async function onServer(url: string, clock: Clock, work: (tl: Throughline) => Promise<void>): Promise<void> {
  const database = await servedDatabase({ url }, async () => {})
  const tl = await database.connect({ clock })
  try {
    await work(tl)
  } finally {
    await tl.close()
    await database.destroy()
  }
}

const sqlite = (work: (url: string) => Promise<void>) => withDatabaseFile(async (path) => await work(`sqlite:${path}`))
const postgres = inject('postgres')
  .slice(0, 1)
  .map(({ name, url: server }) => ({
    name,
    async with(work: (url: string) => Promise<void>) {
      const databases = await databasesOf(server)
      const database = await databases.create()
      try {
        await work(database.url(SERVING))
      } finally {
        await database.destroy()
        await databases.close()
      }
    },
  }))

const contenders: Contender[] = [
  { name: 'sqlite', run: (clock, work) => sqlite((url) => opened({ url, clock, durability: 'relaxed' }, work)) },
  ...postgres.map((one) => ({
    name: one.name,
    run: (clock: Clock, work: (tl: Throughline) => Promise<void>) => one.with((url) => opened({ url, clock }, work)),
  })),
]
const servedContenders: Contender[] = [
  { name: 'a server on sqlite', run: (clock, work) => sqlite((url) => onServer(url, clock, work)) },
  ...postgres.map((one) => ({
    name: `a server on ${one.name}`,
    run: (clock: Clock, work: (tl: Throughline) => Promise<void>) => one.with((url) => onServer(url, clock, work)),
  })),
]

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{16,64}\b/g

/** The same value for every store: ids and hashes are replaced by their order. */
function withoutIds(value: unknown): unknown {
  const seen = new Map<string, string>()
  const text = JSON.stringify(value, (key, one) => (key === 'checksum' ? undefined : one))
  return JSON.parse(
    text.replaceAll(ID, (id) => {
      const name = seen.get(id) ?? `id ${seen.size}`
      seen.set(id, name)
      return name
    }),
  )
}

async function logs({ sessions }: World): Promise<SessionEvent[][]> {
  return await Promise.all(sessions.map((session) => session.events({ limit: 500 })))
}

/** Runs the commands. Returns all that must be the same on every store. */
async function play(tl: Throughline, clock: World['clock'], commands: readonly Command[]): Promise<unknown> {
  const world = await newWorld(tl, clock)
  const outcomes: unknown[] = []
  for (const one of commands) {
    const isClaim = one.name === 'claim all'
    const before = isClaim ? await logs(world) : []
    const outcome = await outcomeOf(world, one)
    outcomes.push([one.name, outcome])
    if (!isClaim) continue
    const expected = before.flatMap((log, i) => (needsWork(log, clock.now()) ? [`claimed ${i}`] : []))
    expect(outcome).toEqual(expected)
  }
  const sessions = []
  for (const session of world.sessions) {
    expect((await tl.verify(session.id)).differences).toEqual([])
    const [record, runs, messages] = [await session.record(), await session.runs(), await session.messages()]
    sessions.push({ record, runs, messages, log: await session.events({ limit: 500 }) })
    // the next world must find no work here
    if (record.endedAt === undefined) await session.end()
  }
  return withoutIds({ outcomes, sessions })
}

/** Plays random commands on memory and on another store, and compares them. */
async function compare({ name, run }: Contender, numRuns: number): Promise<void> {
  const clock = fixedClock()
  let played = 0
  await opened({ url: 'memory:', clock }, async (memory) =>
    run(clock, async (tl) => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 60, size: 'max' }), async (commands) => {
          const start = clock.now()
          const expected = await play(memory, clock, commands)
          clock.advance(start - clock.now())
          expect(await play(tl, clock, commands)).toEqual(expected)
          played += commands.length
        }),
        { numRuns },
      )
    }),
  )
  printFigure(`${played} commands of the life of runs: ${name} did what memory does, and claims what the model says`)
}

// a server is the same store behind a client: in the long form only
const compared = isProving ? [...contenders, ...servedContenders] : contenders

it.each(compared)('$name does the same as memory in every life of a session', { timeout: 900_000 }, async (one) => {
  await compare(one, amount(12, 300))
})
