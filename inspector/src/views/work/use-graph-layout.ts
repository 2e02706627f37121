import { useEffect, useMemo, useState } from 'preact/hooks'
import type { GraphEdge } from '../../api/types.ts'
import { type GraphLayout, layoutGraph } from './graph-layout.ts'

/** Lays the relations out after the page has painted; until then the last layout stays. */
export function useGraphLayout(node: string | undefined, edges: readonly GraphEdge[]): GraphLayout | undefined {
  const [drawing, setDrawing] = useState<GraphLayout>()
  // a live session reloads often: equal relations are not laid out again
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
