import { useMemo } from 'preact/hooks'
import type { Axis } from './axis.ts'
import { chartLabel, ROW } from './chart-labels.ts'
import css from './lane-chart.module.css'
import type { Connector, Lane } from './lanes.ts'

interface Props {
  readonly lanes: readonly Lane[]
  readonly connectors: readonly Connector[]
  readonly axis: Axis
  readonly width: number
  readonly selected: number
}

/** Number of lane colors. */
const COLOURS = 6
const BAR = 14
/** Smallest distance between two ticks, in pixels. */
const APART = 3

/** Bars, ticks and arrows of the lanes. */
export function LanePlot({ lanes, connectors, axis, width, selected }: Props) {
  const height = lanes.length * ROW
  const x = (sequence: number) => axis.place(sequence) * width
  // lanes may have thousands of ticks: selecting a switch must not draw them again
  const drawn = useMemo(
    () => lanes.map((lane, i) => <LaneMarks key={lane.agent} lane={lane} row={i} axis={axis} width={width} />),
    [lanes, axis, width],
  )
  const chosen = connectors.find((one) => one.switch.sequence === selected)
  return (
    <svg
      class={css.svg}
      role="img"
      aria-label={chartLabel(lanes, connectors.length)}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      {axis.breaks.map(({ from, to }) => (
        <rect key={from} class={css.break} x={from * width} width={(to - from) * width} y={0} height={height} />
      ))}
      {drawn}
      {connectors.map((connector) => (
        <Arrow key={connector.switch.sequence} connector={connector} at={x(connector.switch.sequence)} />
      ))}
      {chosen !== undefined && (
        <g class={css.chosen}>
          <line x1={x(selected)} x2={x(selected)} y1={0} y2={height} />
          <Arrow connector={chosen} at={x(selected)} />
        </g>
      )}
    </svg>
  )
}

function LaneMarks({ lane, row, axis, width }: { lane: Lane; row: number; axis: Axis; width: number }) {
  const top = row * ROW
  const middle = top + ROW / 2
  const x = (sequence: number) => axis.place(sequence) * width
  const spans = lane.spans.filter(({ from, to }) => to > axis.first || from === axis.first)
  // merges ticks that would touch
  const ticks = new Map(lane.marks.map((mark) => [Math.round(x(mark.sequence) / APART) * APART, mark]))
  return (
    <g data-colour={lane.agent === undefined ? 'user' : (row - 1) % COLOURS}>
      <line class={css.ground} x1={0} x2={width} y1={top + ROW - 0.5} y2={top + ROW - 0.5} />
      {spans.map(({ from, to }) => (
        <rect
          key={from}
          class={css.bar}
          x={x(from)}
          y={middle - BAR / 2}
          width={Math.max(2, x(to) - x(from))}
          height={BAR}
          rx={3}
        />
      ))}
      {[...ticks].map(([at, { sequence, type }]) => (
        <line key={at} class={css.tick} x1={at} x2={at} y1={middle - 9} y2={middle + 9}>
          <title>{`#${sequence} ${type}`}</title>
        </line>
      ))}
    </g>
  )
}

/** From the middle of one lane to the dot in the other; within one lane there is only the dot. */
function Arrow({ connector: { from, to }, at }: { connector: Connector; at: number }) {
  if (from === to) return null
  const down = to > from ? 1 : -1
  const end = to * ROW + ROW / 2 - down * 7
  return (
    <g class={css.arrow}>
      <line x1={at} x2={at} y1={from * ROW + ROW / 2} y2={end - down * 4} />
      <path d={`M ${at} ${end} l -4 ${-down * 6} h 8 z`} />
    </g>
  )
}
