import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { uuid7 } from '../../src/ids.ts'
import { type OpenOptions, open, type Session, type SweepReport, type Throughline } from '../../src/index.ts'
import { openOn } from '../../src/open/open.ts'
import { NOON, upTo } from '../../src/stores/conformance/samples.ts'
import { memoryStore } from '../../src/stores/memory/index.ts'
import { commitHash } from '../commit-hash.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import type { SweepJob } from './sweep-child.ts'

const CHILD = new URL('./sweep-child.ts', import.meta.url)
const SWEEPERS = amount(3, 6)
const COMING_BACK = 2
const SESSIONS = amount(30, 2000)
const FRESH = 20
const NOW = Date.parse(NOON)
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Sessions with something said in each, as they were so long before the sweep. */
async function started(target: OpenOptions, ago: number, count: number, expiresInMs?: number): Promise<string[]> {
  const tl = await open({ ...target, clock: { now: () => NOW - ago } })
  const made = upTo(count).map(async (n) => {
    const life = expiresInMs === undefined ? {} : { expiresInMs }
    const session = await tl.sessions.create({ userId: `user ${n} ${ago}`, ...life })
    await session.append({ type: 'model_message', content: `I work on ${n}.` })
    return session.id
  })
  const ids = await Promise.all(made)
  await tl.close()
  return ids
}

interface Spoken {
  id: string
  outcome: string
}

/** All at once: processes that sweep, and processes that speak up in sessions that the others are about to end. */
async function race(target: OpenOptions, back: readonly string[]) {
  const sweepers = upTo(SWEEPERS).map(() => startChild(CHILD, { target, at: NOW } satisfies SweepJob))
  const users = upTo(COMING_BACK).map((n) => {
    const mine = back.filter((_, i) => i % COMING_BACK === n - 1)
    // sweepers go by id among those of one minute, so one user meets them head on and the other goes along
    const order = n % 2 === 0 ? mine.toSorted() : mine.toSorted().reverse()
    return startChild(CHILD, { target, at: NOW, back: order } satisfies SweepJob)
  })
  const all = [...sweepers, ...users]
  await Promise.all(all.map((child) => child.printed(1)))
  const start = performance.now()
  for (const child of all) child.go()
  await Promise.all(all.map(({ done }) => done))
  const seconds = (performance.now() - start) / 1000
  const reports = sweepers.map(({ lines }) => lines[1] as SweepReport)
  const spoken = users.flatMap(({ lines }) => lines.slice(1) as Spoken[])
  return { reports, spoken, seconds }
}

const typesIn = async (session: Session) => (await session.events({ limit: 500 })).map(({ type }) => type)

/** Ended once, with one commit of all before it. */
async function checkEnded(tl: Throughline, id: string): Promise<void> {
  const session = await tl.sessions.get(id)
  const { status, head, conversationId } = await session.record()
  expect(status).toEqual({ state: 'aborted', reason: 'Session expired', cause: 'expired' })
  expect(await typesIn(session)).toEqual([
    'session_started',
    'model_message',
    'work_committed',
    'status_changed',
    'session_compacted',
  ])
  const { items } = await tl.conversations.commits(conversationId)
  expect(items).toMatchObject([{ sessionId: id, position: 1, kind: 'stale', range: { from: 1, to: head - 1 } }])
  expect(items[0]?.hash).toBe(await commitHash(session, { from: 1, to: head - 1 }))
}

async function checkLive(tl: Throughline, id: string, types: readonly string[]): Promise<void> {
  const session = await tl.sessions.get(id)
  expect(await typesIn(session), id).toEqual(types)
  expect((await session.record()).status).toEqual({ state: 'running' })
}

