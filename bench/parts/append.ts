import { batchedPostgres } from '../contenders/batched-postgres.ts'
import { pgbench, pgbenchProgram } from '../contenders/pgbench.ts'
import { caveatOf, type LineupEntry, lineupOf, targetOf } from '../lineup.ts'
import { message, runWriters, WORK, type Workload } from '../load.ts'
import { addLosses, describeLosses, lossesOf, markOf } from '../losses.ts'
import { type Competitor, measureInTurns, setUpCompetitor } from '../measure.ts'
import type { Part, PartOptions } from '../part.ts'
import { PROCESSES, startWriterProcesses } from '../writer-processes.ts'

/** In memory a round of the usual length would be over in milliseconds. */
const LONGER_IN_MEMORY = 20

/** Starting processes together takes a tenth of a second, so their rounds are longer and fewer. */
const APART = { ms: 1000, rounds: 5 }

/** W1 to W4: one event per append; every acknowledged event is looked up at the end. */
export const APPEND: Part = {
  name: 'append',
  stores: ['sqlite', 'postgres', 'memory'],
  async *run(setting) {
    const { store, quick, places } = setting
    for (const [id, usual] of Object.entries(WORK)) {
      const apart = id === 'W4'
      // processes share no memory
      if (apart && store === 'memory') continue
      const each = usual.each * (store === 'memory' ? LONGER_IN_MEMORY : 1) * (quick ? 0.25 : 1)
      const work: Workload = { ...usual, each }
      const rounds = apart ? Math.min(APART.rounds, setting.rounds) : setting.rounds
      const ms = quick ? setting.ms : APART.ms
      const alone = store === 'postgres' && work.writers === 1
      if (alone) await (await places.postgres()).separate(true)
      const competitors: Competitor[] = []
      for (const seat of lineupOf(store, setting.peers)) {
        const make = () => (apart ? startWriterProcesses({ ...setting, ms }, seat, work) : writers(setting, seat, work))
        competitors.push(await setUpCompetitor({ name: seat.entrant.name, kind: seat.kind, base: seat.base }, make))
      }
      if (store === 'postgres') competitors.splice(1, 0, ...(await limits(setting, work, apart)))
      yield { id, title: usual.title, by: 'rate', rows: await measureInTurns(competitors, rounds) }
      if (alone) await (await places.postgres()).separate(false)
      await places.clear()
    }
  },
}

/** The limits of the server: without a driver in Node, and with one statement for all waiting appends. */
async function limits(setting: PartOptions, work: Workload, apart: boolean): Promise<Competitor[]> {
  const found: Competitor[] = []
  const program = pgbenchProgram()
  if (program === undefined) {
    console.log(`${work.title}: there is no pgbench here, so its row is left out.`)
  } else {
    const url = await (await setting.places.postgres()).empty()
    found.push(await pgbench(program, url, work, { processes: apart ? PROCESSES : 1, seconds: 1 }))
  }
  if (!apart && work.writers > 1) {
    const entrant = batchedPostgres('pg, one statement for all')
    const base = 'pg'
    // its place is one of raw's
    const make = () => writers(setting, { kind: 'raw', entrant, base }, work)
    found.push(await setUpCompetitor({ name: entrant.name, kind: 'limit', base }, make))
  }
  return found
}

/** The writers of one process. */
async function writers(
  { store, ms, places }: PartOptions,
  seat: LineupEntry,
  work: Workload,
): Promise<Omit<Competitor, 'name' | 'kind'>> {
  const target = await targetOf(store, seat, places)
  const open = () => seat.entrant.open(target, { connections: work.writers })
  let contender = await open()
  const told = caveatOf(contender, store)
  const sessions: string[] = []
  for (let i = 0; i < work.sessions; i++) sessions.push(await contender.create())
  const at = (writer: number) => sessions[writer % sessions.length] as string
  const acknowledged = new Map<number, number>()

  async function append(writer: number): Promise<void> {
    const number = acknowledged.get(writer) ?? 0
    await contender.append(at(writer), message(number, markOf(writer, number)))
    acknowledged.set(writer, number + 1)
  }

  // a server has not connections enough for the pools of all at once
  const resting = store === 'postgres' && work.writers > 1
  let closed = resting
  if (resting) await contender.close()

  return {
    ...told,
    async round() {
      if (closed) contender = await open()
      closed = false
      if (resting) await runWriters({ writers: work.writers, each: 1 }, append)
      const done = await runWriters(work, append, ms)
      if (resting) await contender.close()
      closed = resting
      return done
    },
    async check() {
      if (closed) contender = await open()
      closed = false
      let losses = { acknowledged: 0, lost: 0, doubled: 0, disordered: 0 }
      for (const session of sessions) {
        const own = new Map([...acknowledged].filter(([writer]) => at(writer) === session))
        losses = addLosses(losses, lossesOf(own, await contender.contents(session)))
      }
      return describeLosses(losses)
    },
    async close() {
      if (!closed) await contender.close()
    },
  }
}
