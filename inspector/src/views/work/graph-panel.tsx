import type { Graph, GraphEdge } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { oneLine } from '../../parts/visible.ts'
import { EventLink, graphHref, TruncatedText } from './links.tsx'
import { splitNode } from './node-name.ts'

interface Props {
  readonly id: string
  readonly graph: Graph
  /** The selected relations. */
  readonly edges: readonly GraphEdge[]
  readonly title: (node: string) => string
  readonly onClose: () => void
}

/** The selected relations with their evidence, or the center node. */
export function GraphPanel({ id, graph, edges, title, onClose }: Props) {
  const [first] = edges
  if (first === undefined) return <NodePanel graph={graph} title={title} />
  return (
    <section class="card stack" aria-label="Evidence">
      <div class="row between">
        <h2>Evidence</h2>
        <Button look="small" text="Close" onClick={onClose} />
      </div>
      {edges.map((edge) => (
        <div key={edge.label} class="stack">
          <p class="stack-1 wrap">
            <NodeLink id={id} node={edge.from} title={title} />
            <strong>{oneLine(edge.label, 64)}</strong>
            <NodeLink id={id} node={edge.to} title={title} />
          </p>
          <EvidenceList id={id} evidence={edge.evidence} />
        </div>
      ))}
    </section>
  )
}

/** A node's display name, linked to the graph around it. */
export function NodeLink({ id, node, title }: { id: string; node: string; title: (node: string) => string }) {
  return (
    <a href={graphHref(id, node)}>
      <span class="muted small">{oneLine(splitNode(node).kind, 40)}</span>{' '}
      <TruncatedText text={title(node)} max={120} />
    </a>
  )
}

/** All events that state the relation. */
function EvidenceList({ id, evidence }: { id: string; evidence: GraphEdge['evidence'] }) {
  const { shown, more } = useShowMore(evidence, 20)
  return (
    <>
      <ul class="stack-1">
        {shown.map((one) => (
          <li key={one.sequence}>
            <Evidence id={id} one={one} />
          </li>
        ))}
      </ul>
      {more && <div>{more}</div>}
    </>
  )
}

/** One event that states the relation, with its source and confidence. */
export function Evidence({ id, one }: { id: string; one: GraphEdge['evidence'][number] }) {
  return (
    <span class="facts small">
      <span>
        stated in <EventLink id={id} sequence={one.sequence} />
      </span>
      {one.event !== undefined && (
        <span>
          source <EventLink id={id} sequence={one.event} />
        </span>
      )}
      {one.tool !== undefined && (
        <span>
          tool <code>{oneLine(one.tool, 80)}</code>
        </span>
      )}
      <span>confidence {Math.round(one.confidence * 100)}%</span>
    </span>
  )
}

function NodePanel({ graph: { node, edges, truncated }, title }: Pick<Props, 'graph' | 'title'>) {
  const { kind, name } = splitNode(node)
  const out = edges.filter(({ from }) => from === node).length
  const into = edges.filter(({ to }) => to === node).length
  const words = title(node)
  const count = (relations: number) => relations.toLocaleString('en') + (truncated ? ' or more' : '')
  return (
    <section class="card stack" aria-label="Center node">
      <h2>
        {oneLine(kind, 40)} <span class="muted small">center node</span>
      </h2>
      <Clamp text={words} most={600} />
      {words !== name && (
        <p class="muted small">
          node id <code>{oneLine(node, 120)}</code>
        </p>
      )}
      <p class="small">
        Outgoing relations: {count(out)}. Incoming: {count(into)}.
      </p>
      <p class="muted small">Select a node to center the graph on it, or a relation's label to see its evidence.</p>
    </section>
  )
}
