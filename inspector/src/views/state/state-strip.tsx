import { isFinal } from '../../domain.ts'
import { STATE_NAMES } from '../../parts/status.tsx'
import { formatDuration, formatTime, now } from '../../parts/time.tsx'
import { visible } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import { type Step, timeInState } from './path.ts'
import css from './state-strip.module.css'

interface StripProps {
  readonly id: string
  readonly steps: readonly Step[]
  /** When the session expired, which no step records. */
  readonly stoppedAt: number | undefined
  readonly onHighlight: (step: Step | undefined) => void
}

/** The states over time, each as wide as its duration but wide enough to point at. */
export function StateStrip({ id, steps, stoppedAt, onHighlight }: StripProps) {
  const [first] = steps
  if (first === undefined) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard
    <section class={css.box} tabIndex={0} aria-label="Scrollable strip of states">
      <ol class={css.strip} aria-label="States over time">
        {steps.map((step) => (
          <Segment key={step.sequence} id={id} step={step} stoppedAt={stoppedAt} onHighlight={onHighlight} />
        ))}
      </ol>
      <div class={css.ends} aria-hidden="true">
        <span>{visible(formatTime(first.at))}</span>
        <span>{formatEnd(steps.at(-1), stoppedAt)}</span>
      </div>
    </section>
  )
}

function formatEnd(last: Step | undefined, stoppedAt: number | undefined): string {
  if (last !== undefined && isFinal(last.state)) return visible(formatTime(last.at))
  return stoppedAt === undefined ? 'now' : formatTime(new Date(stoppedAt).toISOString())
}

function Segment({ id, step, stoppedAt, onHighlight }: Omit<StripProps, 'steps'> & { step: Step }) {
  // only the current state depends on the clock
  const ms = timeInState(step, step.until === undefined ? (stoppedAt ?? now.value) : 0)
  const name = STATE_NAMES[step.state]
  const long = ms === undefined ? '' : ` for ${formatDuration(ms)}`
  const label = `${name}${long}, from ${visible(formatTime(step.at))}, event ${step.sequence}`
  return (
    <li class={css.segment} data-state={step.state} data-past={step.isPast} style={{ flexGrow: Math.max(1, ms ?? 0) }}>
      <a
        href={eventHref(id, step.sequence)}
        // keyboard users take the list below: hundreds of tab stops help nobody
        tabIndex={-1}
        title={label}
        aria-label={label}
        onMouseEnter={() => onHighlight(step)}
        onMouseLeave={() => onHighlight(undefined)}
        onFocus={() => onHighlight(step)}
        onBlur={() => onHighlight(undefined)}
      >
        <span>{name}</span>
      </a>
    </li>
  )
}
