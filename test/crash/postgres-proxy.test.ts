import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open, type Session, type Throughline } from '../../src/index.ts'
import { expectError, upTo } from '../../src/stores/conformance/samples.ts'
import { isLost } from '../../src/stores/postgres/connection.ts'
import { amount, printFigure } from '../proof.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { type FaultyNetwork, startFaultyNetwork } from '../servers/faulty-network.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres.ts'
import { BATCH, sequencesIn, startWriters } from '../servers/retrying-writers.ts'

const CUTS = amount(10, 400)
const TIMEOUT = 300

let server: PostgresServer
let databases: Databases
let proxy: FaultyNetwork
beforeAll(async () => {
  const [program] = postgresPrograms()
  if (program === undefined) throw new Error('there is no Postgres: run npm install')
  server = await startPostgres(program, true)
  databases = await databasesOf(server.url)
  proxy = await startFaultyNetwork(server.port)
})
afterAll(async () => {
  await proxy.stop()
  await server.stop()
})

/** URL of a new database, past the proxy or through it. */
async function newDatabase(settings: Record<string, string> = {}, port = server.port): Promise<URL> {
  const url = new URL((await databases.create()).url(SERVING))
  url.port = String(port)
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value)
  return url
}

it('loses and duplicates nothing when connections are cut before the request or before the reply', {
  timeout: 600_000,
}, async () => {
  const url = await newDatabase({}, proxy.port)
  const tl = await open(url.href)
  const session = await tl.sessions.create({ userId: 'ada' })
  const writers = startWriters(session, { keyed: 8, keyless: 2 })
  let untold = 0
  let cuts = 0
  // about a quarter come after the commit; a few are to
  for (; cuts < CUTS || (untold === 0 && cuts < 10 * CUTS); cuts++) {
    const chunk = await proxy.cutAt(Math.random() < 0.5 ? 'request' : 'reply', 1 + Math.floor(Math.random() * 12))
    // how the server ends its answer, which it sends after its commit
    if (chunk.includes('SELECT 1')) untold++
  }
  await writers.acknowledged(50)
  const { acknowledged, unknown, failures } = await writers.stop()
  expect(untold).toBeGreaterThan(0)

  const kept = await sequencesIn(session)
  for (const [label, sequences] of acknowledged) expect(kept.get(label), label).toEqual(sequences)
  for (const [label, sequences] of kept) {
    const [first = 0] = sequences
    expect(sequences, label).toEqual(Array.from({ length: BATCH }, (_, i) => first + i))
    expect(acknowledged.has(label) || unknown.has(label), label).toBe(true)
  }
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
  printFigure(
    `${cuts} connections cut, ${untold} of them after the commit: ${acknowledged.size} acknowledged batches once`,
  )
  printFigure(`${failures} calls failed with STORAGE, ${unknown.size} of them appends without a key`)
})

it('counts evidence with a key once, wherever the connection is cut', async () => {
  const tl = await open((await newDatabase({}, proxy.port)).href)
  const { id } = await tl.memories.remember({ userId: 'ada', content: 'Plays chess' })
  let calls = 0
  for (const direction of ['request', 'reply'] as const) {
    // a call sends seven times: it reads the memory, begins, looks for its key, reads, writes, stores its key, commits
    for (const n of upTo(8)) {
      let gone = false
      void proxy.cutAt(direction, n).then(() => {
        gone = true
      })
      while (!gone) await tl.memories.corroborate(id, {}, { idempotencyKey: `call ${++calls}` })
    }
  }
  expect((await tl.memories.get(id)).lineage).toHaveLength(1 + calls)
  expect(await tl.memories.history(id)).toHaveLength(1 + calls)
  await tl.close()
})

it('fails with STORAGE when the connection is cut during a call that is not retried', async () => {
  const tl = await open((await newDatabase({}, proxy.port)).href)
  const session = await tl.sessions.create({ userId: 'ada' })
  let failures = 0
  for (let round = 0; round < amount(5, 100); round++) {
    const cut = proxy.cutAt('reply', 1 + (round % 3))
    let gone = false
    void cut.then(() => {
      gone = true
    })
    while (!gone) {
      const call = round % 2 === 0 ? session.clear() : tl.sessions.create({ userId: `user ${performance.now()}` })
      await call.catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'STORAGE' })
        failures++
      })
    }
  }
  expect(failures).toBeGreaterThan(0)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
})

