import { oneLine, visible } from '../../parts/visible.ts'
import css from './graph-items.module.css'
import { type Box, type GraphLayout, type Line, toArrowData, toPathData } from './graph-layout.ts'
import { KINDS, splitNode, truncateMiddle } from './node-name.ts'

/** The lines themselves; what they say is in the buttons on them. */
export function Lines({ drawing, selected }: { drawing: GraphLayout; selected: string | undefined }) {
  return (
    <svg class={css.lines} width={drawing.width} height={drawing.height} aria-hidden="true">
      {drawing.lines.map(({ key, points }) => (
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

/** What the relations of a line are called; choosing it shows their evidence. */
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
  readonly isCentre: boolean
}

/** A node; choosing it puts it in the centre. */
export function NodeBox({ box, href, name, tabIndex, isCentre }: NodeProps) {
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
      aria-current={isCentre ? 'true' : undefined}
    >
      <span class={css.kind}>{visible(kind)}</span> <bdi class={css.name}>{shortenName(kind, name)}</bdi>
    </a>
  )
}

/** Of words the beginning tells most; of a path or another name its two ends. */
function shortenName(kind: string, name: string): string {
  return PROSE_KINDS.includes(kind) ? oneLine(name, 60) : visible(truncateMiddle(name.replace(/\s+/g, ' '), 26))
}

const PROSE_KINDS = ['task', 'note', 'decision']

/** The kinds of nodes that are there, with their colours. */
export function Legend({ nodes }: { nodes: readonly Box[] }) {
  const here = new Set(nodes.map(({ key }) => splitNode(key).kind))
  return (
    <ul class={css.legend} aria-label="Kinds of nodes">
      {KINDS.filter((kind) => here.has(kind)).map((kind) => (
        <li key={kind} data-kind={kind}>
          {kind}
        </li>
      ))}
    </ul>
  )
}
