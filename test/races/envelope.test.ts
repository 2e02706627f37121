import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { open } from '../../src/index.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { amount, isProving, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../servers/database.ts'
import { type RedisServer, startRedis } from '../servers/redis.ts'
import { startRedisCluster } from '../servers/redis-cluster.ts'
import type { EnvelopeJob, EnvelopeRaceReport } from './envelope-child.ts'

const CHILD = new URL('./envelope-child.ts', import.meta.url)
const PROCESSES = amount(4, 8)
const SECONDS = amount(2, 30)
const LOOPS = 4
/** Number of the lock that is ours until all is quiet. */
const QUIET = 4748

let databases: Databases
beforeAll(async () => {
  databases = await databasesOf(inject('postgres')[0]?.url ?? '')
})
afterAll(() => databases.close())

/** Loses something until told to stop: everything, or one key alone as a server short of memory would. */
async function lose(nodes: readonly RedisServer[], sessionId: string, going: () => boolean) {
  const value = `session:${sessionId}:meta`
  const keys = [value, `{${value}}:version`, `{${value}}:lease`]
  const losses = { flushes: 0, keys: 0 }
  while (going()) {
    const key = keys[Math.floor(Math.random() * (keys.length + 2))]
    for (const node of nodes) {
      // the other nodes of a cluster say that the key is not theirs
      if (key === undefined) await node.command('FLUSHALL')
      else await node.command('DEL', key).catch(() => {})
    }
    if (key === undefined) losses.flushes++
    else losses.keys++
    await delay(Math.random() * 40)
  }
  return losses
}

/**
 * Runs the processes while Redis loses data. Returns their reports, and all returned values in the order of the
 * table.
 */
async function race(shape: Shape, nodes: readonly RedisServer[]) {
  const table = new pg.Client(shape.shared)
  await table.connect()
  try {
    await table.query('create table told (id integer generated always as identity primary key, token text not null)')
    await table.query('select pg_advisory_lock($1)', [QUIET])
    const { children, losses } = await ranUntilQuiet(shape, nodes)
    await table.query('select pg_advisory_unlock($1)', [QUIET])
    await Promise.all(children.map(({ done }) => done))
    const { rows } = await table.query<Told>('select id, token from told order by id')
    return { reports: children.map(({ lines }) => lines[2] as EnvelopeRaceReport), told: rows, losses }
  } finally {
    await table.end()
  }
}

type Shape = Pick<EnvelopeJob, 'store' | 'redis' | 'shared' | 'sessionId'>
type Told = { id: number; token: string }

async function ranUntilQuiet(shape: Shape, nodes: readonly RedisServer[]) {
  const children = upTo(PROCESSES).map((n) => {
    // some mostly read, some mostly write; the leases of some run out while they are at work
    const mix = { writes: n % 4 === 0 ? 0.5 : 0.1, leaseMs: n % 2 === 0 ? 20 : 5000 }
    const job = { ...shape, ...mix, loops: LOOPS, forMs: SECONDS * 1000, quiet: QUIET }
    return startChild(CHILD, job satisfies EnvelopeJob)
  })
  const all = (lines: number) => Promise.all(children.map((child) => child.printed(lines)))
  await all(1)
  let going = true
  const losing = lose(nodes, shape.sessionId, () => going)
  for (const child of children) child.go()
  await all(2).finally(() => {
    going = false
  })
  return { children, losses: await losing }
}

/** Sequence of the event that wrote each token. The envelope that the session begins with has none. */
async function sequencesOf(url: string, sessionId: string): Promise<Map<string, number>> {
  const tl = await open(url)
  const session = await tl.sessions.get(sessionId)
  const sequences = new Map([['', 1]])
  for (let after = 1; ; ) {
    const page = await session.events({ types: ['envelope_updated'], after, limit: 500 })
    for (const { parts, sequence } of page) {
      const { token } = (parts as { metadata: { token: string } }).metadata
      expect(sequences.has(token), `${token} is written once`).toBe(false)
      sequences.set(token, sequence)
    }
    after = page.at(-1)?.sequence ?? 0
    if (after === 0) break
  }
  const { differences } = await tl.verify()
  expect(differences).toEqual([])
  await tl.close()
  return sequences
}