it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED', '57P01', '08006'])(
  'treats %s as a lost connection, after which the outcome is unknown',
  (code) => {
    expect(isLost(Object.assign(new Error('broken'), { code }))).toBe(true)
  },
)

it('does not reuse a connection that the server ended while it was idle', async () => {
  const database = await databases.create()
  const tl = await open(database.url(SERVING))
  const session = await tl.sessions.create({ userId: 'ada' })
  // several connections, and a scratchpad that is remembered: the next change of it begins with a write
  await Promise.all([...upTo(4).map(() => session.record()), session.updateState({ a: 1 })])
  await database.admin(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and usename = '${SERVING}'`)
  await session.updateState({ b: 2 })
  await session.append({ type: 'x.load', content: 'without a key' })
  expect((await session.state()).scratchpad).toEqual({ a: 1, b: 2 })
  expect((await session.record()).head).toBe(4)
  await tl.close()
  await database.destroy()
})

describe('a server that hangs', () => {
  let tl: Throughline
  let session: Session
  beforeAll(async () => {
    tl = await open((await newDatabase({ timeout: String(TIMEOUT) }, proxy.port)).href)
    session = await tl.sessions.create({ userId: 'ada' })
  })

  it('makes every call fail with STORAGE in bounded time, and serves again once it is back', async () => {
    const tail = session.tail({ after: 0 })[Symbol.asyncIterator]()
    await tail.next()
    proxy.hang()
    const start = performance.now()
    const failed = await Promise.all([
      expectError('STORAGE', session.append({ type: 'x.load', content: 'without a key' })),
      expectError('STORAGE', session.append({ type: 'x.load', content: 'with a key' }, { idempotencyKey: 'key' })),
      expectError('STORAGE', session.clear()),
      expectError('STORAGE', session.events()),
      expectError('STORAGE', tl.sessions.create({ userId: 'eve' })),
      expectError('STORAGE', tl.health()),
    ])
    const took = performance.now() - start
    for (const { message } of failed) expect(message).toMatch(/timeout/)
    proxy.resume()
    await session.append({ type: 'x.load', content: 'with a key' }, { idempotencyKey: 'key' })
    await session.append({ type: 'x.load', content: 'afterwards' })
    const contents = (await session.events()).map(({ content }) => content)
    expect(contents.filter((content) => content === 'with a key')).toHaveLength(1)
    expect(contents.at(-1)).toBe('afterwards')
    await tail.return?.()
    // one statement on this side, and the time to get a connection for the next of the same call
    expect(took).toBeLessThan(2 * (TIMEOUT + 1000) + 3 * TIMEOUT + 1000)
    printFigure(`a server that hangs: six calls failed with STORAGE after ${took.toFixed(0)} ms, at timeout=${TIMEOUT}`)
  })

  it('fails waiting appends together, not one after the other', async () => {
    for (const hang of [() => proxy.hang(), () => proxy.hang('established')]) {
      await session.append({ type: 'x.load', content: 'before' })
      hang()
      const start = performance.now()
      const appends = upTo(30).map((n) => session.append({ type: 'x.load', content: `${n}` }))
      for (const result of await Promise.allSettled(appends))
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'STORAGE' })
      const took = performance.now() - start
      proxy.resume()
      expect(took).toBeLessThan(2 * (TIMEOUT + 1000) + 3 * TIMEOUT + 1000)
    }
  })

  it('does not fail an append with a key when only its connection has died', async () => {
    proxy.hang('established')
    const [event] = await session.append({ type: 'x.load', content: 'kept' }, { idempotencyKey: 'kept' })
    proxy.resume()
    const kept = (await session.events({ types: ['x.load'] })).filter(({ content }) => content === 'kept')
    expect(kept.map(({ sequence }) => sequence)).toEqual([event?.sequence])
  })

  it('does not block close()', async () => {
    const tail = session.tail({ after: 0 })[Symbol.asyncIterator]()
    await tail.next()
    const listening = `select count(*)::integer as n from pg_stat_activity where query = 'listen throughline'`
    const admin = (await databases.create()).admin
    // one that was left hanging before may still be there
    await expect.poll(async () => (await admin(listening))[0]?.['n'], { timeout: 5000 }).toBeGreaterThan(0)
    proxy.hang()
    await tl.close()
    proxy.resume()
  })
})

it('serves 50 calls at once with one connection', async () => {
  const tl = await open((await newDatabase({ pool: '1' })).href)
  const session = await tl.sessions.create({ userId: 'ada' })
  const calls = upTo(50).map(async (n) => {
    if (n % 5 === 0) return await session.events()
    if (n % 5 === 1) return await session.clear()
    return await session.append({ type: 'x.load', content: `call ${n}` })
  })
  await Promise.all(calls)
  const loads = await session.events({ types: ['x.load'] })
  expect(new Set(loads.map(({ content }) => content)).size).toBe(30)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
})

describe('a connection error says what to do', () => {
  it('names a wrong password', async () => {
    const database = await databases.create()
    await database.admin(`create role locked login password 'right'`)
    await database.admin('grant throughline_app to locked')
    await server.requirePassword('locked')
    const url = new URL(database.url('locked'))
    url.password = 'right'
    await (await open(url.href)).close()
    url.password = 'wrong'
    const { message } = await expectError('STORAGE', open(url.href))
    expect(message).toMatch(/password authentication failed.*check user and password/)
    expect(message).not.toContain('wrong')
  })

  it('names a missing role, and one without permission', async () => {
    const database = await databases.create()
    const { message } = await expectError('STORAGE', open(database.url('nobody_here')))
    expect(message).toMatch(/role "nobody_here" does not exist.*check user and password/)
    await database.admin('create role stranger login')
    const stranger = await expectError('STORAGE', open(database.url('stranger')))
    expect(stranger.message).toMatch(/permission denied.*member of throughline_app/)
  })

  it('names a missing database', async () => {
    const url = await newDatabase()
    url.pathname = '/nothing_here'
    const { message } = await expectError('STORAGE', open(url.href))
    expect(message).toMatch(/database "nothing_here" does not exist.*create the database first/)
  })

  it('names an unreachable server after some attempts', async () => {
    const gone = await startFaultyNetwork(server.port)
    await gone.stop()
    const url = await newDatabase({ timeout: '200' }, gone.port)
    const start = performance.now()
    const { message } = await expectError('STORAGE', open(url.href))
    expect(message).toMatch(/ECONNREFUSED.*is the server running/)
    expect(performance.now() - start).toBeGreaterThan(400)
  })

  it('names an unknown host', async () => {
    const { message } = await expectError('STORAGE', open('postgres://nobody@no-such-host.invalid/x?timeout=200'))
    expect(message).toMatch(/no-such-host\.invalid/)
  })
})

it('decides once for a key, however often the connection is cut', { timeout: 600_000 }, async () => {
  const url = await newDatabase({}, proxy.port)
  const tl = await open(url.href)
  const session = await tl.sessions.create({ userId: 'ada' })
  const counting = async () => {
    for (const n of upTo(CUTS)) {
      const cut = proxy.cutAt(n % 3 === 0 ? 'request' : 'reply', 1 + (n % 4))
      const counted = session.incrementState('n', 1, { idempotencyKey: `${n}` })
      // what comes under lock after a conflict is not sent again by the store: the caller does, with its key
      const { scratchpad } = await counted.catch(() => session.incrementState('n', 1, { idempotencyKey: `${n}` }))
      expect(scratchpad['n']).toBe(n)
      while ((await Promise.race([cut.then(() => 'done'), session.state()])) !== 'done') {}
    }
  }
  await counting()
  expect((await session.state()).version).toBe(CUTS)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
})
