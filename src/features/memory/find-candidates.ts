import type { ContentAnalysis } from '../../domain/memory/analyze-contents.ts'
import { distinctiveTerms, mostMissing } from '../../domain/memory/similarity.ts'
import { groupBySize } from '../../domain/pieces.ts'
import { decodePostings } from '../../domain/recall/postings.ts'
import type { RecallIndex, UserKey } from '../../ports/recall-index.ts'
import { nextTurn } from '../kernel/next-turn.ts'

/** Candidates compared with a new memory at most. */
const MAX_CANDIDATES = 100
/** A term in more memories than this is too common to narrow the search. */
const COMMON = 2000
/** Postings of one memory at most; the rarest terms come first. */
const MAX_POSTINGS = 5000
/** Postings read at a time. */
const PAGE = 10_000

/** A memory that contains a term. */
interface Candidate {
  readonly id: string
  /** In index terms. */
  readonly length: number
}

/** Ids of memories that may say the same as one of these contents, because they share enough of its rarest terms. */
export async function findCandidates(
  index: RecallIndex,
  user: UserKey,
  contents: readonly ContentAnalysis[],
): Promise<string[]> {
  const partition = { ...user, corpus: 'memories' } as const
  const words = [...new Set(contents.flatMap(({ description }) => [...description.places.keys()]))].sort()
  if (words.length === 0) return []
  const { frequencies } = await index.lookup(partition, words)
  const searches = contents.map(({ terms }) => searchFor(terms, frequencies))
  const byTerm = new Map<string, Candidate[]>()
  const often = (term: string) => frequencies.get(term) ?? 0
  for (const some of groupBySize([...new Set(searches.flatMap(({ terms }) => terms))].sort(), PAGE, often)) {
    for (const { term, session, block, data } of await index.postings(partition, some, COMMON)) {
      const [{ length } = { length: 0 }] = decodePostings(session, block, data)
      const list = byTerm.get(term) ?? []
      byTerm.set(term, list)
      list.push({ id: session, length })
    }
    await nextTurn()
  }
  const found = searches.flatMap(({ terms, least }, i) => {
    const length = contents[i]?.description.length ?? 0
    const shared = new Map<string, number>()
    for (const { id, length: other } of terms.flatMap((term) => byTerm.get(term) ?? [])) {
      if (Math.min(length, other) >= Math.max(length, other) / 2) shared.set(id, (shared.get(id) ?? 0) + 1)
    }
    return [...shared].flatMap(([id, count]) => (count >= least ? id : [])).slice(-MAX_CANDIDATES)
  })
  return [...new Set(found)]
}

/** What to look up for a content. */
interface Search {
  /** In alphabetical order. */
  readonly terms: readonly string[]
  /** How many of these terms a similar memory has at least. */
  readonly least: number
}

function searchFor(said: readonly string[], frequencies: ReadonlyMap<string, number>): Search {
  const telling = distinctiveTerms(said, frequencies)
  const terms: string[] = []
  let postings = 0
  let skipped = 0
  for (const term of telling) {
    const often = frequencies.get(term) ?? 0
    if (often === 0) continue
    if (often > COMMON || postings + often > MAX_POSTINGS) {
      skipped += 1
      continue
    }
    postings += often
    terms.push(term)
  }
  const least = telling.length - skipped - mostMissing(said.length)
  return terms.length < least ? { terms: [], least } : { terms: terms.sort(), least: Math.max(1, least) }
}
