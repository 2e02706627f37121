import { open, type Session } from '../../dist/index.js'
import { message, type Work, writing } from '../load.ts'
import { alternate, type Competitor, type Result } from '../measure.ts'
import type { Places } from '../places.ts'
import type { RawLog } from '../raw/log.ts'
import { pgbench, pgbenchProgram } from '../raw/pgbench.ts'
import { rawPostgres } from '../raw/postgres.ts'
import { rawSqlite } from '../raw/sqlite.ts'

export const APPEND_STORES = ['sqlite', 'memory', 'postgres'] as const

type Store = (typeof APPEND_STORES)[number]

/** W1, W2, W3: one event per append, the raw competitor first. */
export async function appendPart(work: Work, store: Store, rounds: number, places: Places): Promise<Result[]> {
  const results = await alternate(await COMPETITORS[store](work, places), rounds)
  await places.clear()
  return results
}

const COMPETITORS: Record<Store, (work: Work, places: Places) => Promise<Competitor[]>> = {
  sqlite: async (work, places) => [
    await raw('better-sqlite3 FULL', rawSqlite(places.file(), 'full'), work),
    await raw('better-sqlite3 NORMAL', rawSqlite(places.file(), 'normal'), work),
    await throughline('throughline FULL', `sqlite:${places.file()}`, work),
    await throughline('throughline relaxed', `sqlite:${places.file()}`, work, 'relaxed'),
  ],
  memory: async (work) => [jsonArray(work), await throughline('throughline', 'memory:', work)],
  async postgres(work, places) {
    const server = await places.postgres()
    const program = pgbenchProgram()
    if (program === undefined)
      console.log(`${work.title} (postgres): there is no pgbench here, so its row is left out.`)
    return [
      await raw('pg', await rawPostgres(await server.empty(), work.writers), work),
      ...(program === undefined ? [] : [await pgbench(program, await server.empty(), work)]),
      await throughline('throughline', await server.served(), work),
    ]
  },
}

async function throughline(
  name: string,
  url: string,
  work: Work,
  durability: 'full' | 'relaxed' = 'full',
): Promise<Competitor> {
  const tl = await open({ url, durability })
  const sessions: Session[] = []
  for (let i = 0; i < work.sessions; i++) sessions.push(await tl.sessions.create({ userId: 'bench' }))
  const at = (writer: number) => sessions[writer % sessions.length] as Session
  let appended = 0
  return {
    name,
    round: async () => {
      const result = await writing(work, (writer, i) => at(writer).append(message(i)))
      appended += result.operations
      return result
    },
    async check() {
      const { events, differences } = await tl.verify()
      const kept = events - sessions.length
      return kept === appended && differences.length === 0 ? 'nothing lost' : `${appended - kept} lost`
    },
    close: () => tl.close(),
  }
}

async function raw(name: string, log: RawLog, work: Work): Promise<Competitor> {
  const sessions: string[] = []
  for (let i = 0; i < work.sessions; i++) sessions.push(await log.create())
  const at = (writer: number) => sessions[writer % sessions.length] as string
  return {
    name,
    round: () => writing(work, (writer, i) => log.append(at(writer), message(i))),
    close: async () => log.close(),
  }
}

/** The least that keeps an event in memory: one JSON text each. */
function jsonArray(work: Work): Competitor {
  let log: string[] = []
  return {
    name: 'array of JSON strings',
    round: async () => {
      log = []
      return await writing(work, async (_, i) => {
        log.push(JSON.stringify({ id: crypto.randomUUID(), sequence: log.length + 1, ...message(i), at: new Date() }))
      })
    },
    close: async () => {},
  }
}
