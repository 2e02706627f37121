import { useEffect, useMemo, useRef } from 'preact/hooks'
import { formatDuration } from '../../parts/time.tsx'
import { useWidth } from '../../parts/use-width.ts'
import { visible } from '../../parts/visible.ts'
import { nameParts } from './agent-name.ts'
import type { Axis } from './axis.ts'
import { ROW, switchLabel, tickLabel } from './chart-labels.ts'
import css from './lane-chart.module.css'
import { LanePlot } from './lane-plot.tsx'
import type { Connector, Lane } from './lanes.ts'

interface Props {
  readonly lanes: readonly Lane[]
  readonly connectors: readonly Connector[]
  readonly axis: Axis
  readonly isByTime: boolean
  /** Sequence of the selected switch. */
  readonly selected: number
  readonly select: (sequence: number) => void
}

/** The lanes, with names and an axis that stay in place while the rest scrolls. */
export function LaneChart({ lanes, connectors, axis, isByTime, selected, select }: Props) {
  const box = useRef<HTMLElement>(null)
  const names = useRef<HTMLUListElement>(null)
  const [plot, width] = useWidth<HTMLDivElement>()
  useEffect(() => {
    const found = connectors.find((one) => one.switch.sequence === selected)
    const { current } = box
    if (found === undefined || current === null) return
    const room = Math.max(100, current.clientWidth - (names.current?.offsetWidth ?? 0))
    const x = axis.place(selected) * width
    if (x < current.scrollLeft || x > current.scrollLeft + room) current.scrollLeft = x - room / 2
    const y = Math.min(found.from, found.to) * ROW
    if (y < current.scrollTop || y > current.scrollTop + current.clientHeight - 2 * ROW) current.scrollTop = y
  }, [selected, width])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard
    <section class={css.box} tabIndex={0} aria-label="Agent lanes" ref={box}>
      <div class={css.grid}>
        <span class={css.corner} />
        <AxisLine axis={axis} width={width} isByTime={isByTime} />
        <ul class={css.names} ref={names}>
          {lanes.map(({ agent }) => (
            <li key={agent} title={agent === undefined ? undefined : visible(agent)}>
              {agent === undefined ? <span class={css.user}>user</span> : <Name agent={agent} />}
            </li>
          ))}
        </ul>
        <div class={css.plot} ref={plot} style={{ height: `${lanes.length * ROW}px` }}>
          {width > 0 && <LanePlot {...{ lanes, connectors, axis, width, selected }} />}
          {width > 0 &&
            connectors.map((connector) => (
              <SwitchButton key={connector.switch.sequence} {...{ connector, axis, width, selected, select }} />
            ))}
        </div>
      </div>
    </section>
  )
}

/** A name as wide as there is room; its end is always visible. */
function Name({ agent }: { agent: string }) {
  const [head, tail] = nameParts(agent, 60)
  return (
    <bdi class={css.name}>
      {head !== '' && <span>{head}</span>}
      <span>{tail}</span>
    </bdi>
  )
}

type SwitchProps = Pick<Props, 'axis' | 'selected' | 'select'> & { connector: Connector; width: number }

/** The head of an arrow, as a button. Keyboard users select switches in the list below. */
function SwitchButton({ connector, axis, width, selected, select }: SwitchProps) {
  const { switch: made, to } = connector
  const place = axis.place(made.sequence)
  const label = switchLabel(made)
  return (
    <button
      type="button"
      tabIndex={-1}
      class={css.switch}
      data-kind={made.kind}
      aria-label={label}
      title={label}
      aria-pressed={made.sequence === selected}
      style={{ transform: `translate(${place * width}px, ${to * ROW + ROW / 2}px)` }}
      onClick={() => select(made.sequence)}
    />
  )
}

function AxisLine({ axis, width, isByTime }: Pick<Props, 'axis' | 'isByTime'> & { width: number }) {
  const ticks = useMemo(() => axis.ticks(Math.max(2, Math.floor(width / 150))), [axis, width])
  const named = useMemo(() => breaksWithRoom(axis.breaks, 56 / width), [axis, width])
  return (
    <div class={css.axis} aria-hidden="true" data-breaks={axis.breaks.length > 0}>
      <div class={css.scale}>
        {ticks.map(({ place, value }, i) => (
          <span
            key={place}
            data-edge={i === 0 ? 'start' : place > 0.95 ? 'end' : undefined}
            style={{ insetInlineStart: `${place * 100}%` }}
          >
            {tickLabel(value, isByTime, ticks[i - 1]?.value)}
          </span>
        ))}
        {named.map(({ from, to, ms }) => (
          <em
            key={from}
            title={`${formatDuration(ms)} without events`}
            style={{ insetInlineStart: `${(from + to) * 50}%` }}
          >
            {formatDuration(ms)}
          </em>
        ))}
      </div>
    </div>
  )
}

/** The breaks that have room for a label. */
function breaksWithRoom(breaks: Axis['breaks'], room: number): Axis['breaks'] {
  let last = Number.NEGATIVE_INFINITY
  return breaks.filter(({ from }) => {
    if (from - last < room) return false
    last = from
    return true
  })
}
