/** Ranks recall results. Pure, so every store returns the same list. See `weights.ts` for the gain of each signal. */

import { dateFit } from './dates.ts'
import type { LookupPlan } from './lookup-plan.ts'
import { addPhraseBonus, addSessionScores, NeighborScores } from './neighbor-scores.ts'
import { scorePassages } from './passages.ts'
import { ASSISTANT, type ParsedQuery } from './query.ts'
import { Slots } from './slots.ts'
import { type Posting, TermMatches } from './term-matches.ts'
import { topIndexes } from './top-indexes.ts'
import { type IndexStats, LONG_MESSAGE_TERMS, type Weights } from './weights.ts'

/** Maximum messages whose facts are read for the final order. */
export const MAX_CANDIDATES = 500
/** Sessions whose messages are candidates even without a common word. */
export const MAX_SESSIONS = 3

/** Facts of an indexed message. */
export interface MessageFacts {
  readonly session: string
  readonly turn: number
  /** Position in the session's log. */
  readonly sequence: number
  /** Agent id, name, or role. */
  readonly speaker: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly length: number
  readonly asked: number
  readonly specifics: number
  readonly times: number
  readonly counts: boolean
}

/** A place in the index. */
export interface Place {
  readonly session: string
  readonly turn: number
}

/** Word scores, before message facts are known. Only for `selectCandidates` and `rank`. */
export interface Scores {
  readonly layout: Slots
  /** By slot. */
  readonly messages: Float64Array
  /** By the session's number. */
  readonly sessions: Float64Array
  /** Sum of the terms' weights: the maximum word score. */
  readonly most: number
}

export interface Hit extends Place {
  readonly sequence: number
  readonly score: number
}

/** Scores messages and sessions by the query's words. */
export function scoreWords(
  plan: LookupPlan,
  postings: ReadonlyMap<string, readonly Posting[]>,
  stats: IndexStats,
  weights: Weights,
): Scores {
  const layout = new Slots(plan, postings, usesNeighbors(weights))
  const average = Math.max(1, stats.terms / Math.max(1, stats.messages))
  const messages = new Float64Array(layout.slots)
  const sessions = new Float64Array(layout.sessions.length)
  const matches = new TermMatches(layout, weights)
  const context = new NeighborScores(messages, average, weights)
  const times = new Float64Array(layout.sessions.length)
  if (weights.passages) scorePassages(messages, plan, layout, weights)
  plan.groups.forEach(({ weight }, term) => {
    matches.read(term)
    if (usesNeighbors(weights)) context.add(matches, weight)
    addSessionScores(sessions, matches, weight, layout, times)
    matches.clear()
  })
  for (const [first, second] of adjacentTerms(plan)) {
    const lesser = Math.min(plan.groups[first]?.weight ?? 0, plan.groups[second]?.weight ?? 0)
    addPhraseBonus(messages, layout, first, second, weights.phrase * lesser)
  }
  return { layout, messages, sessions, most: plan.groups.reduce((sum, { weight }) => sum + weight, 0) }
}

/** Whether neighbors share their score. */
function usesNeighbors({ passages, before1, before1Asks, before2, after1, far }: Weights): boolean {
  return !passages || before1 + before1Asks + before2 + after1 + far > 0
}

/** Returns pairs of adjacent query terms. */
function adjacentTerms({ groups }: LookupPlan): Array<readonly [number, number]> {
  const byPlace = new Map(groups.map(({ place }, term) => [place, term]))
  return [...byPlace]
    .filter(([place]) => place >= 0)
    .sort(([a], [b]) => a - b)
    .flatMap(([place, term]) => {
      const next = byPlace.get(place + 1)
      return next === undefined ? [] : [[term, next] as const]
    })
}

/** Selects messages whose facts the final order needs, and sessions to include as a whole. */
export function selectCandidates(
  scores: Scores,
  weights: Weights,
  most = MAX_CANDIDATES,
): { places: Place[]; sessions: string[] } {
  const { layout, messages, sessions } = scores
  const nameOf = (session: number) => layout.sessions[session] ?? ''
  // compares session ids, not numbers: numbers follow the order of the postings
  const byName = (a: number, b: number) => descending(nameOf(a), nameOf(b))
  const byPlace = (a: number, b: number) => {
    const [x, y] = [layout.sessionAt(a), layout.sessionAt(b)]
    return x === y ? b - a : byName(x, y)
  }
  const totals = messages.map((score, slot) =>
    score > 0 && layout.turnAt(slot) >= 1 ? score + weights.session * (sessions[layout.sessionAt(slot)] ?? 0) : -1,
  )
  return {
    places: topIndexes(totals, most, byPlace).map((slot) => ({
      session: nameOf(layout.sessionAt(slot)),
      turn: layout.turnAt(slot),
    })),
    sessions: topIndexes(sessions, MAX_SESSIONS, byName).map(nameOf),
  }
}

/** Returns the exponent from a message's facts. */
function factExponent(question: ParsedQuery, facts: MessageFacts, weights: Weights): number {
  return (
    (question.subject === facts.speaker ? weights.speaker : 0) -
    (weights.onlyAsks * facts.asked) / Math.max(1, facts.length) +
    weights.specifics * Math.log(1 + facts.specifics) +
    (question.asksWhen ? weights.when * Math.min(2, facts.times) : 0) +
    (question.asksCount && facts.counts ? weights.count : 0) +
    (question.date ? weights.date * dateFit(question.date, facts.time) : 0) -
    // a query about the assistant wants its long answers
    (question.subject === ASSISTANT ? 0 : weights.long * Math.log(1 + facts.length / LONG_MESSAGE_TERMS))
  )
}

const descending = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1)

/** Returns the final order, best first. Ties: the later message first, so the order is total. */
export function rank(question: ParsedQuery, scores: Scores, facts: readonly MessageFacts[], weights: Weights): Hit[] {
  const { layout, messages, sessions } = scores
  const floor = weights.floor * Math.max(1, scores.most)
  const hits = facts.map((fact) => {
    const session = layout.numberOf(fact.session)
    const words = (messages[layout.find(session, fact.turn)] ?? 0) + weights.session * (sessions[session] ?? 0)
    const score = (words + floor) * Math.exp(factExponent(question, fact, weights))
    return { session: fact.session, turn: fact.turn, sequence: fact.sequence, time: fact.time, score }
  })
  return hits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.time - a.time || descending(a.session, b.session) || b.turn - a.turn)
    .map(({ time: _, ...hit }) => hit)
}
