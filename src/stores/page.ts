import { sizeOf } from '../domain/event-size.ts'
import { LIMITS } from '../domain/limits.ts'
import { itemSize, takeUntilFull } from '../domain/list-size.ts'
import type { StoredEvent } from '../ports/session-store.ts'

/** No page of the API has so many rows that shorter texts would matter. */
const MIN_INLINE = 1024

/**
 * Longest text, in bytes, that a store reads with the row of its event. Longer ones are read one by one afterwards, up
 * to the end of the page. The others fit into a page, however many rows it has.
 */
export function longestInline(limit: number): number {
  return Math.max(MIN_INLINE, Math.floor(LIMITS.pageSize / limit))
}

/** The events of the rows, up to the one that fills a page, or to a row without an event. */
export function fillPage<Row>(rows: Iterable<Row>, eventOf: (row: Row) => StoredEvent | undefined): StoredEvent[] {
  return takeUntilFull(rows, eventOf, sizeOf)
}

/** The items of the rows, up to the one that fills a page of a list. Reads no row after it. */
export function fillList<Row, Item extends object>(rows: Iterable<Row>, itemOf: (row: Row) => Item): Item[] {
  return takeUntilFull(rows, itemOf, itemSize)
}
