import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'

const SESSIONS = 20
const EVENTS = amount(2_000, 1_000_000)
const TABLES = [
  'sessions',
  'session_slots',
  'session_state',
  'session_events',
  'session_types',
  'session_keys',
  'session_edges',
  'session_work_marks',
]

/** Fills a store for one user, purges the user, and gives the seconds that took. */
async function purged(tl: Throughline): Promise<number> {
  const content = 'Something of ordinary length that was said or done. '.repeat(4)
  const each = EVENTS / SESSIONS
  for (let i = 0; i < SESSIONS; i++) {
    const session = await tl.sessions.create({ userId: 'ada', metadata: { mark: 'to-be-purged' } })
    for (let left = each - 1; left > 0; left -= 1000) {
      await session.append(Array.from({ length: Math.min(1000, left) }, () => ({ type: 'x.mark', content })))
    }
  }
  const kept = await tl.sessions.create({ userId: 'bob' })
  const start = performance.now()
  const receipt = await tl.users.purge('ada')
  const seconds = (performance.now() - start) / 1000
  expect(receipt).toMatchObject({ sessions: SESSIONS, events: EVENTS, keys: 0 })
  expect((await kept.record()).head).toBe(1)
  expect((await tl.verify()).events).toBe(1)
  return seconds
}

const told = (store: string, seconds: number) =>
  printFigure(`purge of a user with ${EVENTS.toLocaleString('en')} events on ${store}: ${seconds.toFixed(1)} s`)

it('purges a user with many events from SQLite', { timeout: 900_000 }, async () => {
  await withDatabaseFile(async (path) => {
    const tl = await open({ url: `sqlite:${path}`, durability: 'relaxed' })
    told('sqlite', await purged(tl))
    await tl.close()
  })
})

describe.each(inject('postgres').slice(0, 1))('on $name', ({ name, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it('purges a user with many events, and leaves nothing in any table', { timeout: 900_000 }, async () => {
    const database = await databases.create()
    const tl = await open(database.url(SERVING))
    told(name, await purged(tl))
    await tl.close()
    for (const table of TABLES) {
      const left = await database.admin(`select * from context.${table}`)
      expect(JSON.stringify(left), table).not.toMatch(/"ada"|purged|x\.mark/)
      expect(left.length, table).toBeLessThanOrEqual(1)
    }
    await database.destroy()
  })
})
