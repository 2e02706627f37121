import { formatSpan } from '../../parts/amounts.ts'
import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { Fact } from '../../parts/fact.tsx'
import { memo } from '../../parts/memo.tsx'
import { RUN_STATE_NAMES, RunBadge } from '../../parts/run-badge.tsx'
import { formatTime } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import css from './run-chart.module.css'
import type { RunBar } from './runs.ts'
import { placeIn, withRoom } from './time-range.ts'
import { showRange } from './zoom-controls.tsx'

interface Props {
  /** Id of the session. */
  readonly id: string
  readonly run: RunBar
  /** The range of the axis. */
  readonly from: number
  readonly to: number
  readonly isOpen: boolean
  readonly onToggle: (first: number) => void
}

/** One run: what it was, its bar, and details on demand. */
export const RunRow = memo(({ id, run, from, to, isOpen, onToggle }: Props) => {
  const { generation, worker, state, first } = run
  return (
    <li class={css.row}>
      <span class={css.name}>
        <a href={eventHref(id, first)} title="Its start in the timeline">
          Run {generation.toLocaleString('en')}
        </a>
        <span class={css.worker} dir="auto">
          {worker === undefined ? '' : oneLine(worker, 60)}
        </span>
      </span>
      <span class={css.state}>
        <RunBadge state={state} />
      </span>
      <span class={css.span}>{formatSpan(run.to - run.from)}</span>
      <Bar {...{ id, run, from, to }} />
      <button type="button" class={css.fold} aria-expanded={isOpen} onClick={() => onToggle(first)}>
        <span class="hidden">Details of run {generation}</span>
      </button>
      {isOpen && <Details id={id} run={run} />}
    </li>
  )
})

/** For the mouse: the keyboard has the link with the name of the run. */
function Bar({ id, run, from, to }: Pick<Props, 'id' | 'run' | 'from' | 'to'>) {
  const { generation, worker, state, first } = run
  const range = { from, to }
  const start = placeIn(range, run.from)
  const width = placeIn(range, run.to) - start
  const by = worker === undefined ? '' : ` by ${oneLine(worker, 60)}`
  const label = `Run ${generation}${by}: ${RUN_STATE_NAMES[state]}, ${formatSpan(run.to - run.from)}`
  return (
    <span class={css.track}>
      <a
        class={css.bar}
        data-run={state}
        href={eventHref(id, first)}
        tabIndex={-1}
        title={label}
        style={{ insetInlineStart: `${start * 100}%`, width: `${width * 100}%` }}
      >
        <span class="hidden">{label}</span>
      </a>
    </span>
  )
}

function Details({ id, run }: Pick<Props, 'id' | 'run'>) {
  const { first, last, note, stop, retryAt, state } = run
  const isOver = state !== 'live' && state !== 'stopping'
  return (
    <div class={css.details}>
      <dl class="facts small">
        <Fact name="started">
          {time(run.from)}, <EventLink id={id} sequence={first} />
        </Fact>
        {isOver && (
          <Fact name="ended">
            {last === undefined ? (
              RUN_STATE_NAMES.unfinished
            ) : (
              <>
                {time(run.to)}, <EventLink id={id} sequence={last} />
              </>
            )}
          </Fact>
        )}
        {stop !== undefined && (
          <Fact name="asked to stop">
            {stop.reason !== '' && `${preview(stop.reason, 500)}, `}
            <EventLink id={id} sequence={stop.sequence} />
          </Fact>
        )}
        {retryAt !== undefined && <Fact name="next try">{formatTime(retryAt)}</Fact>}
      </dl>
      {state === 'lost' && (
        <p class="small muted">Its worker stopped renewing the lease. The end is when the next run took over.</p>
      )}
      {note !== '' && <Clamp text={note} most={1000} />}
      <div>
        <Button look="small" text="Zoom to this run" onClick={() => showRange(withRoom(run, 0.1))} />
      </div>
    </div>
  )
}

const time = (ms: number) => formatTime(new Date(ms).toISOString())

function EventLink({ id, sequence }: { id: string; sequence: number }) {
  return <a href={eventHref(id, sequence)}>event #{sequence.toLocaleString('en')}</a>
}
