/** How strongly each message matches each term of a question, from postings alone. */

import type { Group } from './plan.ts'
import type { Weights } from './profile.ts'

/** One message that holds a term. */
export interface Posting {
  readonly session: string
  /** Ordinal of the message among the indexed ones of its session. */
  readonly turn: number
  /** Message's length in terms. */
  readonly length: number
  /** Whether the message ends with a question. */
  readonly asks: boolean
  /** See `Description.places`. */
  readonly places: readonly number[]
}

/** Room between sessions for turns around the first and the last that do not exist. */
const MARGIN = 8

/** Messages by session and turn, as one number: sessions are numbered as they are met. */
export class Keys {
  private readonly numbers = new Map<string, number>()
  private readonly stride: number
  readonly sessions: string[] = []

  /** `lastTurn` is the greatest turn there is: it keeps the numbers small. */
  constructor(lastTurn: number) {
    this.stride = lastTurn + MARGIN
  }

  key(session: string, turn: number): number {
    let number = this.numbers.get(session)
    if (number === undefined) {
      number = this.sessions.length
      this.numbers.set(session, number)
      this.sessions.push(session)
    }
    return number * this.stride + turn
  }

  /** Key of a message, or below 0 when its session was never met. Turns beyond all that match share one empty place. */
  find(session: string, turn: number): number {
    const number = this.numbers.get(session)
    return number === undefined ? -1 : number * this.stride + Math.min(turn, this.stride - MARGIN / 2 + 1)
  }

  sessionOf(key: number): number {
    return Math.floor(key / this.stride)
  }

  turnOf(key: number): number {
    return key % this.stride
  }
}

/** Keys wide enough for the postings given. */
export function keysFor(postings: Iterable<readonly Posting[]>): Keys {
  let last = 0
  for (const list of postings) for (const { turn } of list) last = Math.max(last, turn)
  return new Keys(last)
}

/** A message's match with one term. */
export interface Match {
  /** Occurrences, those of related words in part; `stated` counts those inside questions less. */
  said: number
  stated: number
  length: number
  asks: boolean
  /** Places of the term itself, for phrases. */
  places: readonly number[]
  /** Every place with what it counts, for passages. */
  shares: Array<readonly [place: number, share: number]>
}

/** Matches of one group: of several members in a message the strongest counts. */
export function matchesOf(
  group: Group,
  postings: ReadonlyMap<string, readonly Posting[]>,
  keys: Keys,
  weights: Weights,
): Map<number, Match> {
  const matches = new Map<number, Match>()
  for (const [member, share] of group.members) {
    for (const { session, turn, length, asks, places } of postings.get(member) ?? []) {
      let inQuestions = 0
      for (const place of places) inQuestions += place % 2
      const said = share * places.length
      const stated = share * (places.length - inQuestions + weights.asking * inQuestions)
      const key = keys.key(session, turn)
      const found = matches.get(key)
      const own = member === group.term ? places : []
      const shares = weights.passages ? places.map((place) => [place, share] as const) : []
      if (!found) {
        matches.set(key, { said, stated, length, asks, places: own, shares })
        continue
      }
      found.said = Math.max(found.said, said)
      found.stated = Math.max(found.stated, stated)
      found.shares.push(...shares)
      if (own.length > 0) found.places = own
    }
  }
  return matches
}

/** BM25's saturation: 0 without an occurrence, towards 1 with many. */
export function saturation(occurrences: number, length: number, average: number, { k1, b }: Weights): number {
  return occurrences / (occurrences + k1 * (1 - b + (b * length) / average))
}
