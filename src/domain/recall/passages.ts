/** Scores of long messages: the passage that matches best counts, not the whole. */

import type { Match } from './match.ts'
import { saturation } from './match.ts'
import type { Weights } from './profile.ts'

/** Words in a passage, and from one passage's start to the next one's. */
export const PASSAGE_WORDS = 40
export const PASSAGE_STRIDE = 25
/** Terms in a full passage: about half its words. */
const PASSAGE_TERMS = 20

/** Passages that hold a word position (from 1): first and last number. */
export function passagesOf(position: number): readonly [first: number, last: number] {
  return [
    Math.max(0, Math.ceil((position - PASSAGE_WORDS) / PASSAGE_STRIDE)),
    Math.floor((position - 1) / PASSAGE_STRIDE),
  ]
}

/** Score of each message's best passage over the terms given. */
export function passageScores(
  terms: ReadonlyArray<{ weight: number; matches: ReadonlyMap<number, Match> }>,
  weights: Weights,
): Map<number, number> {
  const byMessage = new Map<number, Map<number, number>>()
  for (const { weight, matches } of terms) {
    for (const [key, match] of matches) {
      const passages = byMessage.get(key) ?? new Map<number, number>()
      byMessage.set(key, passages)
      const inPassage = new Map<number, number>()
      for (const [place, share] of match.shares) {
        const [first, last] = passagesOf(Math.floor(place / 2))
        for (let n = first; n <= last; n++) inPassage.set(n, (inPassage.get(n) ?? 0) + share)
      }
      const length = Math.min(match.length, PASSAGE_TERMS)
      for (const [n, times] of inPassage) {
        passages.set(n, (passages.get(n) ?? 0) + weight * saturation(times, length, PASSAGE_TERMS, weights))
      }
    }
  }
  return new Map([...byMessage].map(([key, passages]) => [key, Math.max(...passages.values())]))
}
