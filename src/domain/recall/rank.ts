/** The ranking of recall: pure, so that every store gives the same list. See `profile.ts` for what each signal gained. */

import { addPhrase, addToSessions, addWithContext } from './context.ts'
import { dateFit } from './dates.ts'
import { type Keys, keysFor, matchesOf, type Posting } from './match.ts'
import { passageScores } from './passages.ts'
import type { Plan } from './plan.ts'
import type { IndexStats, Weights } from './profile.ts'
import type { Question } from './question.ts'

/** Messages whose facts are looked up for the final order. */
export const MAX_CANDIDATES = 500
/** Sessions whose messages are candidates even without a word in common. */
export const MAX_SESSIONS = 3

/** Small facts of an indexed message. */
export interface MessageFacts {
  readonly session: string
  readonly turn: number
  /** Place in the session's log. */
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

/** What the words alone say, before anything is known of the messages. */
export interface Scores {
  readonly keys: Keys
  readonly messages: ReadonlyMap<number, number>
  readonly sessions: ReadonlyMap<number, number>
  /** Sum of the terms' weights: the most that words can give. */
  readonly most: number
}

export interface Hit extends Place {
  readonly sequence: number
  readonly score: number
}

/** Scores messages and sessions by the words of the question. */
export function scoreWords(
  plan: Plan,
  postings: ReadonlyMap<string, readonly Posting[]>,
  stats: IndexStats,
  weights: Weights,
): Scores {
  const keys = keysFor(
    plan.groups.flatMap(({ members }) => [...members.keys()].map((term) => postings.get(term) ?? [])),
  )
  const average = Math.max(1, stats.terms / Math.max(1, stats.messages))
  const terms = plan.groups.map((group) => ({ ...group, matches: matchesOf(group, postings, keys, weights) }))
  const messages = weights.passages ? passageScores(terms, weights) : new Map<number, number>()
  const sessions = new Map<number, number>()
  for (const { weight, matches } of terms) {
    if (!weights.passages) addWithContext(messages, matches, weight, average, weights)
    addToSessions(sessions, matches, weight, keys)
  }
  const inOrder = terms.filter(({ place }) => place >= 0).sort((a, b) => a.place - b.place)
  inOrder.forEach((first, i) => {
    const second = inOrder[i + 1]
    if (second === undefined || second.place !== first.place + 1) return
    addPhrase(messages, first.matches, second.matches, weights.phrase * Math.min(first.weight, second.weight))
  })
  return { keys, messages, sessions, most: terms.reduce((sum, { weight }) => sum + weight, 0) }
}

/** Keys of the greatest values. Only those above the cut are sorted as pairs: there may be 100,000. */
function best(
  keys: Iterable<number>,
  values: Float64Array,
  most: number,
  order: (a: number, b: number) => number,
): number[] {
  const cut = values.toSorted()[Math.max(0, values.length - most)] ?? 0
  const kept: Array<readonly [key: number, value: number]> = []
  let i = 0
  for (const key of keys) {
    const value = values[i++] ?? 0
    if (value >= cut) kept.push([key, value])
  }
  kept.sort(([a, x], [b, y]) => y - x || order(a, b))
  return kept.slice(0, most).map(([key]) => key)
}

/** Messages whose facts the final order needs, and sessions all of whose messages it wants. */
export function candidates(scores: Scores, weights: Weights): { places: Place[]; sessions: string[] } {
  const { keys, messages, sessions } = scores
  const nameOf = (session: number) => keys.sessions[session] ?? ''
  // by the session's id, not by its number: numbers follow the order in which postings came
  const byName = (a: number, b: number) => (nameOf(a) < nameOf(b) ? 1 : -1)
  const byPlace = (a: number, b: number) =>
    keys.sessionOf(a) === keys.sessionOf(b) ? b - a : byName(keys.sessionOf(a), keys.sessionOf(b))
  const totals = new Float64Array(messages.size)
  let i = 0
  for (const [key, score] of messages) totals[i++] = score + weights.session * (sessions.get(keys.sessionOf(key)) ?? 0)
  const places = best(messages.keys(), totals, MAX_CANDIDATES, byPlace)
  const whole = best(sessions.keys(), Float64Array.from(sessions.values()), MAX_SESSIONS, byName)
  return {
    places: places.map((key) => ({ session: nameOf(keys.sessionOf(key)), turn: keys.turnOf(key) })),
    sessions: whole.map(nameOf),
  }
}

/** What is known of a message beside its words, as an exponent. */
function exponent(question: Question, facts: MessageFacts, weights: Weights): number {
  return (
    (question.subject === facts.speaker ? weights.speaker : 0) -
    (weights.onlyAsks * facts.asked) / Math.max(1, facts.length) +
    weights.specifics * Math.log(1 + facts.specifics) +
    (question.asksWhen ? weights.when * Math.min(2, facts.times) : 0) +
    (question.asksCount && facts.counts ? weights.count : 0) +
    (question.date ? weights.date * dateFit(question.date, facts.time) : 0)
  )
}

/** Final order, best first. Equal scores: the later message first, so that the order is total. */
export function rank(question: Question, scores: Scores, facts: readonly MessageFacts[], weights: Weights): Hit[] {
  const { keys, messages, sessions } = scores
  const floor = weights.floor * Math.max(1, scores.most)
  const hits = facts.map((fact) => {
    const key = keys.find(fact.session, fact.turn)
    const words = key < 0 ? 0 : (messages.get(key) ?? 0) + weights.session * (sessions.get(keys.sessionOf(key)) ?? 0)
    const score = (words + floor) * Math.exp(exponent(question, fact, weights))
    return { session: fact.session, turn: fact.turn, sequence: fact.sequence, time: fact.time, score }
  })
  return hits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.time - a.time || (a.session < b.session ? 1 : -1) || b.turn - a.turn)
    .map(({ time: _, ...hit }) => hit)
}
