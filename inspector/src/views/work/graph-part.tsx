import { useEffect, useMemo, useState } from 'preact/hooks'
import { get, sessionPath } from '../../api/client.ts'
import type { Graph } from '../../api/types.ts'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { query } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { GraphControls, GraphTrail } from './graph-controls.tsx'
import { GraphDiagram } from './graph-diagram.tsx'
import { lineKey, nearestEdges } from './graph-layout.ts'
import { GraphList } from './graph-list.tsx'
import { GraphPanel } from './graph-panel.tsx'
import { type GraphQuery, parseGraphQuery } from './graph-query.ts'
import { displayName } from './node-name.ts'
import { useGraphLayout } from './use-graph-layout.ts'
import { useThrottled } from './use-throttled.ts'
import type { WorkIndex } from './work-index.ts'

/** Relations to request: the server's maximum. */
const MAX_EDGES = 500

interface Props {
  readonly data: SessionData
  readonly work: WorkIndex
  /** Sequence of the last step: each new step may add relations. */
  readonly latest: number
}

/** The relations around a node, as a diagram or a list. */
export function GraphPart({ data, work, latest }: Props) {
  const graphQuery = parseGraphQuery(query.value)
  const request = useGraph(data.id, graphQuery, useThrottled(latest, 1000))
  // after an error the last graph belongs to another query, so it is hidden
  const graph = request.problem === undefined ? request.value : undefined
  const drawn = useMemo(() => (graph === undefined ? [] : nearestEdges(graph)), [graph])
  const layout = useGraphLayout(graph?.node, drawn)
  const [selected, setSelected] = useState<string>()
  useEffect(() => setSelected(undefined), [graphQuery.node])
  const task = data.record.value?.task
  const title = useMemo(() => (node: string) => displayName(node, work.texts, task), [work.texts, task])
  const edges = graph?.edges.filter((edge) => lineKey(edge) === selected) ?? []
  return (
    <div class="stack">
      <GraphControls id={data.id} graphQuery={graphQuery} graph={graph} work={work} />
      <GraphTrail id={data.id} node={graph?.node} title={title} />
      <ProblemNote problem={request.problem} onRetry={request.reload} />
      {graph === undefined && request.isLoading && <Loading />}
      {graph !== undefined && (
        <TruncationNote graph={graph} drawn={graphQuery.as === 'list' ? graph.edges.length : drawn.length} />
      )}
      {graph !== undefined && graph.edges.length === 0 && (
        <p class="note">No relations match. Try another direction, more labels or another node.</p>
      )}
      {graph !== undefined && graph.edges.length > 0 && (
        <div class="columns aside">
          {graphQuery.as === 'list' ? (
            <GraphList id={data.id} edges={graph.edges} title={title} />
          ) : (
            <GraphDiagram
              id={data.id}
              layout={layout}
              center={graph.node}
              title={title}
              selected={selected}
              onSelect={setSelected}
            />
          )}
          <GraphPanel id={data.id} graph={graph} edges={edges} title={title} onClose={() => setSelected(undefined)} />
        </div>
      )}
    </div>
  )
}

function useGraph(id: string, { node, depth, direction, labels }: GraphQuery, latest: number) {
  const ask = (signal: AbortSignal) =>
    get<Graph>(sessionPath(id, '/graph'), { node, depth, direction, labels, limit: MAX_EDGES }, signal)
  return useRequest(ask, [id, node, depth, direction, labels.join(), latest])
}

function TruncationNote({ graph: { edges, truncated }, drawn }: { graph: Graph; drawn: number }) {
  const isCut = drawn < edges.length
  if (!truncated && !isCut) return null
  return (
    <p class="note small">
      {truncated && <>Only the first {edges.length.toLocaleString('en')} relations were loaded. </>}
      {isCut && (
        <>
          The diagram shows the {drawn} nearest relations; the list shows all {edges.length}.{' '}
        </>
      )}
      Choose a smaller depth, a label or another node to see less.
    </p>
  )
}
