import type { SessionEvent } from '../../api/types.ts'
import type { Peek } from './turns.ts'

/** The events of a list by their place in it. */
export interface Rows {
  readonly count: number
  readonly sequenceAt: (index: number) => number
  readonly eventAt: (index: number) => SessionEvent | undefined
  /** The place of an event, below 0 if it is not in the list. */
  readonly indexOf: (sequence: number) => number
}

/** Rows that are the events of a log between two sequences, both included: there are no gaps. */
export function rowsOfLog(from: number, to: number, peek: Peek): Omit<Rows, 'sequenceAt'> {
  return {
    count: Math.max(0, to - from + 1),
    eventAt: (index) => peek(index + from),
    indexOf: (sequence) => (sequence >= from && sequence <= to ? sequence - from : -1),
  }
}

/** Rows that are these events, oldest first. */
export function rowsOfEvents(events: readonly SessionEvent[]): Rows {
  return {
    count: events.length,
    sequenceAt: (index) => events[index]?.sequence ?? 0,
    eventAt: (index) => events[index],
    indexOf: (sequence) => placeOf(events, sequence),
  }
}

function placeOf(events: readonly SessionEvent[], sequence: number): number {
  let low = 0
  let high = events.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const here = events[middle]?.sequence ?? 0
    if (here === sequence) return middle
    if (here < sequence) low = middle + 1
    else high = middle - 1
  }
  return -1
}
