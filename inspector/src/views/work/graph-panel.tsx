import type { Graph, GraphEdge } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { oneLine } from '../../parts/visible.ts'
import { EventLink, graphHref, TruncatedText } from './links.tsx'
import { splitNode } from './node-name.ts'

interface Props {
  readonly id: string
  readonly graph: Graph
  /** Those that are selected. */
  readonly edges: readonly GraphEdge[]
  readonly title: (node: string) => string
  readonly onClose: () => void
}

/** What is selected: relations with their evidence, or else the node in the centre. */
export function GraphPanel({ id, graph, edges, title, onClose }: Props) {
  const [first] = edges
  if (first === undefined) return <NodePanel graph={graph} title={title} />
  return (
    <section class="card stack" aria-label="Evidence">
      <div class="row between">
        <h2>Evidence</h2>
        <button type="button" class="button small" onClick={onClose}>
          Close
        </button>
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

/** A node by its name for people; the graph around it is behind the name. */
export function NodeLink({ id, node, title }: { id: string; node: string; title: (node: string) => string }) {
  return (
    <a href={graphHref(id, node)}>
      <span class="muted small">{oneLine(splitNode(node).kind, 40)}</span>{' '}
      <TruncatedText text={title(node)} most={120} />
    </a>
  )
}

/** Every event that says so. */
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

/** One event that says so, how sure it is, and what it names as its source. */
export function Evidence({ id, one }: { id: string; one: GraphEdge['evidence'][number] }) {
  return (
    <span class="facts small">
      <span>
        said by <EventLink id={id} sequence={one.sequence} />
      </span>
      {one.event !== undefined && (
        <span>
          shown by <EventLink id={id} sequence={one.event} />
        </span>
      )}
      {one.tool !== undefined && (
        <span>
          tool <code>{oneLine(one.tool, 80)}</code>
        </span>
      )}
      <span>confidence {Math.round(one.confidence * 100)} %</span>
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
    <section class="card stack" aria-label="Node in the centre">
      <h2>
        {oneLine(kind, 40)} <span class="muted small">in the centre</span>
      </h2>
      <Clamp text={words} most={600} />
      {words !== name && (
        <p class="muted small">
          named <code>{oneLine(node, 120)}</code>
        </p>
      )}
      <p class="small">
        {count(out)} {out === 1 && !truncated ? 'relation' : 'relations'} from it, {count(into)} to it.
      </p>
      <p class="muted small">Choose a node to put it in the centre, or the label of a relation to see its evidence.</p>
    </section>
  )
}
