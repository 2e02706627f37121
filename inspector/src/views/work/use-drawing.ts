import { useEffect, useMemo, useState } from 'preact/hooks'
import type { GraphEdge } from '../../api/types.ts'
import { type Drawing, drawingOf } from './graph-drawing.ts'

/** The drawing of these relations. It is made after the page was painted; until then the last one stays. */
export function useDrawing(node: string | undefined, edges: readonly GraphEdge[]): Drawing | undefined {
  const [drawing, setDrawing] = useState<Drawing>()
  // a live session is asked again and again: what says the same is not drawn again
  const key = useMemo(
    () => JSON.stringify([node, ...edges.map(({ from, label, to }) => [from, label, to])]),
    [node, edges],
  )
  useEffect(() => {
    if (node === undefined) return
    const timer = setTimeout(() => setDrawing(drawingOf(node, edges)))
    return () => clearTimeout(timer)
  }, [key])
  return drawing
}
