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

/** Relations that are asked for: what the server gives at most. */
const MAX_EDGES = 500

interface Props {
  readonly data: SessionData
  readonly things: WorkIndex
  /** Sequence of the last step: with each new one there may be more relations. */
  readonly latest: number
}

/** What is related to a node of the work, as a diagram or a list. */
export function GraphPart({ data, things, latest }: Props) {
  const asked = parseGraphQuery(query.value)
  const answer = useGraph(data.id, asked, useThrottled(latest, 1000))
  // below a problem stands nothing: it would be the answer to another question
  const graph = answer.problem === undefined ? answer.value : undefined
  const drawn = useMemo(() => (graph === undefined ? [] : nearestEdges(graph)), [graph])
  const drawing = useGraphLayout(graph?.node, drawn)
  const [selected, setSelected] = useState<string>()
  useEffect(() => setSelected(undefined), [asked.node])
  const task = data.record.value?.task
  const title = useMemo(() => (node: string) => displayName(node, things.texts, task), [things.texts, task])
  const edges = graph?.edges.filter((edge) => lineKey(edge) === selected) ?? []
  return (
    <div class="stack">
      <GraphControls id={data.id} asked={asked} graph={graph} things={things} />
      <GraphTrail id={data.id} node={graph?.node} title={title} />
      <ProblemNote problem={answer.problem} onRetry={answer.reload} />
      {graph === undefined && answer.isLoading && <Loading />}
      {graph !== undefined && (
        <TruncationNote graph={graph} drawn={asked.as === 'list' ? graph.edges.length : drawn.length} />
      )}
      {graph !== undefined && graph.edges.length === 0 && (
        <p class="note">
          Nothing is related to this node here: choose another direction, more labels, or another node.
        </p>
      )}
      {graph !== undefined && graph.edges.length > 0 && (
        <div class="columns aside">
          {asked.as === 'list' ? (
            <GraphList id={data.id} edges={graph.edges} title={title} />
          ) : (
            <GraphDiagram
              id={data.id}
              drawing={drawing}
              centre={graph.node}
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
      {truncated && <>There is more than the {edges.length.toLocaleString('en')} relations that were read. </>}
      {isCut && (
        <>
          The {drawn} nearest of {edges.length} relations are drawn; the list has these {edges.length}.{' '}
        </>
      )}
      Choose a smaller depth, a label, or another node.
    </p>
  )
}
