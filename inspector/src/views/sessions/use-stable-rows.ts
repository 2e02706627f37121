import { useCallback, useRef } from 'preact/hooks'

/** Milliseconds after the pointer came to rest in which nothing moves under it. */
const REST = 4000
/** Pixels from the top that still count as the top. */
const TOP = 4

/** Whether rows may move: not while somebody has scrolled down, stands in the list with the keyboard, or is about to click. */
export function useStableRows() {
  const scroller = useRef<HTMLElement | null>(null)
  const pointedAt = useRef(Number.NEGATIVE_INFINITY)
  // pixels from the top: an element that is taken away does not tell them any more
  const scrolled = useRef(0)
  const onScroller = useCallback((element: HTMLElement | null) => {
    scroller.current = element
    if (element !== null) scrolled.current = element.scrollTop
    element?.addEventListener('scroll', () => {
      scrolled.current = element.scrollTop
    })
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
  return { onScroller, mayMove, toTop, scrolled }
}
