import { scaleLinear } from 'd3-scale'
import { curveStepAfter, line } from 'd3-shape'
import type { MemoryChange, MemorySource } from '../../api/types.ts'
import { useShowMore } from '../../parts/show-more.tsx'
import { formatTime } from '../../parts/time.tsx'
import { useWidth } from '../../parts/use-width.ts'
import { oneLine } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import css from './detail.module.css'
import { CHANGE_NAMES, describeChanges, eventRange, formatConfidence, formatRange } from './memory-text.ts'

/** With more changes than this, the chart marks none. */
const MAX_MARKED = 60

interface Props {
  readonly changes: readonly MemoryChange[]
  readonly hrefOf: (id: string) => string
}

/** The confidence over time, as a chart and a list of changes. */
export function ConfidenceHistory({ changes, hrefOf }: Props) {
  const { shown, more } = useShowMore(changes, 30)
  return (
    <>
      <p>{describeChanges(changes)}</p>
      {changes.length > 1 && <ConfidenceChart changes={changes} />}
      <ol class={`rows small wrap ${css.changes}`}>
        {shown.map(({ version, at, change, confidence, source, note, by }) => (
          <li key={version}>
            <span class="nowrap">{formatConfidence(confidence)}</span>
            <span>
              {CHANGE_NAMES[change] ?? change}
              {by !== undefined && (
                <>
                  {' '}
                  by <a href={hrefOf(by)}>another memory</a>
                </>
              )}
              {note !== undefined && <span dir="auto">: {oneLine(note, 300)}</span>}
              {source !== undefined && <Source source={source} />}
            </span>
            <time class="muted small" dateTime={at}>
              {formatTime(at)}
            </time>
          </li>
        ))}
      </ol>
      {more && <div>{more}</div>}
    </>
  )
}

/** The source of a change: an event or an external source. */
function Source({ source }: { source: MemorySource }) {
  const range = eventRange(source)
  return (
    <span class={css.source}>
      {source.sessionId !== undefined && range !== undefined && (
        <a href={eventHref(source.sessionId, range.from)}>{formatRange(range)}</a>
      )}
      {source.source !== undefined && <span dir="auto">{oneLine(source.source, 100)}</span>}
    </span>
  )
}

const HEIGHT = 96
const EDGE = { top: 8, right: 10, bottom: 8, left: 30 } as const

function ConfidenceChart({ changes }: { changes: readonly MemoryChange[] }) {
  const [ref, width] = useWidth<HTMLDivElement>()
  const x = scaleLinear([0, changes.length], [EDGE.left, width - EDGE.right])
  const y = scaleLinear([0, 1], [HEIGHT - EDGE.bottom, EDGE.top])
  const points = changes.map(({ confidence }, i): [number, number] => [x(i), y(confidence)])
  const last = points.at(-1)
  // the last step extends to the edge
  const path = line().curve(curveStepAfter)([
    ...points,
    ...(last ? [[x(changes.length), last[1]] as [number, number]] : []),
  ])
  return (
    <div ref={ref} class={css.steps}>
      {width > 0 && (
        <svg class="drawing" width={width} height={HEIGHT} role="img" aria-label={describeChanges(changes)}>
          {[0, 0.5, 1].map((tick) => (
            <g key={tick} transform={`translate(0 ${y(tick)})`}>
              <line class="gridline" x1={EDGE.left} x2={width - EDGE.right} />
              <text class="axis" x={EDGE.left - 6} dy="0.32em" text-anchor="end">
                {tick}
              </text>
            </g>
          ))}
          <path class={css.path} d={path ?? ''} />
          {points.length <= MAX_MARKED &&
            points.map(([cx, cy], i) => (
              <circle key={changes[i]?.version} class={css.dot} cx={cx} cy={cy} r="3">
                <title>{`${changes[i]?.change}: ${formatConfidence(changes[i]?.confidence ?? 0)}`}</title>
              </circle>
            ))}
        </svg>
      )}
    </div>
  )
}
