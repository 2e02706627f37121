import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

/** Rows that are drawn beyond the edges of what is seen. */
const OVERSCAN = 8

interface Rows {
  readonly count: number
  /** Height of each, in pixels. */
  readonly height: number
  /** What stands above the rows and stays there, in pixels. */
  readonly above: number
  /** Where to begin, in pixels from the top. */
  readonly top: number
  readonly scroller: RefObject<HTMLElement | null>
  /** A row that is drawn wherever it is: taken away it would lose the focus. */
  readonly kept: number | undefined
}

/** Which of many rows of one height have to be drawn. */
export function useVirtualRows({ count, height, above, top, scroller, kept }: Rows) {
  const [, redraw] = useReducer((n: number, _: unknown) => n + 1, 0)
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    initialOffset: top,
    paddingStart: above,
    scrollPaddingStart: above,
    overscan: OVERSCAN,
    rangeExtractor: (range: Range) => withKept(defaultRangeExtractor(range), kept, count),
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height])
  return virtualizer
}

function withKept(shown: number[], kept: number | undefined, count: number): number[] {
  if (kept === undefined || kept >= count || shown.includes(kept)) return shown
  return [...shown, kept].sort((a, b) => a - b)
}
