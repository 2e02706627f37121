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
