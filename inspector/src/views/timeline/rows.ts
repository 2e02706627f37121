import type { SessionEvent } from '../../api/types.ts'
import { type Entry, eventEntry, isGroup } from './grouped-rows.ts'
import type { Peek } from './turn-numbers.ts'

/** The rows of a list by index. */
export interface Rows {
  readonly count: number
  readonly entryAt: (index: number) => Entry | undefined
  /** Identifies a row: the sequence of its event; that of a group lies just before its first event. */
  readonly keyAt: (index: number) => number
  /** The event of the row, if it is loaded and the row is no group. */
  readonly eventAt: (index: number) => SessionEvent | undefined
  /** The index of the row that shows an event, or hides it in a group; negative if none does. */
  readonly indexOf: (sequence: number) => number
}

/** Distance of the key of a group from its first event. */
const BEFORE = 0.5

/** The key of a row. */
export const keyOf = (entry: Entry) => (isGroup(entry) ? entry.from - BEFORE : entry.from)

/** The index of the last row up to this key, else of the first. */
export function nearest({ count, keyAt }: Pick<Rows, 'count' | 'keyAt'>, key: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (keyAt(middle) <= key) low = middle
    else high = middle - 1
  }
  return low
}

/** Every event of a log between two sequences, both included, as a row of its own. */
export function rowsOfLog(from: number, to: number, peek: Peek): Rows {
  return {
    count: Math.max(0, to - from + 1),
    entryAt: (index) => eventEntry(index + from),
    keyAt: (index) => index + from,
    eventAt: (index) => peek(index + from),
    indexOf: (sequence) => (sequence >= from && sequence <= to ? Math.floor(sequence - from) : -1),
  }
}

/** These events as rows, oldest first. */
export function rowsOfEvents(events: readonly SessionEvent[]): Rows {
  const keyAt = (index: number) => events[index]?.sequence ?? 0
  return {
    count: events.length,
    entryAt: (index) => (events[index] === undefined ? undefined : eventEntry(keyAt(index))),
    keyAt,
    eventAt: (index) => events[index],
    indexOf: (sequence) => {
      const index = nearest({ count: events.length, keyAt }, sequence)
      return events[index]?.sequence === sequence ? index : -1
    },
  }
}

/** Groups and single events as rows, in order. */
export function rowsOfEntries(entries: readonly Entry[], peek: Peek): Rows {
  const keys = entries.map(keyOf)
  const keyAt = (index: number) => keys[index] ?? 0
  return {
    count: entries.length,
    entryAt: (index) => entries[index],
    keyAt,
    eventAt: (index) => {
      const entry = entries[index]
      return entry?.kind === 'event' ? peek(entry.from) : undefined
    },
    indexOf: (sequence) => {
      const index = nearest({ count: entries.length, keyAt }, sequence)
      const entry = entries[index]
      return entry !== undefined && sequence >= keyOf(entry) && sequence <= entry.to ? index : -1
    },
  }
}