/** Stale reads: older than a value returned before they started. */
function violationsIn(reports: readonly EnvelopeRaceReport[], told: readonly Told[], at: (token: string) => number) {
  const shared = new Map([[0, 1]])
  let newest = 1
  for (const { id, token } of told) {
    newest = Math.max(newest, at(token))
    shared.set(id, newest)
  }
  return reports.flatMap((report) => {
    // what this process knew after each thing that it was told
    const own = [1]
    for (const token of report.told) own.push(Math.max(own.at(-1) ?? 1, at(token)))
    return report.reads
      .map((read) => ({ got: at(read.got), own: own[read.own] ?? 0, shared: shared.get(read.shared) ?? 0 }))
      .filter((read) => read.got < read.own || read.got < read.shared)
  })
}

async function neverOlder(kind: string, database: TestDatabase, redis: string, nodes: readonly RedisServer[]) {
  const store = database.url(SERVING)
  const tl = await open(store)
  const { id: sessionId } = await tl.sessions.create({ userId: 'ada' })
  await tl.close()
  const { reports, told, losses } = await race({ store, redis, shared: database.url(), sessionId }, nodes)

  const sequences = await sequencesOf(store, sessionId)
  const at = (token: string) => sequences.get(token) ?? Number.NaN
  expect(told.map(({ token }) => token).filter((token) => !sequences.has(token))).toEqual([])
  expect(violationsIn(reports, told, at)).toEqual([])
  for (const { wrong, versions, quiet } of reports) {
    expect(wrong).toEqual([])
    expect(versions.filter(([token, version]) => at(token) !== version)).toEqual([])
    const [last] = [...sequences].at(-1) ?? []
    expect(quiet).toEqual([last, last, last])
  }
  const counted: Record<string, number> = {}
  for (const report of reports) {
    for (const [name, times] of Object.entries(report.counted)) counted[name] = (counted[name] ?? 0) + times
  }
  // else nothing was put to the proof
  for (const name of ['get hit', 'get miss', 'fill filled', 'fill refused', 'fill noted', 'write written']) {
    expect(counted[name], name).toBeGreaterThan(0)
  }
  for (const name of ['get error', 'fill error', 'write error']) expect(counted[name], name).toBeUndefined()
  const sum = (of: (report: EnvelopeRaceReport) => number) => reports.reduce((total, one) => total + of(one), 0)
  const figures = Object.entries(counted).map(([name, times]) => `${name} ${times}`)
  printFigure(
    `${PROCESSES} processes × ${LOOPS} loops for ${SECONDS} s on one envelope in Postgres and ${kind}: ` +
      `${sum(({ reads }) => reads.length)} reads, ${sequences.size - 1} writes, ${sum(({ appended }) => appended)} messages, ` +
      `${losses.flushes} flushes, ${losses.keys} keys lost: nothing old read (${figures.join(', ')})`,
  )
}

/** Single server always; the cluster too where there is time. */
for (const kind of isProving ? ['redis', 'redis cluster'] : ['redis']) {
  it(`never returns an envelope older than one already returned, on ${kind}`, { timeout: 900_000 }, async () => {
    const database = await databases.create()
    const single = kind === 'redis' ? await startRedis() : undefined
    const cluster = single === undefined ? await startRedisCluster() : undefined
    const nodes = single === undefined ? (cluster?.nodes ?? []) : [single]
    try {
      await neverOlder(kind, database, single?.url ?? cluster?.url ?? '', nodes)
    } finally {
      for (const node of nodes) await node.stop()
      await database.destroy()
    }
  })
}
