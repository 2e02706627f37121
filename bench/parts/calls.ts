import type { Contender } from '../contender.ts'
import { caveatOf, lineupOf, targetOf } from '../lineup.ts'
import { runWriters, type Timings } from '../load.ts'
import { type Competitor, measureInTurns, NOT_SUPPORTED, setUpCompetitor } from '../measure.ts'
import type { Part } from '../part.ts'

const CALLS = 300

/** One call, or a few that belong together, again and again by one caller. */
interface Line {
  id: string
  title: string
  /** Undefined: the contender has no such thing. */
  of(contender: Contender, sessionId: string): (() => Promise<unknown>) | undefined
}

const LINES: Record<'read' | 'create' | 'update', Line> = {
  read: {
    id: 'R2',
    title: 'the record, then the state, of one session',
    of(contender, sessionId) {
      if (contender.record === undefined || contender.state === undefined) return
      return async () => {
        await contender.record?.(sessionId)
        await contender.state?.(sessionId)
      }
    },
  },
  create: {
    id: 'C1',
    title: 'create a session',
    of: (contender) => () => contender.create(),
  },
  update: {
    id: 'U1',
    title: 'change one key of the state',
    of(contender, sessionId) {
      let value = 0
      if (contender.update !== undefined) return async () => await contender.update?.(sessionId, value++)
    },
  },
}

export const READ = part('read')
export const CREATE = part('create')
export const UPDATE = part('update')

function part(name: keyof typeof LINES): Part {
  const { id, title, of } = LINES[name]
  return {
    name,
    stores: ['sqlite', 'postgres', 'memory'],
    oneCaller: true,
    async *run({ store, peers, places, rounds, ms }) {
      const competitors: Competitor[] = []
      for (const { entrant, kind, base, relaxed } of lineupOf(store, peers)) {
        if (relaxed && name === 'read') continue
        const made = await setUpCompetitor({ name: entrant.name, kind, base }, async () => {
          const target = await targetOf(store, { entrant, kind, base }, places)
          const contender = await entrant.open(target, { connections: 1 })
          const sessionId = await contender.create()
          await contender.update?.(sessionId, 0)
          const call = of(contender, sessionId)
          return {
            ...(name === 'read' ? said(contender) : caveatOf(contender, store)),
            round: () => (call === undefined ? Promise.reject(new Error(NOT_SUPPORTED)) : calling(store, call, ms)),
            close: () => contender.close(),
          }
        })
        competitors.push(made)
      }
      yield { id, title, by: 'time', rows: await measureInTurns(competitors, rounds) }
      await places.clear()
    },
  }
}

/** Where nothing is written, all are compared with the one raw. */
const said = ({ caveat }: Contender) => (caveat === undefined ? {} : { caveat })

function calling(store: string, call: () => Promise<unknown>, ms: number): Promise<Timings> {
  // in memory a round of the usual length would be over in a millisecond
  return runWriters({ writers: 1, each: store === 'memory' ? CALLS * 20 : CALLS }, call, ms)
}
