import { open, type Session, type Throughline } from '../../dist/index.js'
import { partitionOf } from '../../src/domain/partition.ts'
import { startRedis } from '../../test/servers/redis.ts'
import type { Databases } from '../databases.ts'
import { pg, Redis } from '../drivers.ts'
import { runWriters, WORK, type Workload } from '../load.ts'
import { type Competitor, measureInTurns } from '../measure.ts'
import type { Part } from '../part.ts'
import { pinProcesses } from '../processes.ts'
import type { Row } from '../table.ts'
import type { Workspace } from '../workspace.ts'

const PARTITION = partitionOf('local', 'bench')
const SELECT = {
  name: 'envelope',
  text: 'select * from context.session_envelopes where partition = $1 and session_id = $2',
}

/** About a kilobyte as JSON. */
const METADATA = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`key${n}`, 'a value that says something '.repeat(2)]),
)

/** R3: reads of envelopes with the cache and without it, and writes; by one caller and by 32. */
export const ENVELOPE: Part = {
  name: 'envelope',
  stores: ['postgres'],
  async *run({ rounds, places }) {
    for (const work of [WORK.W1, WORK.W2]) {
      const alone = work.writers === 1
      const id = alone ? 'R3' : `R3 × ${work.writers}`
      const title = `envelope, ${alone ? 'one caller' : `${work.writers} callers`}`
      // many callers are bound by one process, so the rate counts there
      const by = alone ? 'time' : 'rate'
      yield { id, title: `${title}: reads`, by, rows: await envelopeReads(work, rounds, places) }
      yield { id: `${id} writes`, title: `${title}: writes`, by, rows: await envelopeWrites(work, rounds, places) }
    }
  },
}

/** The raw row comes first: Redis with the cache, Postgres without it. */
function envelopeReads(work: Workload, rounds: number, places: Workspace): Promise<Row[]> {
  return measured(work, rounds, places, async (databases, redis) => [
    await rawGet(redis, work),
    await cachedReads(await opened(await databases.served(), work, redis), redis, work),
    await rawSelect(await databases.empty(), work),
    reads('Throughline, no cache', 'pg select', await opened(await databases.served(), work), work),
  ])
}

/** Writes, without the cache and with it. */
function envelopeWrites(work: Workload, rounds: number, places: Workspace): Promise<Row[]> {
  return measured(work, rounds, places, async (databases, redis) => [
    writes('Throughline, no cache', await opened(await databases.served(), work), work),
    writes('Throughline, cache', await opened(await databases.served(), work, redis), work),
  ])
}

/** Uses the Redis of `REDIS_URL` if set, else starts one. */
async function measured(
  { writers }: Workload,
  rounds: number,
  places: Workspace,
  competitors: (databases: Databases, redis: string) => Promise<Competitor[]>,
): Promise<Row[]> {
  const given = process.env['REDIS_URL']
  const redis = given === undefined ? await startRedis() : undefined
  const ended = () => void redis?.crash()
  process.once('exit', ended)
  const databases = await places.postgres()
  const apart = async (are: boolean) => {
    if (writers > 1) return
    await databases.separate(are)
    const told = /process_id:(\d+)/.exec(`${await redis?.command('INFO', 'server')}`)
    if (told !== null) pinProcesses(Number(told[1]), are)
  }
  try {
    await apart(true)
    const all = await competitors(databases, redis?.url ?? given ?? '')
    await databases.vacuum()
    return await measureInTurns(all, rounds)
  } finally {
    await apart(false)
    await places.clear()
    await redis?.stop()
    process.off('exit', ended)
  }
}

interface Opened {
  tl: Throughline
  sessions: Session[]
}

async function opened(url: string, work: Workload, cache?: string): Promise<Opened> {
  const tl = await open({ url, ...(cache !== undefined && { cache }) })
  const sessions: Session[] = []
  for (let n = 0; n < work.sessions; n++)
    sessions.push(await tl.sessions.create({ userId: 'bench', metadata: METADATA }))
  return { tl, sessions }
}

/** The one whose turn it is. */
const at = <T>(list: readonly T[], n: number) => list[n % list.length] as T

function reads(name: string, base: string, { tl, sessions }: Opened, work: Workload): Competitor {
  return {
    ...{ name, kind: 'throughline', base },
    round: () => runWriters(work, (reader) => at(sessions, reader).envelope()),
    close: () => tl.close(),
  }
}

async function cachedReads(made: Opened, redis: string, work: Workload): Promise<Competitor> {
  const client = new Redis(redis)
  const plain = reads('Throughline, cache', 'ioredis GET', made, work)
  return {
    ...plain,
    async check() {
      // reads a value that only Redis has, so all reads were hits
      const key = keyOf(at(made.sessions, 0).id)
      const changed = { ...JSON.parse((await client.get(key)) ?? '{}'), persona_id: 'marked' }
      await client.set(key, JSON.stringify(changed), 'KEEPTTL')
      const { persona_id } = await at(made.sessions, 0).envelope()
      return persona_id === 'marked' ? 'from the cache' : 'not from the cache'
    },
    async close() {
      for (const { id } of made.sessions) await client.del(keyOf(id))
      client.disconnect()
      await plain.close()
    },
  }
}

function writes(name: string, { tl, sessions }: Opened, work: Workload): Competitor {
  let written = 0
  return {
    ...{ name, kind: 'throughline', base: 'Throughline, no cache' },
    round: async () => {
      const done = await runWriters(work, async (writer, i) => {
        await at(sessions, writer).updateEnvelope({ metadata: { key0: `${written} ${writer} ${i}` } })
      })
      written += done.operations
      return done
    },
    async check() {
      const { events, differences } = await tl.verify()
      const kept = events - sessions.length
      return kept === written && differences.length === 0 ? 'nothing lost' : `${written - kept} lost`
    },
    close: () => tl.close(),
  }
}

const keyOf = (id: string) => `session:${id}:meta`

/** `GET` of a value as large as an envelope, on one connection for all readers, like the cache. */
async function rawGet(url: string, work: Workload): Promise<Competitor> {
  const client = new Redis(url)
  const memory = await opened('memory:', work)
  const keys: string[] = []
  for (const session of memory.sessions) {
    const key = keyOf(session.id)
    await client.set(key, JSON.stringify(await session.envelope()), 'EX', 900)
    keys.push(key)
  }
  await memory.tl.close()
  return {
    ...{ name: 'ioredis GET', kind: 'raw', base: 'ioredis GET' },
    round: () => runWriters(work, (reader) => client.get(at(keys, reader))),
    async close() {
      for (const key of keys) await client.del(key)
      client.disconnect()
    },
  }
}

/** The row of an envelope by a prepared statement, as a role that bypasses row level security. */
async function rawSelect(url: string, work: Workload): Promise<Competitor> {
  await (await open({ url, migrate: true })).close()
  const { tl, sessions } = await opened(url, work)
  const pool = new pg.Pool({ connectionString: url, max: work.writers, idleTimeoutMillis: 0 })
  const select = (reader: number) => pool.query({ ...SELECT, values: [PARTITION, at(sessions, reader).id] })
  return {
    ...{ name: 'pg select', kind: 'raw', base: 'pg select' },
    round: () => runWriters(work, select),
    check: async () => ((await select(0)).rows.length === 1 ? '' : 'found nothing'),
    async close() {
      await pool.end()
      await tl.close()
    },
  }
}
