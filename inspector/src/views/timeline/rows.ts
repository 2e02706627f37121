import type { SessionEvent } from '../../api/types.ts'
import type { Peek } from './turn-numbers.ts'

/** The events of a list by their place in it. */
export interface Rows {
  readonly count: number
  readonly sequenceAt: (index: number) => number
  readonly eventAt: (index: number) => SessionEvent | undefined
  /** The place of an event, below 0 if it is not in the list. */
  readonly indexOf: (sequence: number) => number
}

/** The place of the last event up to this one, or else of the first. */
export function nearest({ count, sequenceAt }: Pick<Rows, 'count' | 'sequenceAt'>, sequence: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sequenceAt(middle) <= sequence) low = middle
    else high = middle - 1
  }
  return low
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
  const sequenceAt = (index: number) => events[index]?.sequence ?? 0
  return {
    count: events.length,
    sequenceAt,
    eventAt: (index) => events[index],
    indexOf: (sequence) => {
      const index = nearest({ count: events.length, sequenceAt }, sequence)
      return events[index]?.sequence === sequence ? index : -1
    },
  }
}
