/** Scores messages and sessions by their own words and, in peer chat, a share of their neighbors' words. */

import type { Slots } from './slots.ts'
import { saturation, type TermMatches } from './term-matches.ts'
import type { Weights } from './weights.ts'

/** Two words of the query count as adjacent with at most two others in between. */
const PHRASE_GAP = 3

/** Distances at which `far` counts: three and four after, two and three before. */
const FAR = [3, 4, -2, -3]

/** Adds one term's score to each message: its own match and a share of its neighbors'. */
export class NeighborScores {
  private readonly scores: Float64Array
  private readonly average: number
  private readonly weights: Weights
  private readonly own: Float64Array
  private readonly strength: Float64Array

  constructor(scores: Float64Array, average: number, weights: Weights) {
    this.scores = scores
    this.average = average
    this.weights = weights
    this.own = new Float64Array(scores.length)
    this.strength = new Float64Array(scores.length)
  }

  add(matches: TermMatches, weight: number): void {
    this.measure(matches)
    const { before1, before1Asks, before2, after1, far, passages } = this.weights
    const { scores, own, strength } = this
    for (let i = 0; i < matches.count; i++) {
      const slot = matches.met[i] ?? 0
      const said = strength[slot] ?? 0
      // passages already count the message's own words
      if (!passages) scores[slot] = (scores[slot] ?? 0) + weight * (own[slot] ?? 0)
      this.share(slot + 1, said * (matches.asks[slot] ? before1Asks : before1), weight)
      this.share(slot + 2, said * before2, weight)
      this.share(slot - 1, said * after1, weight)
      for (const away of FAR) this.share(slot + away, said * far, weight)
    }
    for (let i = 0; i < matches.count; i++) {
      const slot = matches.met[i] ?? 0
      own[slot] = 0
      strength[slot] = 0
    }
  }

  /** Measures the strength of each match and of the message's own statement. */
  private measure({ met, count, said, stated, length, asks }: TermMatches): void {
    const { own, strength, average, weights } = this
    for (let i = 0; i < count; i++) {
      const slot = met[i] ?? 0
      strength[slot] = saturation(said[slot] ?? 0, length[slot] ?? 0, average, weights)
    }
    for (let i = 0; i < count; i++) {
      const slot = met[i] ?? 0
      // a word that the previous message stated is an echo
      const echo = asks[slot - 1] ? 0 : weights.echo * (strength[slot - 1] ?? 0)
      own[slot] = saturation(stated[slot] ?? 0, length[slot] ?? 0, average, weights) * (1 - echo)
    }
  }

  private share(slot: number, by: number, weight: number): void {
    const told = this.own[slot] ?? 0
    this.scores[slot] = (this.scores[slot] ?? 0) + weight * (by * (1 - this.weights.overlap * told))
  }
}

/** Adds one term's score to each session. `times` is scratch space, all 0 before and after. */
export function addSessionScores(
  sessions: Float64Array,
  matches: TermMatches,
  weight: number,
  layout: Slots,
  times: Float64Array,
): void {
  for (let i = 0; i < matches.count; i++) {
    const slot = matches.met[i] ?? 0
    const session = layout.sessionAt(slot)
    times[session] = (times[session] ?? 0) + (matches.said[slot] ?? 0)
  }
  for (let i = 0; i < matches.count; i++) {
    const session = layout.sessionAt(matches.met[i] ?? 0)
    const said = times[session] ?? 0
    if (said > 0) sessions[session] = (sessions[session] ?? 0) + (weight * said) / (said + 3)
    times[session] = 0
  }
}

/** Adds `bonus` to messages in which the second term closely follows the first. */
export function addPhraseBonus(
  scores: Float64Array,
  layout: Slots,
  first: number,
  second: number,
  bonus: number,
): void {
  const { postings, starts, ownEnds } = layout.entries
  const places = new Map<number, readonly number[]>()
  for (let entry = starts[second] ?? 0; entry < (ownEnds[second] ?? 0); entry++)
    places.set(layout.slotOf[entry] ?? 0, postings[entry]?.places ?? [])
  for (let entry = starts[first] ?? 0; entry < (ownEnds[first] ?? 0); entry++) {
    const slot = layout.slotOf[entry] ?? 0
    const after = places.get(slot)
    if (after !== undefined && followsClosely(postings[entry]?.places ?? [], after))
      scores[slot] = (scores[slot] ?? 0) + bonus
  }
}

/** Whether an occurrence of the second closely follows one of the first. */
function followsClosely(first: readonly number[], second: readonly number[]): boolean {
  let next = 0
  return first.some((a) => {
    // both ascend, so the nearest later place never moves back
    while ((second[next] ?? Number.POSITIVE_INFINITY) <= a) next++
    return next < second.length && ((second[next] ?? 0) >> 1) - (a >> 1) <= PHRASE_GAP
  })
}
