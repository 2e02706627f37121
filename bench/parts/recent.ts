import { open } from '../../dist/index.js'
import { messages, reading } from '../load.ts'
import { alternate, type Competitor, type Result } from '../measure.ts'
import type { Places } from '../places.ts'
import type { RawLog } from '../raw/log.ts'
import { rawPostgres } from '../raw/postgres.ts'
import { rawSqlite } from '../raw/sqlite.ts'

export const RECENT_STORES = ['sqlite', 'postgres'] as const

type Store = (typeof RECENT_STORES)[number]

const READS = 300

/** R1: the last 30 turns (60 events) of logs of several lengths, for each length the raw competitor first. */
export async function recentPart(
  lengths: readonly number[],
  store: Store,
  rounds: number,
  places: Places,
): Promise<Result[]> {
  const competitors: Competitor[] = []
  for (const length of lengths) competitors.push(...(await COMPETITORS[store](length, places)))
  if (store === 'postgres') await (await places.postgres()).vacuum()
  const results = await alternate(competitors, rounds)
  await places.clear()
  return results
}

const COMPETITORS: Record<Store, (length: number, places: Places) => Promise<Competitor[]>> = {
  sqlite: async (length, places) => [
    await raw('better-sqlite3', rawSqlite(places.file(), 'normal'), length),
    await throughline(`sqlite:${places.file()}`, length),
  ],
  async postgres(length, places) {
    const server = await places.postgres()
    return [
      await raw('pg', await rawPostgres(await server.empty(), 1), length),
      await throughline(await server.served(), length),
    ]
  },
}

async function throughline(url: string, length: number): Promise<Competitor> {
  const tl = await open({ url, durability: 'relaxed' })
  const session = await tl.sessions.create({ userId: 'bench' })
  for (const some of messages(length)) await session.append(some)
  return {
    name: `throughline, ${length.toLocaleString('en')} events`,
    round: () => reading(READS, () => session.recent()),
    close: () => tl.close(),
  }
}

async function raw(name: string, log: RawLog, length: number): Promise<Competitor> {
  const sessionId = await log.create()
  for (const some of messages(length)) await log.fill(sessionId, some)
  return {
    name: `${name}, ${length.toLocaleString('en')} events`,
    round: () => reading(READS, () => log.last(sessionId, 60)),
    close: async () => log.close(),
  }
}
