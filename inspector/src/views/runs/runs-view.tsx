import { useMemo } from 'preact/hooks'
import { countOf } from '../../parts/amounts.ts'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { now } from '../../parts/time.tsx'
import { query } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import { RunChart } from './run-chart.tsx'
import { RUN_TYPES, runsOf } from './runs.ts'
import css from './runs-view.module.css'
import { zoomIn } from './shown-range.ts'
import { overlaps, spanOf, withRoom } from './time-range.ts'
import { ZoomControls } from './zoom-controls.tsx'

/** Events that are read: two or three for each run. */
const MOST = 3000

/** When which worker ran, and how that ended. */
export function RunsView({ data }: { data: SessionData }) {
  const known = useEvents(data, RUN_TYPES, MOST)
  const record = data.record.value
  const isLive = record?.run !== undefined
  const present = isLive ? now.value : 0
  const runs = useMemo(
    () => (record === undefined ? [] : runsOf(known.events, record, present || Date.now())),
    [known.events, record, present],
  )
  if (record === undefined || (known.isLoading && runs.length === 0)) return <Loading />
  if (runs.length === 0)
    return known.problem === undefined ? <NoRuns /> : <ProblemNote problem={known.problem} onRetry={known.reload} />
  const { range, choice } = zoomIn(query.value, runs)
  const shown = typeof choice === 'number' ? runs.slice(0, choice) : runs.filter((run) => overlaps(run, range))
  return (
    <div class={css.runs}>
      <ProblemNote problem={known.problem} onRetry={known.reload} />
      <section class="card stack-2" aria-labelledby="runs-title">
        <div class={css.top}>
          <h2 id="runs-title">Runs</h2>
          <span class="muted small" role="status">
            {shown.length === runs.length
              ? countOf(runs.length, 'run')
              : `${shown.length} of ${countOf(runs.length, 'run')}`}
          </span>
          <ZoomControls range={range} choice={choice} whole={withRoom(spanOf(runs))} count={runs.length} />
        </div>
        <RunChart id={data.id} runs={shown} range={range} />
        <p class="muted small">
          A bar lasts from the start of a run to its end, or to the present. It leads to the start in the timeline.
          {known.hasMore && ` Only the last ${countOf(runs.length, 'run')} are shown.`}
        </p>
      </section>
    </div>
  )
}

function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>
        A run is one worker's stretch of work on this session: <code>session.run()</code> begins one, and{' '}
        <code>tl.claim()</code> begins one on a session that needs work. Only one is live at a time; if its worker stops
        responding, the next run takes over.
      </p>
    </Empty>
  )
}
