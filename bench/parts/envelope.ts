import { Redis } from 'ioredis'
import pg from 'pg'
import { open, type Session, type Throughline } from '../../dist/index.js'
import { startRedis } from '../../test/servers/redis.ts'
import type { Databases } from '../databases.ts'
import { type Work, writing } from '../load.ts'
import { alternate, type Competitor, type Result } from '../measure.ts'
import type { Places } from '../places.ts'

export const ENVELOPE_STORES = ['postgres'] as const

const SELECT = { name: 'envelope', text: 'select * from context.session_envelopes where session_id = $1' }

/** About a kilobyte as JSON. */
const METADATA = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`key${n}`, 'a value that says something '.repeat(2)]),
)

/** R3: reads of envelopes. Of two rows each the raw one comes first: Redis, with the cache; Postgres, without it. */
export function envelopeReads(work: Work, rounds: number, places: Places): Promise<Result[]> {
  return measured(rounds, places, async (databases, redis) => [
    await rawGet(redis, work),
    await cachedReads(await opened(await databases.served(), work, redis), redis, work),
    await rawSelect(await databases.empty(), work),
    reads('throughline, no cache', await opened(await databases.served(), work), work),
  ])
}

/** Writes, without the cache and with it. */
export function envelopeWrites(work: Work, rounds: number, places: Places): Promise<Result[]> {
  return measured(rounds, places, async (databases, redis) => [
    writes('throughline, no cache', await opened(await databases.served(), work), work),
    writes('throughline, cache', await opened(await databases.served(), work, redis), work),
  ])
}

/** Redis is the one of `REDIS_URL` where set, else one of its own. */
async function measured(
  rounds: number,
  places: Places,
  competitors: (databases: Databases, redis: string) => Promise<Competitor[]>,
): Promise<Result[]> {
  const given = process.env['REDIS_URL']
  const redis = given === undefined ? await startRedis() : undefined
  const ended = () => void redis?.crash()
  process.once('exit', ended)
  try {
    const databases = await places.postgres()
    const all = await competitors(databases, redis?.url ?? given ?? '')
    await databases.vacuum()
    return await alternate(all, rounds)
  } finally {
    await places.clear()
    await redis?.stop()
    process.off('exit', ended)
  }
}

interface Opened {
  tl: Throughline
  sessions: Session[]
}

async function opened(url: string, work: Work, cache?: string): Promise<Opened> {
  const tl = await open({ url, ...(cache !== undefined && { cache }) })
  const sessions: Session[] = []
  for (let n = 0; n < work.sessions; n++)
    sessions.push(await tl.sessions.create({ userId: 'bench', metadata: METADATA }))
  return { tl, sessions }
}

/** The one whose turn it is. */
const at = <T>(list: readonly T[], n: number) => list[n % list.length] as T

function reads(name: string, { tl, sessions }: Opened, work: Work): Competitor {
  return {
    name,
    round: () => writing(work, (reader) => at(sessions, reader).envelope()),
    close: () => tl.close(),
  }
}

async function cachedReads(made: Opened, redis: string, work: Work): Promise<Competitor> {
  const client = new Redis(redis)
  const plain = reads('throughline, cache', made, work)
  return {
    ...plain,
    async check() {
      // what only Redis knows is read, so it was all hits
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

function writes(name: string, { tl, sessions }: Opened, work: Work): Competitor {
  let written = 0
  return {
    name,
    round: async () => {
      const done = await writing(work, async (writer, i) => {
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

/** `GET` of as many bytes as an envelope has, one connection for all readers, as the cache has. */
async function rawGet(url: string, work: Work): Promise<Competitor> {
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
    name: 'ioredis GET',
    round: () => writing(work, (reader) => client.get(at(keys, reader))),
    async close() {
      for (const key of keys) await client.del(key)
      client.disconnect()
    },
  }
}

/** The row of an envelope, by a prepared statement, as a role for which row level security does not count. */
async function rawSelect(url: string, work: Work): Promise<Competitor> {
  await (await open({ url, migrate: true })).close()
  const { tl, sessions } = await opened(url, work)
  const pool = new pg.Pool({ connectionString: url, max: work.writers, idleTimeoutMillis: 0 })
  const select = (reader: number) => pool.query({ ...SELECT, values: [at(sessions, reader).id] })
  return {
    name: 'pg select',
    round: () => writing(work, select),
    check: async () => ((await select(0)).rows.length === 1 ? '' : 'found nothing'),
    async close() {
      await pool.end()
      await tl.close()
    },
  }
}
