import { defaultRangeExtractor } from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { useVirtual } from '../../parts/use-virtual.ts'

/** Rows that are drawn beyond the visible ones. */
const OVERSCAN = 8

interface Rows {
  readonly count: number
  /** Height of each, in pixels. */
  readonly height: number
  /** Height of the headings above them, in pixels. */
  readonly above: number
  /** Where to start, in pixels from the top. */
  readonly top: number
  readonly scroller: RefObject<HTMLElement | null>
  /** A row that is drawn wherever it is: removed, it would lose the focus. */
  readonly focused: number | undefined
}

/** Draws only the visible ones of many rows of one height. */
export function useVirtualRows({ count, height, above, top, scroller, focused }: Rows) {
  const virtual = useVirtual({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    initialOffset: top,
    paddingStart: above,
    scrollPaddingStart: above,
    overscan: OVERSCAN,
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), focused, count),
  })
  useLayoutEffect(() => virtual.measure(), [virtual, height])
  return virtual
}

function withRow(shown: number[], row: number | undefined, count: number): number[] {
  if (row === undefined || row >= count || shown.includes(row)) return shown
  return [...shown, row].sort((a, b) => a - b)
}
