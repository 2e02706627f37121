import { NODE_KINDS } from '../../domain.ts'
import { oneLine, visible } from '../../parts/visible.ts'
import css from './graph-items.module.css'
import { type Box, type GraphLayout, type Line, toArrowData, toPathData } from './graph-layout.ts'
import { splitNode, truncateMiddle } from './node-name.ts'

/** The lines; the buttons on them carry the labels. */
export function Lines({ layout, selected }: { layout: GraphLayout; selected: string | undefined }) {
  return (
    <svg class={css.lines} width={layout.width} height={layout.height} aria-hidden="true">
      {layout.lines.map(({ key, points }) => (
        <g key={key} data-selected={key === selected}>
          <path class={css.line} d={toPathData(points)} />
          <path class={css.arrow} d={toArrowData(points)} />
        </g>
      ))}
    </svg>
  )
}

const boxStyle = ({ x, y, width, height }: Box) => ({
  left: `${x - width / 2}px`,
  top: `${y - height / 2}px`,
  width: `${width}px`,
  height: `${height}px`,
})

interface LineProps {
  readonly line: Line
  readonly title: (node: string) => string
  readonly tabIndex: number
  readonly isSelected: boolean
  readonly onSelect: (key: string | undefined) => void
}

/** The label of a line; selecting it shows the evidence of its relations. */
export function LineButton({ line, title, tabIndex, isSelected, onSelect }: LineProps) {
  const { key, from, label, to } = line
  return (
    <button
      type="button"
      class={css.label}
      style={boxStyle(line)}
      data-item={key}
      tabIndex={tabIndex}
      aria-pressed={isSelected}
      aria-label={`${oneLine(title(from), 80)} ${label} ${oneLine(title(to), 80)}`}
      onClick={() => onSelect(isSelected ? undefined : key)}
    >
      <span>{visible(label)}</span>
    </button>
  )
}

interface NodeProps {
  readonly box: Box
  readonly href: string
  readonly name: string
  readonly tabIndex: number
  readonly isCenter: boolean
}

/** A node; selecting it centers the graph on it. */
export function NodeBox({ box, href, name, tabIndex, isCenter }: NodeProps) {
  const { kind } = splitNode(box.key)
  return (
    <a
      class={css.node}
      style={boxStyle(box)}
      href={href}
      data-item={box.key}
      data-kind={kind}
      tabIndex={tabIndex}
      title={oneLine(name, 1000)}
      aria-current={isCenter ? 'true' : undefined}
    >
      <span class={css.kind}>{visible(kind)}</span> <bdi class={css.name}>{shortenName(kind, name)}</bdi>
    </a>
  )
}

/** Keeps the start of prose, and both ends of a path or another name. */
function shortenName(kind: string, name: string): string {
  return PROSE_KINDS.includes(kind) ? oneLine(name, 60) : visible(truncateMiddle(name.replace(/\s+/g, ' '), 26))
}

const PROSE_KINDS = ['task', 'note', 'decision']

/** The kinds of nodes in the diagram, with their colors. */
export function Legend({ nodes }: { nodes: readonly Box[] }) {
  const present = new Set(nodes.map(({ key }) => splitNode(key).kind))
  return (
    <ul class={css.legend} aria-label="Node kinds">
      {NODE_KINDS.filter((kind) => present.has(kind)).map((kind) => (
        <li key={kind} data-kind={kind}>
          {kind}
        </li>
      ))}
    </ul>
  )
}
