import { useEffect, useRef, useState } from 'preact/hooks'
import type { Graph } from '../../api/types.ts'
import { TASK_NODE } from '../../domain.ts'
import { Button } from '../../parts/button.tsx'
import { Select } from '../../parts/select.tsx'
import { oneLine } from '../../parts/visible.ts'
import { navigate, setQuery } from '../../route.ts'
import css from './graph-controls.module.css'
import { type Direction, type GraphQuery, MAX_DEPTH } from './graph-query.ts'
import { graphHref, TruncatedText } from './links.tsx'
import { extendTrail, fileNode } from './node-name.ts'
import type { WorkIndex } from './work-index.ts'

const DIRECTION_NAMES = {
  both: 'both',
  out: 'outgoing',
  in: 'incoming',
} as const satisfies Record<Direction, string>

const DEPTHS = Array.from({ length: MAX_DEPTH }, (_, index) => [index + 1, index + 1] as const)

/** Node names suggested by the input. */
const MAX_SUGGESTIONS = 200

interface Props {
  readonly id: string
  readonly graphQuery: GraphQuery
  readonly graph: Graph | undefined
  readonly work: WorkIndex
}

/** Start node, depth, direction, labels and layout of the graph. */
export function GraphControls({ id, graphQuery, graph, work }: Props) {
  return (
    <div class="toolbar">
      <NodeForm id={id} graph={graph} work={work} />
      <Select label="Depth" value={graphQuery.depth} options={DEPTHS} onChange={(depth) => setQuery({ depth })} />
      <Select
        label="Direction"
        value={graphQuery.direction}
        options={Object.entries(DIRECTION_NAMES)}
        onChange={(direction) => setQuery({ direction })}
      />
      <fieldset class="row">
        <legend class="hidden">Layout</legend>
        {(['diagram', 'list'] as const).map((as) => (
          <Button
            key={as}
            look="small"
            text={as === 'list' ? 'List' : 'Diagram'}
            aria-pressed={graphQuery.as === as}
            onClick={() => setQuery({ as: as === 'list' ? as : undefined })}
          />
        ))}
      </fieldset>
      <Labels labels={graphQuery.labels} graph={graph} />
    </div>
  )
}

function NodeForm({ id, graph, work }: Omit<Props, 'graphQuery'>) {
  const [text, setText] = useState('')
  const known = new Set([...(graph?.nodes ?? []), ...work.files.flatMap(({ path }) => fileNode(path) ?? [])])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === '') return
    navigate(graphHref(id, text.trim()))
    setText('')
  }
  return (
    <form class={css.form} onSubmit={submit}>
      <label class={css.node}>
        <span class="hidden">Go to a node</span>
        <input
          class="input"
          list="nodes-of-the-graph"
          placeholder="Go to a node: file:src/…"
          spellcheck={false}
          autoComplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <datalist id="nodes-of-the-graph">
        {[...known].slice(0, MAX_SUGGESTIONS).map((node) => (
          <option key={node} value={node} />
        ))}
      </datalist>
      <button type="submit" class="button">
        Go
      </button>
    </form>
  )
}

/** Every label seen so far: a filtered response names no others. */
function Labels({ labels, graph }: { labels: readonly string[]; graph: Graph | undefined }) {
  const seen = useRef(new Set<string>())
  for (const label of [...labels, ...(graph?.edges.map((edge) => edge.label) ?? [])]) seen.current.add(label)
  if (seen.current.size < 2 && labels.length === 0) return null
  const toggle = (label: string) => {
    const chosen = labels.includes(label) ? labels.filter((one) => one !== label) : [...labels, label]
    setQuery({ labels: chosen.join() })
  }
  return (
    <fieldset class={css.labels}>
      <legend class="hidden">Filter by label</legend>
      <span class="muted small" aria-hidden="true">
        Labels
      </span>
      {[...seen.current]
        .toSorted()
        .slice(0, 50)
        .map((label) => (
          <label key={label} class="row small">
            <input type="checkbox" checked={labels.includes(label)} onChange={() => toggle(label)} />
            {oneLine(label, 64)}
          </label>
        ))}
      {labels.length > 0 && (
        <Button look="quiet small" text="All labels" onClick={() => setQuery({ labels: undefined })} />
      )}
    </fieldset>
  )
}

interface TrailProps {
  readonly id: string
  /** The node on display, if any. */
  readonly node: string | undefined
  readonly title: (node: string) => string
}

/** The nodes visited so far, starting at the task. The browser's "back" follows the same trail. */
export function GraphTrail({ id, node, title }: TrailProps) {
  const [trail, setTrail] = useState<readonly string[]>([TASK_NODE])
  useEffect(() => {
    if (node !== undefined) setTrail((before) => extendTrail(before, node))
  }, [node])
  if (trail.length < 2) return null
  return (
    <nav aria-label="Graph trail">
      <ol class={`facts small ${css.trail}`}>
        {trail.map((one) => (
          <li key={one}>
            {one === node ? (
              <strong aria-current="true">
                <TruncatedText text={title(one)} max={40} />
              </strong>
            ) : (
              <a href={graphHref(id, one)}>
                <TruncatedText text={title(one)} max={40} />
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
