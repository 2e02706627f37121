import type { FoundMemory, SearchMemories } from '../../api.ts'
import { DEFAULT_PAGE } from '../../domain/limits.ts'
import { itemSize, takeUntilFull } from '../../domain/list-size.ts'
import { isCurrent, type Memory } from '../../domain/memory/memory.ts'
import { memoryScore, memoryWeights } from '../../domain/memory/rank.ts'
import { type MessageFacts, rank } from '../../domain/recall/rank.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import { userFor } from '../kernel/access.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { candidatePages, depthFor, lookUpTerms, type TermMatches } from '../term-index/operation.ts'
import { indexMemories } from './index-memories.ts'
import { memoryPages } from './read.ts'
import { searchMemories as searchInput } from './schema.ts'

/** A condition on memories beside their terms. */
export type Filter = (memory: Memory) => boolean

/** Memories that match a query, best first; returned ones count as used. */
export async function searchMemories(deps: Deps, query: SearchMemories): Promise<{ items: FoundMemory[] }> {
  const { limit = DEFAULT_PAGE, record, query: text, ...rest } = parse(searchInput, query)
  const { category, scope, minConfidence = 0, sourceTypes } = rest
  const user = userFor(deps, rest)
  const found = await findMemories(deps, user, text, depthFor(deps, limit), (memory) => {
    return (
      (category === undefined || category.some((each) => each === memory.category)) &&
      (scope === undefined || (memory.scope ?? scope) === scope) &&
      memory.confidence >= minConfidence &&
      (sourceTypes === undefined || sourceTypes.includes(memory.sourceType))
    )
  })
  const items = (await fused(deps, text, found)).slice(0, limit)
  const ids = items.map(({ id }) => id)
  if (record && ids.length > 0) await deps.store.memories.markUsed(user, ids, now(deps))
  return { items }
}

/** The current memories of a user that match a text best: at most `limit`, and no more than fill a page. */
export async function findMemories(
  deps: Deps,
  user: UserKey,
  text: string,
  limit: number,
  filter: Filter,
): Promise<FoundMemory[]> {
  await indexMemories(deps, user)
  const asked = await lookUpTerms(deps.store.index, { ...user, corpus: 'memories' }, text, memoryWeights)
  if (asked === undefined) return []
  let found: FoundMemory[] = []
  const at = now(deps)
  // terms weigh most, so a candidate of a later page hardly ever ranks before one of this page
  for (const places of candidatePages(asked)) {
    const ids = places.map(({ session }) => session)
    for await (const memories of memoryPages(deps, user, ids)) {
      const current = memories.filter((memory) => isCurrent(memory, at) && filter(memory))
      const all = [...found, ...scored(deps, asked, current)].sort(byScore).slice(0, limit)
      found = takeUntilFull(all, (memory) => memory, itemSize)
    }
    if (found.length >= limit) break
  }
  return found
}

function scored(deps: Deps, { question, scores, weights }: TermMatches, memories: readonly Memory[]): FoundMemory[] {
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  const hits = rank(question, scores, memories.map(factsOf), weights)
  return hits.flatMap(({ session, score }) => {
    const memory = byId.get(session)
    return memory === undefined
      ? []
      : [{ ...memory, score: memoryScore(score / scores.most, memory, deps.clock.now()) }]
  })
}

/** A memory in the form the ranking takes: without neighbours or speaker. */
function factsOf({ id, createdAt }: Memory): MessageFacts {
  const time = Date.parse(createdAt)
  const none = { length: 0, asked: 0, specifics: 0, times: 0, counts: false }
  return { session: id, turn: 1, sequence: 0, speaker: '', time, ...none }
}

async function fused({ fuse }: Deps, text: string, found: FoundMemory[]): Promise<FoundMemory[]> {
  if (fuse === undefined) return found
  const scores = await fuse(text, found)
  return found.map((memory, i) => ({ ...memory, score: scores[i] ?? memory.score })).sort(byScore)
}

/** Best first, then newest, then by id: the same order on every store. */
function byScore(a: FoundMemory, b: FoundMemory): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  return a.id < b.id ? 1 : -1
}
