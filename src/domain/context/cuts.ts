import type { Form } from './forms.ts'

/** Costs of the units, newest first. */
export interface Costs {
  /** Tokens in the recent form. */
  readonly recent: readonly number[]
  /** Tokens while the unit is the newest one. */
  readonly newest: readonly number[]
  /** Tokens in the old form. */
  readonly old: readonly number[]
  /** Sequence of the unit. */
  readonly sequences: readonly number[]
  /** Whether these are all units of the session. */
  readonly isComplete: boolean
}

/** Share of the room that the newest units take in their recent form, whatever is older. */
const PROTECTED = 0.2
/** Share of the room for the requests and answers of turns that are not shown otherwise. */
export const TURNS = 0.15
/** Share of the room that a cut leaves used: then the next cut is a while away. */
export const FILLED = 0.86
/** Share that is used at least: below it, units turn back to their recent form. */
const LEAST = 0.85

/** Running sums: the item at k is the sum of the first k. */
function runningSums(values: readonly number[]): number[] {
  const sums = [0]
  for (const value of values) sums.push((sums.at(-1) as number) + value)
  return sums
}

/** Number of protected units: at least the newest one, if it fits. */
function protectedCount(recent: readonly number[], room: number): number {
  let sum = 0
  for (const [count, cost] of recent.entries()) {
    sum += cost
    if (sum > room * PROTECTED) return count === 0 && sum <= room ? 1 : count
  }
  return recent.length
}

/** Collects costs until older units can change nothing. */
export class CostList implements Costs {
  readonly recent: number[] = []
  readonly newest: number[] = []
  readonly old: number[] = []
  readonly sequences: number[] = []
  isComplete = false
  readonly #room: number
  #recentSum = 0
  #olderSum = 0

  constructor(room: number) {
    this.#room = room
  }

  /** Whether the units so far exceed the room even if all but the protected ones are in old form. */
  get isEnough(): boolean {
    return this.#recentSum > this.#room && this.#olderSum > this.#room * (1 - PROTECTED)
  }

  /** Whether the whole session fits in recent form. */
  get fits(): boolean {
    return this.isComplete && this.#recentSum <= this.#room
  }

  add(sequence: number, cost: Record<Form, number>): void {
    // the newest unit is shown in its newest form
    const recent = this.recent.length === 0 ? cost.newest : cost.recent
    this.#recentSum += recent
    if (this.#recentSum > this.#room * PROTECTED && this.recent.length > 0) this.#olderSum += cost.old
    this.sequences.push(sequence)
    this.recent.push(recent)
    this.newest.push(cost.newest)
    this.old.push(cost.old)
  }
}

/**
 * Number of units to show. All, if they fit with the protected ones in recent form. Otherwise enough are left out to
 * have `turns` of the room for older turns; {@link steadiest} chooses among the places that are good enough.
 */
export function chooseShown({ recent, old, sequences, isComplete }: Costs, room: number, turns = TURNS): number {
  const kept = protectedCount(recent, room)
  const oldSums = runningSums(old)
  const recentSums = runningSums(recent)
  const olderThanKept = (count: number) => (oldSums[count] as number) - (oldSums[kept] as number)
  const secured = Math.max(PROTECTED * room, recentSums[kept] as number)
  if (isComplete && olderThanKept(old.length) <= room - secured) return old.length
  const most = room * (1 - turns) - secured
  const isTooMuch = (count: number) => olderThanKept(count) > most
  const isFewer = (count: number) =>
    olderThanKept(count) < most / 2 || (recentSums[count] as number) < room * (FILLED - turns / 2)
  let highest = kept
  while (highest < old.length && !isTooMuch(highest + 1)) highest++
  let lowest = highest
  while (lowest > kept && !isFewer(lowest - 1)) lowest--
  return steadiest(lowest, highest, sequences)
}

/**
 * Number of shown units in recent form. Follows the session from the first shown unit on, as if each unit were the
 * newest: when the room is exceeded, units turn old, until as little of the room is used as {@link FILLED} allows. So
 * one cut serves many calls, and what is before it stays the same. `taken`: tokens of older turns.
 */
export function chooseRecent(
  { recent, old, newest }: Pick<Costs, 'recent' | 'old' | 'newest'>,
  shown: number,
  room: number,
  taken: number,
): number {
  const inOrder = (costs: readonly number[]) => costs.slice(0, shown).reverse()
  const recentSums = runningSums(inOrder(recent))
  const oldSums = runningSums(inOrder(old))
  const last = inOrder(newest)
  const between = (sums: number[], from: number, to: number) => (sums[to] as number) - (sums[from] as number)
  /** Units in old form, and the first of the protected ones. */
  let cut = 0
  let kept = 0
  const total = (place: number, end: number) =>
    taken + between(oldSums, 0, place) + between(recentSums, place, end) + (last[end] as number)
  for (let end = 0; end < shown; end++) {
    while (kept < end && between(recentSums, kept, end + 1) > PROTECTED * room) kept++
    if (total(cut, end) <= room) continue
    while (cut < kept && (total(cut, end) > room || total(cut + 1, end) >= FILLED * room)) cut++
  }
  // a long newest unit may have turned more of them old than are in the way now
  const fits = (place: number) => total(place, shown - 1) <= room
  while (cut > 0 && total(cut, shown - 1) < LEAST * room && fits(cut - 1)) cut--
  return shown - cut
}

/**
 * Chooses the same place again for as long as it lies in the range, so that the beginning of the context stays the
 * same from call to call: of all places the one where the sequences pass the greatest power of two, as on a ruler.
 * Between two places that pass the same power lies one that passes a greater one, so there is always one winner.
 */
export function steadiest(lowest: number, highest: number, sequences: readonly number[]): number {
  let best = highest
  let bestRank = -1
  for (let count = highest; count >= lowest; count--) {
    const newer = sequences[count - 1]
    const older = sequences[count]
    const rank = newer === undefined || older === undefined ? -1 : 31 - Math.clz32(newer ^ older)
    if (rank > bestRank) [best, bestRank] = [count, rank]
  }
  return best
}

/** The step of the range that has the greatest power of two as its factor, for the same reason. */
export function steadiestStep(lowest: number, highest: number): number {
  const rank = (step: number) => (step === 0 ? 31 : 31 - Math.clz32(step & -step))
  let best = highest
  for (let step = highest; step >= lowest; step--) if (rank(step) > rank(best)) best = step
  return best
}