async function sweptOnce(store: string, target: OpenOptions): Promise<void> {
  const stale = await started(target, 8 * DAY, Math.ceil(SESSIONS * 0.75))
  const expired = await started(target, HOUR, SESSIONS - stale.length, 60_000)
  const fresh = await started(target, 6 * DAY, FRESH)
  const { reports, spoken, seconds } = await race(
    target,
    stale.filter((_, i) => i % 3 === 0),
  )

  const tl = await open({ ...target, clock: { now: () => NOW } })
  const back = spoken.filter(({ outcome }) => outcome === 'back').map(({ id }) => id)
  const late = spoken.filter(({ outcome }) => outcome === 'SESSION_ENDED')
  expect(back.length + late.length).toBe(spoken.length)
  const ended = [...stale, ...expired].filter((id) => !back.includes(id))
  for (const id of back) await checkLive(tl, id, ['session_started', 'model_message', 'user_message'])
  for (const id of fresh) await checkLive(tl, id, ['session_started', 'model_message'])
  for (const id of ended) await checkEnded(tl, id)
  for (const of of ['swept', 'compacted'] as const) {
    expect(reports.reduce((sum, report) => sum + report[of], 0)).toBe(ended.length)
  }
  expect(await tl.sweep()).toEqual({ swept: 0, compacted: 0, failed: 0, forgotten: 0 })
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
  const shares = reports.map(({ swept }) => swept).join(' + ')
  printFigure(
    `${SWEEPERS} sweepers on ${store}: ${shares} of ${stale.length + expired.length} sessions ended once each, ` +
      `${back.length} came back and live, ${late.length} came too late, ${seconds.toFixed(1)} s`,
  )
}

it('ends each stale session once, on SQLite', { timeout: 900_000 }, async () => {
  await withDatabaseFile((path) => sweptOnce('sqlite', { url: `sqlite:${path}`, durability: 'relaxed' }))
})

it('continues after a batch in which every user returned', async () => {
  const store = memoryStore(uuid7)
  let now = NOW - 8 * DAY
  const clock = { now: () => now }
  const tl = openOn(store, { clock })
  const made = await Promise.all(upTo(150).map((n) => tl.sessions.create({ userId: `user ${n}` })))
  now = NOW
  let back: string[] | undefined
  const sweeper = openOn(
    {
      ...store,
      async due(query) {
        const ids = await store.due(query)
        if (back === undefined) {
          back = ids
          const sessions = await Promise.all(ids.map((id) => tl.sessions.get(id)))
          await Promise.all(sessions.map((one) => one.append({ type: 'user_message', content: 'I am back.' })))
        }
        return ids
      },
    },
    { clock },
  )
  const report = await sweeper.sweep()
  expect(report.swept).toBe(made.length - (back?.length ?? 0))
  await tl.close()
})

describe.each(inject('postgres').slice(0, 1))('on $name', ({ name, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it('ends each stale session once', { timeout: 900_000 }, async () => {
    const database = await databases.create()
    await sweptOnce(name, { url: database.url(SERVING) })
    await database.destroy()
  })

  it('does not end a session whose user writes between the check and the decision', async () => {
    const database = await databases.create()
    const target = { url: database.url(SERVING) }
    const [id = ''] = await started(target, 8 * DAY, 1)
    const [sweeper, user] = await Promise.all(upTo(2).map(() => open({ ...target, clock: { now: () => NOW } })))
    const session = await user?.sessions.get(id)
    const driver = pg.Client.prototype as unknown as { query(statement: { name?: string }, told: unknown): unknown }
    const { query } = driver
    let said: Promise<unknown> | undefined
    driver.query = function (statement, told) {
      const send = () => query.call(this, statement, told)
      if (statement.name !== 'decide' || said !== undefined) return send()
      said = session?.append({ type: 'user_message', content: 'I am back.' })
      return said?.then(send)
    }
    try {
      expect(await sweeper?.sweep()).toEqual({ swept: 0, compacted: 0, failed: 0, forgotten: 0 })
      expect(await said).toHaveLength(1)
    } finally {
      driver.query = query
    }
    if (user !== undefined) await checkLive(user, id, ['session_started', 'model_message', 'user_message'])
    await Promise.all([sweeper?.close(), user?.close()])
    await database.destroy()
  })
})
