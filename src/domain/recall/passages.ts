/** Scores long messages by their best passage. */

import type { LookupPlan } from './lookup-plan.ts'
import type { Slots } from './slots.ts'
import { saturation } from './term-matches.ts'
import type { Weights } from './weights.ts'

/** Words per passage, and between the starts of two passages. */
export const PASSAGE_WORDS = 40
export const PASSAGE_STRIDE = 25
/** Terms in a full passage: about half its words. */
const PASSAGE_TERMS = 20

/** Returns the first and last passage that contain a word position (from 1). */
export function passagesOf(position: number): readonly [first: number, last: number] {
  return [
    Math.max(0, Math.ceil((position - PASSAGE_WORDS) / PASSAGE_STRIDE)),
    Math.floor((position - 1) / PASSAGE_STRIDE),
  ]
}

/** Sums over the passages of one message at a time. */
class Passages {
  private readonly times: Float64Array
  private readonly sums: Float64Array
  private readonly weights: Weights
  private low = 0
  private high = -1

  constructor(most: number, weights: Weights) {
    this.times = new Float64Array(most)
    this.sums = new Float64Array(most)
    this.weights = weights
  }

  /** Counts the places of a word for the current term. */
  count(places: readonly number[], share: number): void {
    for (const place of places) {
      const [first, last] = passagesOf(place >> 1)
      this.low = this.high < 0 ? first : Math.min(this.low, first)
      this.high = Math.max(this.high, last)
      const counts = place % 2 === 1 ? share * this.weights.asking : share
      for (let n = first; n <= last; n++) this.times[n] = (this.times[n] ?? 0) + counts
    }
  }

  /** Adds the current term to every passage that contains it. */
  endTerm(weight: number, messageLength: number): void {
    const length = Math.min(messageLength, PASSAGE_TERMS)
    for (let n = this.low; n <= this.high; n++) {
      const times = this.times[n] ?? 0
      if (times > 0)
        this.sums[n] = (this.sums[n] ?? 0) + weight * saturation(times, length, PASSAGE_TERMS, this.weights)
      this.times[n] = 0
    }
  }

  /** Returns the score of the best passage and resets. */
  endMessage(): number {
    let best = 0
    for (let n = this.low; n <= this.high; n++) {
      best = Math.max(best, this.sums[n] ?? 0)
      this.sums[n] = 0
    }
    this.high = -1
    return best
  }
}

/** Writes the best passage score of each message into `scores`. */
export function scorePassages(scores: Float64Array, plan: LookupPlan, layout: Slots, weights: Weights): void {
  const { postings, shares, starts } = layout.entries
  const lastPlace = postings.reduce((last, { places }) => Math.max(last, places.at(-1) ?? 0), 0)
  const passages = new Passages(passagesOf(lastPlace >> 1)[1] + 1, weights)
  let term = 0
  for (let i = 0; i < layout.bySlot.length; i++) {
    const entry = layout.bySlot[i] ?? 0
    const next = layout.bySlot[i + 1]
    const slot = layout.slotOf[entry] ?? 0
    const posting = postings[entry]
    if (posting === undefined) continue
    while (entry >= (starts[term + 1] ?? 0)) term++
    passages.count(posting.places, shares[entry] ?? 0)
    const last = next === undefined || layout.slotOf[next] !== slot
    if (last || next >= (starts[term + 1] ?? 0)) passages.endTerm(plan.groups[term]?.weight ?? 0, posting.length)
    if (!last) continue
    scores[slot] = passages.endMessage()
    term = 0
  }
}
