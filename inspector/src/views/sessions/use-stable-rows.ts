import { useCallback, useRef } from 'preact/hooks'

/** Milliseconds after a pointer move in which no row moves. */
const REST = 4000
/** Pixels from the top that still count as the top. */
const TOP = 4

/** Whether rows may move: not while the reader has scrolled down, has focus in the list, or is about to click. */
export function useStableRows() {
  const scroller = useRef<HTMLElement | null>(null)
  const pointedAt = useRef(Number.NEGATIVE_INFINITY)
  const onScroller = useCallback((element: HTMLElement | null) => {
    scroller.current = element
    element?.addEventListener('pointermove', () => {
      pointedAt.current = performance.now()
    })
  }, [])
  const mayMove = useCallback(() => {
    const element = scroller.current
    if (element === null) return true
    const isPointed = performance.now() - pointedAt.current < REST && element.matches(':hover')
    return element.scrollTop <= TOP && !isPointed && !element.contains(document.activeElement)
  }, [])
  const toTop = useCallback(() => scroller.current?.scrollTo({ top: 0 }), [])
  const top = useCallback(() => scroller.current?.scrollTop ?? 0, [])
  return { onScroller, mayMove, toTop, top }
}
