import { Button } from '../../parts/button.tsx'
import { formatTime } from '../../parts/time.tsx'
import { setQuery } from '../../route.ts'
import css from './runs-view.module.css'
import { LAST, type Zoom } from './shown-range.ts'
import { moved, type TimeRange, zoomed } from './time-range.ts'

interface Props extends Zoom {
  /** From the first run to the last. */
  readonly whole: TimeRange
  /** Number of runs. */
  readonly count: number
}

/** Zooms and moves the time axis. */
export function ZoomControls({ range, choice, whole, count }: Props) {
  const isWhole = range.from <= whole.from && range.to >= whole.to
  const last = LAST.filter((runs) => runs < count)
  return (
    <div class={css.zoom}>
      <span class="hidden" role="status">
        {formatTime(new Date(range.from).toISOString())} to {formatTime(new Date(range.to).toISOString())}
      </span>
      {last.length > 0 && (
        <>
          <Button look="small" text="All" aria-pressed={choice === 'all'} onClick={() => showLast(undefined)} />
          {last.map((runs) => (
            <Button
              key={runs}
              look="small"
              text={runs === 1 ? 'Last run' : `Last ${runs}`}
              aria-pressed={choice === runs}
              onClick={() => showLast(runs)}
            />
          ))}
        </>
      )}
      <Step text="−" label="Zoom out" isOff={isWhole} to={zoomed(range, 2, whole)} />
      <Step text="+" label="Zoom in" isOff={range.to - range.from <= 1000} to={zoomed(range, 0.5, whole)} />
      <Step text="←" label="Earlier" isOff={range.from <= whole.from} to={moved(range, -0.5, whole)} />
      <Step text="→" label="Later" isOff={range.to >= whole.to} to={moved(range, 0.5, whole)} />
    </div>
  )
}

/** Not disabled when it has no effect: a disabled button would drop the focus. */
function Step({ text, label, isOff, to }: { text: string; label: string; isOff: boolean; to: TimeRange }) {
  return (
    <Button
      look={`small ${css.step}`}
      text={text}
      aria-label={label}
      title={label}
      aria-disabled={isOff}
      onClick={() => !isOff && showRange(to)}
    />
  )
}

/** Zooms to a fixed time. */
export function showRange({ from, to }: TimeRange): void {
  setQuery({ last: undefined, from: Math.floor(from), to: Math.ceil(to) })
}

function showLast(last: number | undefined): void {
  setQuery({ last, from: undefined, to: undefined })
}
