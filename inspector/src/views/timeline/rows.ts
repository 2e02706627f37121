import type { SessionEvent } from '../../api/types.ts'
import type { Peek } from './turn-numbers.ts'

/** The events of a list by index. */
export interface Rows {
  readonly count: number
  readonly sequenceAt: (index: number) => number
  readonly eventAt: (index: number) => SessionEvent | undefined
  /** The index of an event, negative if it is not in the list. */
  readonly indexOf: (sequence: number) => number
}

/** The index of the last event up to this one, else of the first. */
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

/** The events of a log between two sequences, both included. */
export function rowsOfLog(from: number, to: number, peek: Peek): Omit<Rows, 'sequenceAt'> {
  return {
    count: Math.max(0, to - from + 1),
    eventAt: (index) => peek(index + from),
    indexOf: (sequence) => (sequence >= from && sequence <= to ? sequence - from : -1),
  }
}

/** These events as rows, oldest first. */
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
