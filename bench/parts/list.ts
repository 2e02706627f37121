import { copyPostgres, copySqlite } from '../contenders/copy-sessions.ts'
import { durableLineup, type LineupEntry, targetOf } from '../lineup.ts'
import { runReads } from '../load.ts'
import { type Competitor, measureInTurns, NOT_SUPPORTED, setUpCompetitor } from '../measure.ts'
import type { Part, PartOptions } from '../part.ts'
import { labelOf } from '../table.ts'

const READS = 200
/** Peers create their sessions by their own calls, so they hold only the smaller number. */
const MOST_BY_CALLS = 1000

/** L1: the newest 50 sessions of one user, and of everyone, in a store that holds few and one that holds many. */
export const LIST: Part = {
  name: 'list',
  stores: ['sqlite', 'postgres'],
  oneCaller: true,
  async *run(setting) {
    const { store, quick, rounds, places } = setting
    const sizes = quick ? [1000, 20_000] : [1000, 1_000_000]
    const competitors: Competitor[] = []
    for (const size of sizes) {
      for (const seat of durableLineup(store, setting.peers)) {
        if (seat.kind !== 'peer' || size <= MOST_BY_CALLS) competitors.push(...(await listers(setting, seat, size)))
      }
    }
    const rows = await measureInTurns(competitors, rounds)
    yield { id: 'L1', title: 'a page of 50 sessions, the newest first', by: 'time', rows }
    await places.clear()
  },
}

async function listers(setting: PartOptions, seat: LineupEntry, size: number): Promise<Competitor[]> {
  const { store, ms, places } = setting
  const pages: Competitor[] = []
  const row = (what: string) => ({
    name: `${seat.entrant.name}: ${what}`,
    kind: seat.kind,
    size,
    base: labelOf({ name: `${seat.base}: ${what}`, size }),
  })
  const first = await setUpCompetitor(row('of a user'), async () => {
    const target = await targetOf(store, seat, places)
    if (seat.kind === 'throughline') await copies(setting, target, size)
    const contender = await seat.entrant.open(target, { connections: 1 })
    const { caveat } = contender
    await contender.populate?.(size)
    const said = caveat !== undefined && { caveat }
    const reads = (page: () => Promise<readonly unknown[]>) => ({
      ...said,
      round: () => runReads(READS, page, ms),
      check: async () => counted(await page()),
    })
    if (contender.everyone !== undefined) {
      const page = async () => (await contender.everyone?.()) ?? []
      pages.push({ ...row('of everyone'), ...reads(page), close: async () => {} })
    }
    const own = async () => (await contender.list?.()) ?? Promise.reject(new Error(NOT_SUPPORTED))
    return { ...reads(own), close: () => contender.close() }
  })
  return [first, ...pages]
}

async function copies({ store, places }: PartOptions, target: string, size: number): Promise<void> {
  if (store === 'sqlite') await copySqlite(target, size)
  else await copyPostgres(target, (await places.postgres()).owner(target), size)
}

const counted = ({ length }: readonly unknown[]) => (length === 50 ? '' : `gives ${length} instead of 50`)
