/** Numbers matching messages and their neighbors as consecutive slots. */

import type { LookupPlan } from './lookup-plan.ts'
import type { Posting } from './term-matches.ts'

/** A match affects up to three messages before it and four after. */
export const REACH_BEFORE = 3
export const REACH_AFTER = 4
/** Gap between sessions, so that a match never affects another session. */
const MARGIN = REACH_BEFORE + REACH_AFTER + 1

/** Postings in the order of the plan's terms, one entry per use. */
export interface Entries {
  readonly postings: readonly Posting[]
  /** Weight of one occurrence. */
  readonly shares: Float64Array
  /** First entry of each term, then the total. */
  readonly starts: readonly number[]
  /** End of the entries of the term's own word; related words follow. */
  readonly ownEnds: readonly number[]
}

function entriesOf(plan: LookupPlan, postings: ReadonlyMap<string, readonly Posting[]>): Entries {
  const all: Posting[] = []
  const shares: number[] = []
  const starts: number[] = []
  const ownEnds: number[] = []
  for (const { term, members } of plan.groups) {
    starts.push(all.length)
    ownEnds.push(all.length)
    for (const [member, share] of members) {
      for (const posting of postings.get(member) ?? []) {
        all.push(posting)
        shares.push(share)
      }
      // the term itself is the first of its members
      if (member === term) ownEnds[ownEnds.length - 1] = all.length
    }
  }
  starts.push(all.length)
  return { postings: all, shares: Float64Array.from(shares), starts, ownEnds }
}

/** Slots ascend by session (in order of appearance) and turn; adjacent turns have adjacent slots. */
export class Slots {
  readonly entries: Entries
  /** Slot of each entry. */
  readonly slotOf: Int32Array
  /** Entries by slot, then in plan order. */
  readonly bySlot: Int32Array
  readonly sessions: string[] = []
  private readonly numbers = new Map<string, number>()
  private readonly stride: number
  /** Session number × stride + turn of each slot, ascending. */
  private readonly keys: Float64Array

  /** @param neighbours also creates slots for every place that a match affects, even without a message */
  constructor(plan: LookupPlan, postings: ReadonlyMap<string, readonly Posting[]>, neighbours: boolean) {
    this.entries = entriesOf(plan, postings)
    const count = this.entries.postings.length
    this.stride = this.entries.postings.reduce((last, { turn }) => Math.max(last, turn), 0) + MARGIN
    // key and entry packed into one number sort much faster than pairs
    const packed = this.keysOfEntries().map((key, i) => key * count + i)
    packed.sort()
    this.slotOf = new Int32Array(count)
    this.bySlot = new Int32Array(count)
    const [before, after] = neighbours ? [REACH_BEFORE, REACH_AFTER] : [0, 0]
    const keys = new Float64Array(count * (before + after + 1))
    let slots = 0
    for (let i = 0; i < count; i++) {
      const code = packed[i] ?? 0
      const key = Math.floor(code / count)
      const entry = code - key * count
      const from = slots === 0 ? key - before : Math.max(key - before, (keys[slots - 1] ?? 0) + 1)
      for (let next = from; next <= key + after; next++) keys[slots++] = next
      this.bySlot[i] = entry
      this.slotOf[entry] = slots - 1 - after
    }
    this.keys = keys.subarray(0, slots)
  }

  private keysOfEntries(): Float64Array {
    const { postings } = this.entries
    const keys = new Float64Array(postings.length)
    let name = ''
    let number = -1
    for (let i = 0; i < keys.length; i++) {
      const posting = postings[i]
      if (posting === undefined) continue
      if (number < 0 || posting.session !== name) {
        name = posting.session
        number = this.numberFor(name)
      }
      keys[i] = number * this.stride + posting.turn
    }
    return keys
  }

  private numberFor(session: string): number {
    const known = this.numbers.get(session)
    if (known !== undefined) return known
    this.numbers.set(session, this.sessions.length)
    return this.sessions.push(session) - 1
  }

  get slots(): number {
    return this.keys.length
  }

  /** Returns the number of a slot's session. */
  sessionAt(slot: number): number {
    return Math.floor(((this.keys[slot] ?? 0) + REACH_BEFORE) / this.stride)
  }

  /** Returns the turn of a slot; below 1 before a session's start. */
  turnAt(slot: number): number {
    return (this.keys[slot] ?? 0) - this.sessionAt(slot) * this.stride
  }

  /** Returns the number of a session, or -1 without a match. */
  numberOf(session: string): number {
    return this.numbers.get(session) ?? -1
  }

  /** Returns the slot of a turn in a session, or -1. */
  find(number: number, turn: number): number {
    if (number < 0 || turn > this.stride - MARGIN + REACH_AFTER) return -1
    const key = number * this.stride + turn
    let low = 0
    let high = this.keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.keys[middle] ?? 0) < key) low = middle + 1
      else high = middle
    }
    return this.keys[low] === key ? low : -1
  }
}
