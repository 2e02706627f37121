import { useCallback, useState } from 'preact/hooks'
import { useShowMore } from '../../parts/show-more.tsx'
import { useWidth } from '../../parts/use-width.ts'
import css from './run-chart.module.css'
import { RunRow } from './run-row.tsx'
import type { RunBar } from './runs.ts'
import { placeIn, type TimeRange, ticksOf } from './time-range.ts'

/** Runs that are listed at first. */
const FIRST = 100
/** Pixels that a label of the axis takes. */
const LABEL = 110
/** Pixels that it needs before the end of the axis. */
const ROOM = 90

interface Props {
  /** Id of the session. */
  readonly id: string
  readonly runs: readonly RunBar[]
  readonly range: TimeRange
}

/** A row for each run, newest first, below an axis of time. */
export function RunChart({ id, runs, range }: Props) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [axis, width] = useWidth<HTMLDivElement>()
  const { shown, more } = useShowMore(runs, FIRST)
  const { from, to } = range
  const toggle = useCallback((first: number) => {
    setOpen((before) =>
      before.has(first) ? new Set([...before].filter((one) => one !== first)) : new Set([...before, first]),
    )
  }, [])
  return (
    <>
      <div class={css.box}>
        <div class={css.head} aria-hidden="true">
          <div class={css.axis} ref={axis}>
            {width > 0 && <TickLabels range={range} width={width} />}
          </div>
        </div>
        {runs.length === 0 && <p class={css.none}>No run at that time.</p>}
        <ol class={css.rows} reversed aria-label="Runs, newest first">
          {shown.map((run) => (
            <RunRow
              key={run.first}
              id={id}
              run={run}
              from={from}
              to={to}
              isOpen={open.has(run.first)}
              onToggle={toggle}
            />
          ))}
        </ol>
      </div>
      {more}
    </>
  )
}

const FORMATS = {
  second: new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }),
  minute: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }),
}

function TickLabels({ range, width }: { range: TimeRange; width: number }) {
  const offset = new Date(range.from).getTimezoneOffset() * 60_000
  const { moments, unit } = ticksOf(range, Math.max(1, Math.floor(width / LABEL)), offset)
  return (
    <>
      {moments.map((at, i) => (
        <span key={at} style={{ insetInlineStart: `${placeIn(range, at) * 100}%` }}>
          {placeIn(range, at) * width < width - ROOM && (
            <>
              {unit !== 'day' && i === 0 && <b>{FORMATS.day.format(at)}</b>}
              {FORMATS[unit].format(at)}
            </>
          )}
        </span>
      ))}
    </>
  )
}
