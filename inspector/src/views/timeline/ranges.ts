/** Largest log that one list shows: browsers limit the height of an element. */
export const WHOLE = 150_000
/** Events of one range of a longer log. */
export const SIZE = 100_000
/** Events up to which an open list grows. */
const GROWN = 300_000

/** A part of the log that one list shows. Without `to` it reaches the end of the log. */
export interface Range {
  readonly from: number
  readonly to: number | undefined
}

/** The range that holds the event, of a log that ends at `head`. */
export function rangeWith(sequence: number, head: number): Range {
  if (head <= WHOLE) return { from: 1, to: undefined }
  const last = Math.floor((head - 1) / SIZE)
  const number = Math.min(Math.floor((Math.max(1, sequence) - 1) / SIZE), last)
  const from = number * SIZE + 1
  return { from, to: number === last ? undefined : from + SIZE - 1 }
}

/** The last event that the range shows. */
export function endTime({ from, to }: Range, head: number): number {
  return Math.min(to ?? from + GROWN - 1, head)
}

/** Whether the range shows the event. */
export function holds(range: Range, sequence: number, head: number): boolean {
  return sequence >= range.from && sequence <= endTime(range, head)
}

/** Whether new events appear in the range. */
export function isLast(range: Range, head: number): boolean {
  return endTime(range, head) === head
}
