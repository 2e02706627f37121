import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { open, type Run, type Session, type Throughline } from '../../src/index.ts'
import { fixedClock } from '../../src/stores/conformance/samples.ts'
import { amount, firstInShortRun, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { startServeProcess } from '../servers/serve-process.ts'
import type { RacerLine, RacersJob } from './run-racers-child.ts'

const CHILD = new URL('./run-racers-child.ts', import.meta.url)
const PROCESSES = 4
const EACH = amount(5, 25)
const RACERS = PROCESSES * EACH

/** A database that stays until `close`. */
interface Opened {
  url: string
  close(): Promise<void>
}

async function sqliteFile(): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const path = Promise.withResolvers<string>()
  const done = withDatabaseFile(async (file) => {
    path.resolve(`sqlite:${file}`)
    await promise
  })
  return {
    url: await path.promise,
    async close() {
      resolve()
      await done
    },
  }
}

async function postgresDatabase(server: string): Promise<Opened> {
  const databases = await databasesOf(server)
  const database = await databases.create()
  return {
    url: database.url(SERVING),
    async close() {
      await database.destroy()
      await databases.close()
    },
  }
}

const postgres = firstInShortRun(inject('postgres')).map(({ name, url }) => ({
  name,
  create: () => postgresDatabase(url),
}))
const stores = [{ name: 'sqlite', create: sqliteFile }, ...postgres]
/** A server is the same store behind a client: in the long form only. */
const served = isProving ? stores : []
const targets = [
  ...stores.map((store) => ({ ...store, isServed: false })),
  ...served.map((store) => ({ ...store, name: `${store.name} behind a server`, isServed: true })),
]

describe.each(targets)('on $name', ({ name, create, isServed }) => {
  let database: Opened
  let server: Awaited<ReturnType<typeof startServeProcess>> | undefined
  let tl: Throughline
  let session: Session
  beforeAll(async () => {
    database = await create()
    server = isServed ? await startServeProcess({ THROUGHLINE_URL: database.url }) : undefined
  })
  afterAll(async () => {
    server?.stop()
    await server?.ended
    await database.close()
  })
  beforeEach(async () => {
    tl = await open(database.url)
    session = await tl.sessions.create({ userId: 'ada' })
  })
  afterEach(() => tl.close())

  /** Starts all racers at once. `onFirst` runs when one of them has a run. */
  async function race(how: RacersJob['race'], onFirst = async () => {}): Promise<RacerLine[]> {
    const job: RacersJob = { target: server?.url ?? database.url, racers: EACH, race: how }
    const children = Array.from({ length: PROCESSES }, () => startChild(CHILD, job))
    await Promise.all(children.map((child) => child.printed(1)))
    const start = performance.now()
    for (const child of children) child.go()
    await Promise.race(children.map((child) => child.printed(2)))
    await onFirst()
    const results = await Promise.all(children.map(({ done }) => done))
    printFigure(`${RACERS} racers on ${name}, ${how.do}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
    return results.flatMap(({ lines }) => lines.slice(1)) as RacerLine[]
  }

  const won = (lines: readonly RacerLine[]) => lines.flatMap((line) => ('runId' in line ? [line] : []))
  const codes = (lines: readonly RacerLine[]) => lines.flatMap((line) => ('code' in line ? [line.code] : []))
  const generations = async () => (await session.runs()).map(({ generation }) => generation)

  it('one of many racers gets the run', async () => {
    const lines = await race({ do: 'run', sessionId: session.id })
    expect(codes(lines)).toEqual(Array(RACERS - 1).fill('RUN_ACTIVE'))
    const [live] = await session.runs()
    expect(won(lines)).toEqual([{ sessionId: session.id, runId: live?.id, generation: 1 }])
    expect(await generations()).toEqual([1])
    expect((await tl.verify(session.id)).differences).toEqual([])
  })

  it('one of many racers takes over a lease that has expired', async () => {
    const past = await open({ url: database.url, clock: fixedClock() })
    const old: Run = await (await past.sessions.get(session.id)).run()
    const lines = await race({ do: 'run', sessionId: session.id })
    expect(codes(lines)).toEqual(Array(RACERS - 1).fill('RUN_ACTIVE'))
    expect(won(lines).map(({ generation }) => generation)).toEqual([2])
    await expect(old.append({ type: 'user_message', content: 'late' })).rejects.toMatchObject({ code: 'RUN_LOST' })
    expect((await session.runs()).map(({ generation, outcome }) => [generation, outcome])).toEqual([
      [2, undefined],
      [1, 'lost'],
    ])
    expect((await tl.verify(session.id)).differences).toEqual([])
    await past.close()
  })

  it('one of many racers claims the session that was woken, and its prompt comes once', async () => {
    await (await session.run()).finish()
    await session.wakeAt('2020-01-01T00:00:00.000Z', { prompt: 'wake up' })
    // work for all others, so that they end; what earlier tests left is claimed once, too
    const lines = await race({ do: 'claim' }, async () => {
      await Promise.all(Array.from({ length: RACERS - 1 }, () => tl.sessions.create({ userId: 'bob' })))
    })
    expect(codes(lines)).toEqual([])
    const claimed = won(lines)
    expect(new Set(claimed.map(({ sessionId }) => sessionId)).size).toBe(RACERS)
    expect(claimed.filter(({ sessionId }) => sessionId === session.id).map(({ generation }) => generation)).toEqual([2])
    expect(await generations()).toEqual([2, 1])
    const messages = await session.messages()
    expect(messages.map(({ role, content }) => [role, content])).toEqual([['user', 'wake up']])
    expect((await session.events({ types: ['wake_fired'] })).length).toBe(1)
    expect((await tl.verify()).differences).toEqual([])
  })

  it('one of many racers resolves the request', async () => {
    await session.request({ id: 'r', kind: 'approval', question: 'May I?' })
    const lines = await race({ do: 'resolve', sessionId: session.id, requestId: 'r' })
    expect(codes(lines)).toEqual(Array(RACERS - 1).fill('REQUEST_RESOLVED'))
    expect(lines.filter((line) => 'resolved' in line)).toHaveLength(1)
    expect(await session.events({ types: ['request_resolved'] })).toHaveLength(1)
    expect((await tl.verify(session.id)).differences).toEqual([])
  })

  it('all racers with one idempotency key get the same run', async () => {
    const lines = await race({ do: 'run', sessionId: session.id, idempotencyKey: 'k' })
    const [live] = await session.runs()
    expect(lines).toEqual(Array(RACERS).fill({ sessionId: session.id, runId: live?.id, generation: 1 }))
    expect(await generations()).toEqual([1])
    expect((await tl.verify(session.id)).differences).toEqual([])
  })
})
