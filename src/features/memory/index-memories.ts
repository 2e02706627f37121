import { groupBySize } from '../../domain/pieces.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { analyzeContents } from './comparison.ts'
import { fingerprintOf } from './writing.ts'

/** Distinct terms of memories that are written at a time. SQLite takes up to 10 µs for each. */
export const MAX_TERMS = 2000
/** Memories read at a time. */
const PAGE = 100

/** Indexes memories that are missing: those of a long call, of an adopted table, or of an older index version. */
export async function indexMemories(deps: Deps, user: UserKey): Promise<void> {
  for (;;) {
    const unread = await deps.store.memories.unindexed(user, ANALYSIS_VERSION, PAGE)
    if (unread.length === 0) return
    const analyses = await analyzeContents(deps, unread)
    const analyzed = unread.map(({ id }, i) => [id, analyses[i]] as const)
    for (const group of groupBySize(analyzed, MAX_TERMS, ([, analysis]) => analysis?.description.places.size ?? 0)) {
      const byId = new Map(group)
      await deps.store.memories.change({
        ...user,
        at: now(deps),
        ids: [...byId.keys()],
        decide: (found) => ({
          puts: found.flatMap((memory) => {
            const analysis = byId.get(memory.id)
            if (analysis === undefined) return []
            const words = { description: analysis.description, version: ANALYSIS_VERSION }
            return { memory, fingerprint: fingerprintOf(analysis, memory.scope), words }
          }),
        }),
      })
      await nextTurn()
    }
  }
}
