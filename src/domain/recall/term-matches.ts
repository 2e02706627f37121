/** Match strength of messages for the terms of a query, from postings alone. */

import type { Slots } from './slots.ts'
import type { Weights } from './weights.ts'

/** A message that contains a term. */
export interface Posting {
  readonly session: string
  /** Position among the indexed messages of its session. */
  readonly turn: number
  /** Length of the message in terms. */
  readonly length: number
  /** Whether the message ends with a question. */
  readonly asks: boolean
  /** See `Description.places`. */
  readonly places: readonly number[]
}

/** Matches of one term at a time, by slot: read, use, clear. */
export class TermMatches {
  /** Weighted occurrences of the strongest matching word; related words count in part. 0 without a match. */
  readonly said: Float64Array
  /** Like `said`, but occurrences inside questions count less. */
  readonly stated: Float64Array
  readonly length: Float64Array
  readonly asks: Uint8Array
  /** Matching slots in order of appearance: the first `count`. */
  readonly met: Int32Array
  count = 0
  private readonly layout: Slots
  private readonly asking: number

  constructor(layout: Slots, weights: Weights) {
    this.layout = layout
    this.asking = weights.asking
    this.said = new Float64Array(layout.slots)
    this.stated = new Float64Array(layout.slots)
    this.length = new Float64Array(layout.slots)
    this.asks = new Uint8Array(layout.slots)
    this.met = new Int32Array(layout.entries.postings.length)
  }

  /** Reads the matches of the plan's term with this index. */
  read(term: number): void {
    const { postings, shares, starts } = this.layout.entries
    const end = starts[term + 1] ?? 0
    for (let entry = starts[term] ?? 0; entry < end; entry++) {
      const posting = postings[entry]
      if (posting !== undefined) this.add(this.layout.slotOf[entry] ?? 0, posting, shares[entry] ?? 0)
    }
  }

  private add(slot: number, { places, length, asks }: Posting, share: number): void {
    let inQuestions = 0
    for (const place of places) inQuestions += place % 2
    const said = share * places.length
    const stated = share * (places.length - inQuestions + this.asking * inQuestions)
    const before = this.said[slot] ?? 0
    if (before === 0) {
      this.met[this.count++] = slot
      this.length[slot] = length
      this.asks[slot] = asks ? 1 : 0
    }
    if (said > before) this.said[slot] = said
    if (stated > (this.stated[slot] ?? 0)) this.stated[slot] = stated
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) {
      const slot = this.met[i] ?? 0
      this.said[slot] = 0
      this.stated[slot] = 0
    }
    this.count = 0
  }
}

/** BM25 saturation: 0 without an occurrence, approaching 1 with many. */
export function saturation(occurrences: number, length: number, average: number, { k1, b }: Weights): number {
  return occurrences / (occurrences + k1 * (1 - b + (b * length) / average))
}
