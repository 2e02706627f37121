import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { redisCache } from '../../src/cache/redis/index.ts'

/** Some loops of one process, each of which reads an entry again and again, or now and then writes it. */
export interface CacheJob {
  redis: string
  postgres: string
  /** Table with one row: `version`, and `known`, the newest version that anybody was ever told of. */
  table: string
  sessionId: string
  loops: number
  rounds: number
  /** Share of writes among the rounds. */
  writes: number
}

export interface CacheRaceReport {
  /** A read that gave less than somebody had been told of before it began. */
  violations: { floor: number; got: number; from: string }[]
  counted: Record<string, number>
}

const job = JSON.parse(process.argv[2] ?? '') as CacheJob
const { table, sessionId } = job
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const report: CacheRaceReport = { violations: [], counted: {} }
const count = (operation: string, result: string) => {
  const name = `${operation} ${result}`
  report.counted[name] = (report.counted[name] ?? 0) + 1
}

const pool = new pg.Pool({ connectionString: job.postgres, max: job.loops })
// nothing is to fail here: failures have tests of their own, and promise less
const cache = await redisCache({
  url: job.redis,
  ttlSeconds: 1,
  leaseMs: 40,
  commandTimeoutMs: 60_000,
  events: { count },
})
const sql = async (statement: string, ...values: unknown[]) => Number((await pool.query(statement, values)).rows[0]?.n)
const valueAt = (version: number) => JSON.stringify({ session_id: sessionId, version })

/** What the race is about: most steps follow at once, some after anything up to more than the life of a lease. */
const pause = () => (Math.random() < 0.6 ? Promise.resolve() : delay(Math.random() ** 3 * 60))

async function write(): Promise<number> {
  const version = await sql(`update ${table} set version = version + 1 returning version as n`)
  await pause()
  await cache.wrote(sessionId, { value: valueAt(version), version })
  return version
}

async function read(): Promise<{ got: number; from: string }> {
  const cached = await cache.get(sessionId)
  if (cached.value !== undefined) return { got: JSON.parse(cached.value).version, from: 'cache' }
  await pause()
  const version = await sql(`select version as n from ${table}`)
  await pause()
  await cache.fill(sessionId, { value: valueAt(version), version }, cached.lease)
  return { got: version, from: 'store' }
}

async function loop(): Promise<void> {
  for (let round = 0; round < job.rounds; round++) {
    const floor = await sql(`select known as n from ${table}`)
    let told: number
    if (Math.random() < job.writes) told = await write()
    else {
      const { got, from } = await read()
      if (got < floor) report.violations.push({ floor, got, from })
      told = got
    }
    await sql(`update ${table} set known = $1 where known < $1`, told)
  }
}

print('ready')
await text(process.stdin)
await Promise.all(Array.from({ length: job.loops }, loop))
print(report)
await cache.close()
await pool.end()
