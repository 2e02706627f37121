import { LIMITS } from './limits.ts'

/** An event with its parts as JSON text. */
interface Text {
  readonly content: string
  readonly parts?: string
}

/** Characters of an event. */
export function sizeOf({ content, parts = '' }: Text): number {
  return content.length + parts.length
}

/** Characters of all events of a page. */
export function sizeOfAll(page: readonly Text[]): number {
  let size = 0
  for (const event of page) size += sizeOf(event)
  return size
}

/**
 * Whether a page of a log is the last one. A page ends at the limit of its rows, at its size, or at the end of the log.
 */
export function isLastPage(page: readonly Text[], limit: number): boolean {
  return page.length < limit && sizeOfAll(page) < LIMITS.pageSize
}

/** Bytes of the content and parts of events, in UTF-8. */
export function bytesOfAll(events: readonly Text[]): number {
  let bytes = 0
  for (const { content, parts } of events) {
    bytes += Buffer.byteLength(content)
    if (parts !== undefined) bytes += Buffer.byteLength(parts)
  }
  return bytes
}
