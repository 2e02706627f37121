import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { redisCache } from '../../src/cache/redis/index.ts'
import { openOn } from '../../src/open/open.ts'
import type { CacheEntry, EnvelopeCache } from '../../src/ports/envelope-cache.ts'
import { postgresStore } from '../../src/stores/postgres/index.ts'

/** Some loops of one process on one session: they read its envelope, write it now and then, and add a message. */
export interface EnvelopeJob {
  store: string
  redis: string
  /** Database with the table `told`, as its owner. */
  shared: string
  sessionId: string
  loops: number
  forMs: number
  /** Share of writes among the rounds. */
  writes: number
  leaseMs: number
  /** Number of a lock: whoever gets it knows that all loops of all processes have ended. */
  quiet: number
}

/** Each write has a token of its own; the log says afterwards which is newer. */
export interface EnvelopeRaceReport {
  /** What this process was told, by writes and reads, in this order. */
  told: string[]
  reads: EnvelopeRead[]
  /** What writes gave that was not what they wrote. */
  wrong: { wrote: string; got: string }[]
  /** Versions under which the cache was given each token. */
  versions: [token: string, version: number][]
  /** What was read when all was quiet. */
  quiet: string[]
  appended: number
  counted: Record<string, number>
}

/** A read, and the values returned before it started: the last row of the table, and those of this process. */
export interface EnvelopeRead {
  got: string
  shared: number
  own: number
}

const job = JSON.parse(process.argv[2] ?? '') as EnvelopeJob
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const report: EnvelopeRaceReport = {
  told: [],
  reads: [],
  wrong: [],
  versions: [],
  quiet: [],
  appended: 0,
  counted: {},
}
const count = (operation: string, result: string) => {
  const name = `${operation} ${result}`
  report.counted[name] = (report.counted[name] ?? 0) + 1
}

/** Delays of the race: some steps follow at once, others after up to more than the life of a short lease. */
const pause = (share: number) => (Math.random() < share ? delay(Math.random() * 30) : Promise.resolve())

/**
 * The same cache with pauses that let others run: after a miss, before the fill, and between commit and invalidation.
 */
function slow(cache: EnvelopeCache): EnvelopeCache {
  const keep = ({ value, version }: CacheEntry) => report.versions.push([tokenIn(JSON.parse(value)), version])
  return {
    ...cache,
    async get(id) {
      const cached = await cache.get(id)
      if (cached.value === undefined) await pause(0.3)
      return cached
    },
    async fill(id, entry, lease) {
      keep(entry)
      await pause(0.6)
      return await cache.fill(id, entry, lease)
    },
    async wrote(id, entry) {
      keep(entry)
      await pause(0.5)
      await cache.wrote(id, entry)
    },
  }
}

const tokenIn = ({ metadata }: { metadata: { [key: string]: unknown } }) => String(metadata['token'] ?? '')

// nothing is to fail here: failures have tests of their own, and promise less
const patient = { ttlSeconds: 1, leaseMs: job.leaseMs, commandTimeoutMs: 60_000 }
const cache = await redisCache({ url: job.redis, ...patient, events: { count } })
const tl = openOn(await postgresStore({ url: job.store, migrate: false }), { index: false }, { cache: slow(cache) })
const session = await tl.sessions.get(job.sessionId)
const table = new pg.Pool({ connectionString: job.shared, max: job.loops })

const isTold = new Set<string>()

async function tell(token: string): Promise<void> {
  report.told.push(token)
  if (isTold.has(token)) return
  isTold.add(token)
  await table.query({ name: 'tell', text: 'insert into told (token) values ($1)', values: [token] })
}

async function read(): Promise<void> {
  const { rows } = await table.query({ name: 'known', text: 'select coalesce(max(id), 0)::integer as id from told' })
  const own = report.told.length
  const got = tokenIn(await session.envelope())
  report.reads.push({ got, shared: rows[0].id, own })
  await tell(got)
}

let written = 0

/** Some are sent twice at once, and again later, as by a caller who got no answer. */
async function write(): Promise<void> {
  const token = `${process.pid} ${written++}`
  const sent = { metadata: { token } }
  const send = async (...options: { idempotencyKey: string }[]) => {
    const got = tokenIn(await session.updateEnvelope(sent, ...options))
    if (got !== token) report.wrong.push({ wrote: token, got })
  }
  if (Math.random() < 0.7) return void (await send().then(() => tell(token)))
  const key = { idempotencyKey: token }
  await Promise.all([send(key), send(key)])
  await tell(token)
  await pause(0.5)
  await send(key)
}

async function loop(until: number): Promise<void> {
  while (performance.now() < until) {
    // so that at times there is a crowd, and at times hardly anyone
    await pause(0.5)
    const dice = Math.random()
    if (dice < job.writes) await write()
    else if (dice < 0.95) await read()
    else {
      // moves the head of the log behind the envelope's back
      await session.append({ type: 'user_message', content: 'Hello' })
      report.appended++
    }
  }
}

// code that is still cold would take the first seconds
for (let n = 0; n < 20; n++) await session.envelope()
print('ready')
await text(process.stdin)
const until = performance.now() + job.forMs
await Promise.all(Array.from({ length: job.loops }, () => loop(until)))
print('done')
await table.query('select pg_advisory_lock_shared($1)', [job.quiet])
// most likely a miss at first, a hit at last
for (let n = 0; n < 3; n++) report.quiet.push(tokenIn(await session.envelope()))
print(report)
await tl.close()
await table.end()
