import { lookupTerms, MAX_POSTINGS, planLookups } from '../../domain/recall/lookup-plan.ts'
import { decodePostings } from '../../domain/recall/postings.ts'
import { type ParsedQuery, parseQuery } from '../../domain/recall/query.ts'
import { MAX_CANDIDATES, type Place, type Scores, scoreWords, selectCandidates } from '../../domain/recall/rank.ts'
import type { Posting } from '../../domain/recall/term-matches.ts'
import type { IndexStats, Weights } from '../../domain/recall/weights.ts'
import type { IndexPartition, PostingBlock, RecallIndex } from '../../ports/recall-index.ts'
import type { Deps } from '../kernel/deps.ts'

export { ifThere, indexSession, indexUser } from './index-log.ts'

/** A question and how the terms of a partition match it. */
export interface TermMatches {
  question: ParsedQuery
  scores: Scores
  weights: Weights
}

/** Looks up the terms of a question in a partition; `undefined` if the partition is empty. */
export async function lookUpTerms(
  index: RecallIndex,
  partition: IndexPartition,
  text: string,
  weigh: (stats: IndexStats) => Weights,
): Promise<TermMatches | undefined> {
  const terms = lookupTerms(parseQuery(text, []))
  const found = await index.lookup(partition, terms)
  if (found.messages === 0) return undefined
  const question = parseQuery(text, found.speakers)
  const weights = weigh(found)
  const plan = planLookups(question, found.frequencies, found, weights)
  const wanted = [...new Set(plan.groups.flatMap(({ members }) => [...members.keys()]))].sort()
  const blocks = wanted.length === 0 ? [] : await index.postings(partition, wanted, MAX_POSTINGS)
  return { question, weights, scores: scoreWords(plan, postingsOf(blocks), found, weights) }
}

/** The best candidates by their terms, page by page. Later pages are computed only if a filter leaves too few. */
export function* candidatePages({ scores, weights }: TermMatches): Generator<Place[]> {
  const first = selectCandidates(scores, weights).places
  yield first
  if (first.length < MAX_CANDIDATES) return
  const { places } = selectCandidates(scores, weights, MAX_POSTINGS)
  for (let i = MAX_CANDIDATES; i < places.length; i += MAX_CANDIDATES) yield places.slice(i, i + MAX_CANDIDATES)
}

/** Postings by term, in order of session and turn; the newest ones of a term that exceeds the limit. */
function postingsOf(blocks: readonly PostingBlock[]): Map<string, Posting[]> {
  const postings = new Map<string, Posting[]>()
  for (const { term, session, block, data } of blocks) {
    const list = postings.get(term) ?? []
    postings.set(term, list)
    for (const posting of decodePostings(session, block, data)) list.push(posting)
  }
  for (const [term, list] of postings) {
    if (list.length > MAX_POSTINGS) postings.set(term, list.slice(-MAX_POSTINGS))
  }
  return postings
}

/** Hits that are also ranked by meaning, if there is an embedder. */
const FUSED = 64

/** How many hits are needed to return the best `limit`. */
export function depthFor({ fuse }: Deps, limit: number): number {
  return fuse === undefined ? limit : Math.max(limit, FUSED)
}
