import { open } from '../../dist/index.js'
import { transcriptTables } from '../context/transcript-tables.ts'
import { messages, runReads } from '../load.ts'
import { type Competitor, measureInTurns } from '../measure.ts'
import type { Part } from '../part.ts'
import { labelOf } from '../table.ts'
import { urlOf } from './target.ts'

const READS = 100
const name = 'Throughline'

/** X1: a context of 4,000 tokens, from a short log and from a long one. Then sessions of coding agents. */
export const CONTEXT: Part = {
  name: 'context',
  stores: ['sqlite', 'postgres'],
  oneCaller: true,
  async *run(options) {
    const { store, quick, rounds, ms, places } = options
    const sizes = quick ? [1000, 10_000] : [1000, 100_000]
    const tl = await open({ url: await urlOf(store, places), index: false })
    const competitors: Competitor[] = []
    for (const size of sizes) {
      const session = await tl.sessions.create({ userId: 'bench' })
      for (const some of messages(size)) await session.append(some)
      competitors.push({
        name,
        kind: 'throughline',
        size,
        base: labelOf({ name, size: sizes[0] ?? 0 }),
        round: () => runReads(READS, () => session.context({ maxTokens: 4000 }), ms),
        check: async () => `${(await session.context({ maxTokens: 4000 })).messages.length} messages`,
        close: async () => {},
      })
    }
    if (store === 'postgres') await (await places.postgres()).vacuum()
    const rows = await measureInTurns(competitors, rounds)
    await tl.close()
    yield { id: 'X1', title: 'context() within 4,000 tokens', by: 'time', rows }
    await places.clear()
    yield* transcriptTables(options)
  },
}
