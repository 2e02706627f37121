import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element in pixels, as it changes; 0 until it is known. For drawings whose text keeps its size. */
export function useWidth<E extends Element>(): readonly [ref: RefObject<E | null>, width: number] {
  const ref = useRef<E | null>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (ref.current === null) return
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    watcher.observe(ref.current)
    return () => watcher.disconnect()
  }, [])
  return [ref, width]
}
