import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { amount, printFigure } from '../proof.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../servers/database.ts'
import { type RedisServer, startRedis } from '../servers/redis.ts'
import { type EnvelopeLoad, startLoad } from './envelope-load.ts'

const STORES = 2
const SESSIONS = 40
const LOOPS = 12
/** How long each phase lasts, in milliseconds. */
const LENGTH = amount(400, 10_000)
/**
 * A call that takes longer is stuck: the cache's own limits are a tenth of a second for a read, a second for a write.
 */
const STUCK = 5000

let databases: Databases
let database: TestDatabase
let redis: RedisServer
let load: EnvelopeLoad
const stores: Throughline[] = []
const registries = upTo(STORES).map(() => new Registry())

beforeAll(async () => {
  databases = await databasesOf(inject('postgres')[0]?.url ?? '')
  database = await databases.create()
  redis = await startRedis()
  // as if in processes of their own: each has its connections, and finds out by itself how Redis is
  for (const metrics of registries) {
    stores.push(await open({ url: database.url(SERVING), cache: redis.url, metrics, index: false }))
  }
  load = await startLoad(stores, SESSIONS, LOOPS)
})
afterAll(async () => {
  await load?.stop()
  for (const store of stores) await store.close()
  await redis?.stop()
  await database?.destroy()
  await databases?.close()
})

type Counts = Record<string, number>

/** What became of questions to the cache so far, as `operation result`. */
async function countsOf(registry: Registry): Promise<Counts> {
  const metrics = (await registry.getMetricsAsJSON()) as { name: string; values: Sample[] }[]
  const events = metrics.find(({ name }) => name === 'session_envelope_cache_events_total')?.values ?? []
  return Object.fromEntries(events.map(({ labels, value }) => [`${labels['operation']} ${labels['result']}`, value]))
}

interface Sample {
  value: number
  labels: Record<string, string>
}

async function allCounts(): Promise<Counts> {
  const sum: Counts = {}
  for (const counts of await Promise.all(registries.map(countsOf))) {
    for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value
  }
  return sum
}

/** Polls until the condition holds. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10)
}

/** Waits until every store gets cache hits again, then checks all envelopes. */
async function recovered(): Promise<void> {
  const hits = async () => (await Promise.all(registries.map(countsOf))).map((counts) => counts['get hit'] ?? 0)
  const before = await hits()
  await until(async () => (await hits()).every((count, n) => count >= (before[n] ?? 0) + 20))
  await load.readAll()
}

/** Makes the server save its data, then writes newer envelopes, so that it restarts with old ones. */
async function grewOld(): Promise<void> {
  await redis.command('SAVE')
  const { written } = load
  await until(() => load.written >= written + SESSIONS)
}

interface Phase {
  name: string
  /** In milliseconds, if not {@link LENGTH}. */
  lasts?: number
  before?(): Promise<void>
  begin?(): unknown
  /** Repeated until the time is over. */
  during?(): Promise<unknown>
  end?(): unknown
  /** Counters that must have grown, otherwise nothing was tested. */
  shows: string[]
}

const PHASES: Phase[] = [
  { name: 'healthy', shows: ['get hit', 'write written'] },
  {
    name: 'flushed',
    during: async () => {
      await redis.command('FLUSHALL')
      await delay(Math.random() * 50)
    },
    shows: ['get hit', 'get miss', 'fill filled'],
  },
  {
    name: 'full',
    begin: () => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
    end: () => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
    shows: ['get error', 'write error'],
  },
  {
    name: 'paused',
    // long enough for writes to give up
    lasts: Math.max(LENGTH, 1500),
    begin: () => redis.pause(),
    end: () => redis.resume(),
    shows: ['get error', 'get skipped', 'write skipped'],
  },
  {
    name: 'stopped',
    before: grewOld,
    begin: () => redis.crash(),
    end: () => redis.start(),
    shows: ['get error', 'get skipped', 'write skipped'],
  },
  {
    name: 'restarted',
    during: async () => {
      load.rest(false)
      await grewOld()
      load.rest(true)
      await redis.crash()
      await redis.start()
      await recovered()
    },
    shows: ['get hit', 'get miss', 'get error', 'get skipped'],
  },
]

async function run({ name, lasts = LENGTH, before: prepare, begin, during, end, shows }: Phase): Promise<void> {
  load.rest(false)
  await prepare?.()
  const before = await allCounts()
  load.part(name)
  await begin?.()
  const over = performance.now() + lasts
  if (during === undefined) await delay(lasts)
  else while (performance.now() < over) await during()
  load.part('recovering')
  load.rest(true)
  await end?.()
  const after = await allCounts()
  const moved: Counts = {}
  for (const [event, value] of Object.entries(after)) {
    if (value > (before[event] ?? 0)) moved[event] = value - (before[event] ?? 0)
  }
  await recovered()
  expect(load.problems).toEqual([])
  for (const event of shows) expect(moved, name).toHaveProperty(event)
  report(name, moved)
}

function report(name: string, moved: Counts): void {
  const times = ['read', 'write'].map((act) => {
    const { calls, p50, p99, most } = timesOf(`${name} ${act}`)
    const ratio = p99 / timesOf(`healthy ${act}`).p99
    return (
      `${calls} ${act}s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (× ${ratio.toFixed(2)} of healthy), ` +
      `longest ${most.toFixed(0)} ms`
    )
  })
  const counts = Object.entries(moved).map(([event, times]) => `${event} ${times}`)
  printFigure(`Redis ${name}: ${times.join('; ')}; ${counts.join(', ')}`)
}

function timesOf(part: string) {
  const sorted = load.calls.get(part)?.toSorted((a, b) => a - b) ?? []
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { calls: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}

it('returns no stale envelope, no error and no stuck call, whatever the state of Redis', {
  timeout: 900_000,
}, async () => {
  load.part('recovering')
  await recovered()
  for (const phase of PHASES) await run(phase)
  await load.stop()
  expect(load.problems).toEqual([])
  for (const part of load.calls.keys()) expect(timesOf(part).most, part).toBeLessThan(STUCK)
})

it('returns no stale envelope while Redis stalls for about as long as a read waits', { timeout: 120_000 }, async () => {
  // few of both, so that nobody notices for long: with more the caches soon ask for nothing
  // while a writer waits for a stalled cache, others may read its unacknowledged value from the store
  const few = await startLoad(stores, 6, 5, 'acknowledged')
  few.part('stalling')
  const over = performance.now() + amount(2000, 20_000)
  let stalls = 0
  for (; performance.now() < over; stalls++) {
    redis.pause()
    await delay(90 + Math.random() * 40)
    redis.resume()
    await delay(50 + Math.random() * 100)
  }
  await few.readAll()
  await few.stop()
  expect(few.problems).toEqual([])
  const calls = [...few.calls.values()].reduce((sum, times) => sum + times.length, 0)
  printFigure(`Redis stalled ${stalls} times for about 0.1 s: ${calls} calls, nothing old, no error`)
})
