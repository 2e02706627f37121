import { durableLineup, type LineupEntry, targetOf } from '../lineup.ts'
import { messages, runReads } from '../load.ts'
import { type Competitor, measureInTurns, NOT_REACHED, setUpCompetitor } from '../measure.ts'
import type { Part, PartOptions } from '../part.ts'

const READS = 200
/** Milliseconds to fill a log; a slower peer is not measured at that length. */
const FILL_MS = 15_000

/** R1: the last 30 turns, 60 events, of logs of several lengths in one store. */
export const RECENT: Part = {
  name: 'recent',
  stores: ['sqlite', 'postgres', 'memory'],
  oneCaller: true,
  async *run(setting) {
    const { store, quick, rounds, places } = setting
    const all = [100, 1000, 10_000, 100_000, 1_000_000]
    const lengths = all.slice(0, quick ? 3 : store === 'memory' ? 4 : 5)
    const competitors: Competitor[] = []
    for (const seat of durableLineup(store, setting.peers)) competitors.push(...(await readers(setting, seat, lengths)))
    if (store === 'postgres') await (await places.postgres()).vacuum()
    const rows = await measureInTurns(competitors, rounds)
    rows.sort((a, b) => (a.size ?? 0) - (b.size ?? 0))
    yield { id: 'R1', title: 'last 30 turns of logs of several lengths', by: 'time', rows }
    await places.clear()
  },
}

async function readers(
  { store, ms, places }: PartOptions,
  seat: LineupEntry,
  lengths: readonly number[],
): Promise<Competitor[]> {
  const row = { name: seat.entrant.name, kind: seat.kind }
  const base = (size: number) => `${seat.base}, ${size.toLocaleString('en')}`
  let contender: Awaited<ReturnType<typeof seat.entrant.open>>
  try {
    contender = await seat.entrant.open(await targetOf(store, seat, places), { connections: 1 })
  } catch (error) {
    return [await setUpCompetitor(row, () => Promise.reject(error))]
  }
  const { caveat } = contender
  let open = lengths.length
  const close = async () => {
    if (--open === 0) await contender.close()
  }
  const patience = seat.kind === 'peer' ? FILL_MS : Number.POSITIVE_INFINITY
  let reached = true
  const found: Competitor[] = []
  for (const size of lengths) {
    const made = await setUpCompetitor({ ...row, size, base: base(size) }, async () => {
      if (!reached) throw new Error(NOT_REACHED)
      const sessionId = await contender.create()
      const begun = performance.now()
      for (const some of messages(size)) {
        await contender.fill(sessionId, some)
        reached = performance.now() - begun < patience
        if (!reached) throw new Error(NOT_REACHED)
      }
      return {
        ...(caveat !== undefined && { caveat }),
        round: () => runReads(READS, () => contender.recent(sessionId), ms),
        async check() {
          const { length } = await contender.recent(sessionId)
          return length === 60 ? '' : `gives ${length} instead of 60`
        },
        close,
      }
    })
    found.push({ ...made, close })
  }
  return found
}
