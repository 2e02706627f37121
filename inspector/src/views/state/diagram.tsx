import { useId } from 'preact/hooks'
import type { SessionState } from '../../api/types.ts'
import { STATE_NAMES } from '../../parts/status.tsx'
import css from './diagram.module.css'
import { type DiagramLayout, type EdgeLayout, isDrawn, TALL, WIDE } from './diagram-layout.ts'
import type { Step, StepKind } from './path.ts'
import { COMMANDS } from './transitions.ts'

interface DiagramProps {
  /** The current state. */
  readonly state: SessionState
  /** Whether the session expired in this state. */
  readonly isOver: boolean
  /** How often the session took each step. */
  readonly taken: ReadonlyMap<StepKind, number>
  /** The step to highlight. */
  readonly highlighted: Step | undefined
}

/** The state machine with the current state and how often the session took each step. */
export function Diagram(props: DiagramProps) {
  return (
    <div class={css.diagram}>
      <DiagramSvg {...props} places={WIDE} class={css.wide} />
      <DiagramSvg {...props} places={TALL} class={css.tall} />
    </div>
  )
}

const STATES = Object.keys(STATE_NAMES) as SessionState[]
const STEPS = ['create', ...COMMANDS] as const

type SvgProps = DiagramProps & { places: DiagramLayout; class: string | undefined }

function DiagramSvg({ places, state, isOver, taken, highlighted, class: name }: SvgProps) {
  const arrow = useId()
  const { width, height, live, start } = places
  const shown = isDrawn(highlighted?.kind) ? highlighted.kind : undefined
  return (
    <svg
      class={name}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={describeDiagram(state, isOver, taken)}
    >
      <defs>
        {(['quiet', 'taken', 'highlighted'] as const).map((kind) => (
          <marker
            key={kind}
            id={`${arrow}-${kind}`}
            class={css.arrow}
            data-kind={kind}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8Z" />
          </marker>
        ))}
      </defs>
      <rect class={css.live} x={live.x} y={live.y} width={live.width} height={live.height} rx="12" />
      <text class={css.liveName} x={live.x + live.width - 12} y={live.y + 19} text-anchor="end">
        live
      </text>
      <circle class={css.start} cx={start.x} cy={start.y} r="6" />
      {STEPS.map((kind) => (
        <Edge
          key={kind}
          name={kind}
          place={places.steps[kind]}
          times={kind === 'create' ? 1 : (taken.get(kind) ?? 0)}
          isHighlighted={kind === shown}
          arrow={arrow}
        />
      ))}
      {STATES.map((one) => (
        <Node
          key={one}
          state={one}
          places={places}
          mark={one !== state ? undefined : isOver ? 'last' : 'now'}
          isHighlighted={highlighted !== undefined && (highlighted.state === one || highlighted.from === one)}
        />
      ))}
    </svg>
  )
}

interface EdgeProps {
  readonly name: keyof DiagramLayout['steps']
  readonly place: EdgeLayout
  readonly times: number
  readonly isHighlighted: boolean
  readonly arrow: string
}

function Edge({ name, place: { line, x, y, anchor }, times, isHighlighted, arrow }: EdgeProps) {
  const kind = isHighlighted ? 'highlighted' : times > 0 ? 'taken' : 'quiet'
  return (
    <g class={css.edge} data-kind={kind}>
      <path class={css.line} d={line} marker-end={`url(#${arrow}-${kind})`} />
      {name !== 'create' && (
        <text class={css.label} x={x} y={y} text-anchor={anchor}>
          {name}
          {times > 0 && <tspan class={css.times}> ×{times.toLocaleString('en')}</tspan>}
        </text>
      )}
    </g>
  )
}

interface NodeProps {
  readonly state: SessionState
  readonly places: DiagramLayout
  /** Marks the current or last state. */
  readonly mark: 'now' | 'last' | undefined
  readonly isHighlighted: boolean
}

function Node({ state, places, mark, isHighlighted }: NodeProps) {
  const isNow = mark !== undefined
  const { x, y, width, height } = places.states[state]
  const middle = y + height / 2
  return (
    <g class={css.node} data-state={state} data-now={isNow} data-highlighted={isHighlighted}>
      {isNow && <rect class={css.halo} x={x - 4} y={y - 4} width={width + 8} height={height + 8} rx="12" />}
      <rect class={css.box} x={x} y={y} width={width} height={height} rx="8" />
      <text class={css.name} x={x + width / 2} y={middle + (isNow ? -2 : 4)} text-anchor="middle">
        {STATE_NAMES[state]}
      </text>
      {isNow && (
        <text class={css.now} x={x + width / 2} y={middle + 14} text-anchor="middle">
          {mark}
        </text>
      )}
    </g>
  )
}

function describeDiagram(state: SessionState, isOver: boolean, taken: DiagramProps['taken']): string {
  const steps = COMMANDS.filter((command) => taken.has(command)).map((command) => `${command} ${taken.get(command)}`)
  const how = steps.length === 0 ? 'no steps taken yet' : `steps taken: ${steps.join(', ')}`
  const where = isOver ? `was ${STATE_NAMES[state]} when it expired` : `is ${STATE_NAMES[state]}`
  return `State machine. The session ${where}; ${how}.`
}
