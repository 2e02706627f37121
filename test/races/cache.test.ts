import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { redisCache } from '../../src/cache/redis/index.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { amount, isProving, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type RedisServer, startRedis } from '../servers/redis.ts'
import { startRedisCluster } from '../servers/redis-cluster.ts'
import type { CacheJob, CacheRaceReport } from './cache-child.ts'

const CHILD = new URL('./cache-child.ts', import.meta.url)
const PROCESSES = amount(4, 8)
const ROUNDS = amount(80, 3000)
const LOOPS = 4
const SESSION = '01900000-0000-7000-8000-000000000001'
const VALUE = `session:${SESSION}:meta`

/** Loses something until told to stop: everything, or one key alone as a server short of memory would. */
async function lose(nodes: readonly RedisServer[], going: () => boolean): Promise<number> {
  const keys = [VALUE, `{${VALUE}}:version`, `{${VALUE}}:lease`]
  let losses = 0
  for (; going(); losses++) {
    const which = Math.floor(Math.random() * (keys.length + 2))
    const key = keys[which]
    for (const node of nodes) {
      // the other nodes of a cluster say that the key is not theirs
      if (key === undefined) await node.command('FLUSHALL')
      else await node.command('DEL', key).catch(() => {})
    }
    await delay(Math.random() * 30)
  }
  return losses
}

async function race(redis: string, nodes: readonly RedisServer[]) {
  const postgres = inject('postgres')[0]?.url ?? ''
  const table = `throughline_race_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  const store = new pg.Client(postgres)
  await store.connect()
  await store.query(`create table ${table} (version bigint, known bigint)`)
  await store.query(`insert into ${table} values (1, 1)`)
  const shared = { redis, postgres, table, sessionId: SESSION, loops: LOOPS, rounds: ROUNDS }
  const children = upTo(PROCESSES).map((n) =>
    // some mostly read, some mostly write
    startChild(CHILD, { ...shared, writes: n % 4 === 0 ? 0.6 : 0.05 } satisfies CacheJob),
  )
  await Promise.all(children.map((child) => child.printed(1)))
  const start = performance.now()
  let going = true
  const losing = lose(nodes, () => going)
  for (const child of children) child.go()
  try {
    await Promise.all(children.map(({ done }) => done))
  } finally {
    going = false
  }
  const seconds = (performance.now() - start) / 1000
  const losses = await losing
  const { rows } = await store.query(`select version::integer, known::integer from ${table}`)
  await store.query(`drop table ${table}`)
  await store.end()

  const reports = children.map(({ lines }) => lines[1] as CacheRaceReport)
  const counted: Record<string, number> = {}
  for (const report of reports) {
    for (const [name, times] of Object.entries(report.counted)) counted[name] = (counted[name] ?? 0) + times
  }
  // what is left now that all is quiet
  const cache = await redisCache({ url: redis, ttlSeconds: 60, commandTimeoutMs: 60_000, events: { count() {} } })
  const { value } = await cache.get(SESSION)
  await cache.close()
  const { version, known } = rows[0] as { version: number; known: number }
  return { violations: reports.flatMap((one) => one.violations), counted, version, known, value, losses, seconds }
}

/** Single server always; the cluster too where there is time. */
for (const kind of isProving ? ['redis', 'redis cluster'] : ['redis']) {
  it(`never reads a version older than one already returned, on ${kind}`, { timeout: 900_000 }, async () => {
    const single = kind === 'redis' ? await startRedis() : undefined
    const cluster = single === undefined ? await startRedisCluster() : undefined
    const nodes = single === undefined ? (cluster?.nodes ?? []) : [single]
    try {
      const { violations, counted, version, known, value, losses, seconds } = await race(
        single?.url ?? cluster?.url ?? '',
        nodes,
      )
      expect(violations).toEqual([])
      expect(known).toBe(version)
      if (value !== undefined) expect(JSON.parse(value)).toMatchObject({ version })
      // else nothing was put to the proof
      for (const name of ['get hit', 'get miss', 'fill filled', 'fill refused', 'fill noted', 'write written']) {
        expect(counted[name], name).toBeGreaterThan(0)
      }
      for (const name of ['get error', 'fill error', 'write error']) expect(counted[name], name).toBeUndefined()
      const figures = Object.entries(counted).map(([name, times]) => `${name} ${times}`)
      printFigure(
        `${PROCESSES} processes × ${LOOPS} loops × ${ROUNDS} rounds on one envelope in ${kind}, ${version - 1} writes, ` +
          `${losses} losses, ${seconds.toFixed(1)} s: nothing old read (${figures.join(', ')})`,
      )
    } finally {
      for (const node of nodes) await node.stop()
    }
  })
}
