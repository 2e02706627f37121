/** Ranks memories by relevance, confidence, age and use. */

import { type IndexStats, type Weights, weightsFor } from '../recall/weights.ts'
import type { Memory } from './memory.ts'

/** Share of the score that is independent of confidence. */
const BASE_SHARE = 0.6
/** Gain of a brand-new memory, and the days after which half of it is left. */
const FRESHNESS_GAIN = 0.2
const HALF_LIFE_DAYS = 60
/** Gain of a memory used a hundred times or more. */
const USE_GAIN = 0.1
const FULL_USE = Math.log(101)
const DAY = 86_400_000

/** Returns word weights for memories: they stand alone, so neighbor weights are 0. */
export function memoryWeights(stats: IndexStats): Weights {
  return {
    ...weightsFor(stats),
    before1: 0,
    before1Asks: 0,
    before2: 0,
    after1: 0,
    far: 0,
    overlap: 0,
    echo: 0,
    session: 0,
    floor: 0,
    speaker: 0,
    onlyAsks: 0,
    specifics: 0,
    when: 0,
    count: 0,
    date: 0,
    long: 0,
    asking: 1,
  }
}

/**
 * Score of a memory: relevance × (0.6 + 0.4 × confidence) × (1 + 0.2 × 2^(−age / 60 days)) × (1 + 0.1 × ln(1 + uses) /
 * ln 101), the last at most 1.1. Age is counted from what last spoke for it.
 */
export function memoryScore(relevance: number, memory: Memory, now: number): number {
  const supported = memory.lineage.findLast(({ relation }) => relation !== 'contradicts')?.at ?? memory.createdAt
  const age = Math.max(0, now - Date.parse(supported)) / DAY
  return (
    relevance *
    (BASE_SHARE + (1 - BASE_SHARE) * memory.confidence) *
    (1 + FRESHNESS_GAIN * 2 ** (-age / HALF_LIFE_DAYS)) *
    (1 + USE_GAIN * Math.min(1, Math.log(1 + memory.useCount) / FULL_USE))
  )
}
