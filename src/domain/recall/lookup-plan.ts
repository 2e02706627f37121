/** Plans which terms a query looks up, their weights, and where the lookup stops. */

import type { ParsedQuery } from './query.ts'
import { hyponymsOf, synonymsOf } from './thesaurus.ts'
import type { IndexStats, Weights } from './weights.ts'

/** Maximum postings read per query, rarest terms first. */
export const MAX_POSTINGS = 20_000

/** A query term with its related words. */
export interface TermGroup {
  /** Score of a full match. */
  readonly weight: number
  /** Weight of one occurrence by index term, at most 1. */
  readonly members: ReadonlyMap<string, number>
  readonly term: string
  readonly place: number
}

export interface LookupPlan {
  readonly groups: readonly TermGroup[]
}

/** Returns every term whose document frequency the plan needs. */
export function lookupTerms(question: ParsedQuery): string[] {
  const own = question.terms.map(({ term }) => term)
  const related = own.flatMap((term) => [...(synonymsOf.get(term) ?? []), ...(hyponymsOf.get(term) ?? [])])
  return [...new Set([...own, ...related, ...question.compounds.flat()])].sort()
}

const rarity = (messages: number, frequency: number) => Math.log(1 + (messages - frequency + 0.5) / (frequency + 0.5))

function relatedShares(term: string, weights: Weights): Map<string, number> {
  const shares = new Map<string, number>()
  for (const other of hyponymsOf.get(term) ?? []) shares.set(other, weights.kind)
  for (const other of synonymsOf.get(term) ?? []) shares.set(other, Math.max(weights.synonym, shares.get(other) ?? 0))
  return shares
}

function termGroup(
  term: string,
  place: number,
  df: ReadonlyMap<string, number>,
  stats: IndexStats,
  weights: Weights,
): TermGroup | undefined {
  const own = df.get(term) ?? 0
  const related = [...relatedShares(term, weights)].filter(([other]) => (df.get(other) ?? 0) > 0)
  if (own === 0 && related.length === 0) return undefined
  const frequency =
    own > 0
      ? own
      : Math.min(
          stats.messages,
          related.reduce((sum, [other]) => sum + (df.get(other) ?? 0), 0),
        )
  const value = rarity(stats.messages, frequency)
  const members = new Map<string, number>(own > 0 ? [[term, 1]] : [])
  // a common word in place of a rare one is weak evidence: its share falls with the square of its rarity
  for (const [other, share] of related) {
    members.set(other, share * Math.min(1, rarity(stats.messages, df.get(other) ?? 0) / value) ** 2)
  }
  return { weight: value ** weights.rarity, members, term, place }
}

/** Returns terms for compounds that the index writes differently from the query. */
function compoundGroups(
  question: ParsedQuery,
  df: ReadonlyMap<string, number>,
  stats: IndexStats,
  weights: Weights,
): TermGroup[] {
  const known = (term: string) => (df.get(term) ?? 0) > 0
  const asked = new Set(question.terms.map(({ term }) => term))
  const found = new Map<string, number>()
  for (const parts of question.compounds) {
    const [first = '', ...halves] = parts
    if (halves.length === 0) {
      if (known(first)) found.set(first, 1)
    } else if ((df.get(first) ?? 0) <= 1 && halves.every(known)) {
      for (const half of halves) found.set(half, found.get(half) ?? 0.5)
    }
  }
  return [...found]
    .filter(([term]) => !asked.has(term))
    .map(([term, share]) => ({
      term,
      place: -1,
      weight: share * rarity(stats.messages, df.get(term) ?? 0) ** weights.rarity,
      members: new Map([[term, 1]]),
    }))
}

/** Plans the lookups of a query from the document frequencies of its `lookupTerms`. */
export function planLookups(
  question: ParsedQuery,
  df: ReadonlyMap<string, number>,
  stats: IndexStats,
  weights: Weights,
): LookupPlan {
  const own = question.terms.flatMap(({ term, place }) => termGroup(term, place, df, stats, weights) ?? [])
  return { groups: withinBudget([...own, ...compoundGroups(question, df, stats, weights)], df) }
}

/** Takes the rarest terms until the budget is spent; always takes the rarest of all, newest postings first. */
function withinBudget(groups: readonly TermGroup[], df: ReadonlyMap<string, number>): TermGroup[] {
  const wanted = groups.flatMap(({ term, members }) => [...members.keys()].map((key) => ({ key, own: key === term })))
  const order = (a: { key: string; own: boolean }, b: { key: string; own: boolean }) =>
    Number(b.own) - Number(a.own) || (df.get(a.key) ?? 0) - (df.get(b.key) ?? 0) || (a.key < b.key ? -1 : 1)
  const kept = new Set<string>()
  let spent = 0
  for (const { key } of wanted.sort(order)) {
    if (kept.has(key)) continue
    spent += df.get(key) ?? 0
    if (spent > MAX_POSTINGS && kept.size > 0) break
    kept.add(key)
  }
  return groups.flatMap((each) => {
    const members = new Map([...each.members].filter(([key]) => kept.has(key)))
    return members.size > 0 ? [{ ...each, members }] : []
  })
}
