import { useEffect, useMemo, useState } from 'preact/hooks'
import type { GraphEdge } from '../../api/types.ts'
import { type GraphLayout, layoutGraph } from './graph-layout.ts'

/** The drawing of these relations. It is made after the page was painted; until then the last one stays. */
export function useGraphLayout(node: string | undefined, edges: readonly GraphEdge[]): GraphLayout | undefined {
  const [drawing, setDrawing] = useState<GraphLayout>()
  // a live session is asked again and again: what says the same is not drawn again
  const key = useMemo(
    () => JSON.stringify([node, ...edges.map(({ from, label, to }) => [from, label, to])]),
    [node, edges],
  )
  useEffect(() => {
    if (node === undefined) return
    const timer = setTimeout(() => setDrawing(layoutGraph(node, edges)))
    return () => clearTimeout(timer)
  }, [key])
  return drawing
}
