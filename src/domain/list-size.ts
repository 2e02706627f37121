import { LIMITS } from './limits.ts'

/** Characters of an item of a list, as JSON. */
export function itemSize(item: object): number {
  return JSON.stringify(item).length
}

/**
 * Whether a page is the last one of its list. A page ends at the limit of its rows, at its size, or at the end of the
 * list.
 */
export function isEndOfList(page: readonly object[], limit: number): boolean {
  if (page.length >= limit) return false
  let size = 0
  for (const item of page) size += itemSize(item)
  return size < LIMITS.pageSize
}

/** The items of the rows, up to the one that fills a page, or to a row without an item. Reads no row after it. */
export function takeUntilFull<Row, Item>(
  rows: Iterable<Row>,
  itemOf: (row: Row) => Item | undefined,
  sizeOfItem: (item: Item) => number,
): Item[] {
  const page: Item[] = []
  let size = 0
  for (const row of rows) {
    const item = itemOf(row)
    if (item === undefined) break
    page.push(item)
    size += sizeOfItem(item)
    if (size >= LIMITS.pageSize) break
  }
  return page
}
