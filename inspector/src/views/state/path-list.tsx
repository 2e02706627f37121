import { isFinal } from '../../domain.ts'
import { StateBadge } from '../../parts/status.tsx'
import { formatDuration, formatTime, now } from '../../parts/time.tsx'
import { oneLine, preview, visible } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { LazyNote } from './lazy-note.tsx'
import { type Step, timeInState } from './path.ts'
import css from './path-list.module.css'

interface PathListProps {
  readonly data: SessionData
  readonly steps: readonly Step[]
  /** When the session expired, which no step records. */
  readonly stoppedAt: number | undefined
  readonly onHighlight: (step: Step | undefined) => void
}

/** The steps taken, newest first. */
export function PathList({ data, steps, stoppedAt, onHighlight }: PathListProps) {
  return (
    <ol class={css.list} aria-label="Path taken">
      {steps.toReversed().map((step) => (
        <li
          key={step.sequence}
          class={css.step}
          data-past={step.isPast}
          onMouseEnter={() => onHighlight(step)}
          onMouseLeave={() => onHighlight(undefined)}
          onFocusIn={() => onHighlight(step)}
          onFocusOut={() => onHighlight(undefined)}
        >
          <span class={css.what}>
            <code>{step.kind ?? '?'}</code>
            <StateBadge state={step.state} />
          </span>
          <time class="nowrap muted" dateTime={step.at}>
            {visible(formatTime(step.at))}
          </time>
          <span class="nowrap">
            <TimeSpent step={step} stoppedAt={stoppedAt} />
          </span>
          <span class={css.agent} dir="auto">
            {step.agent === undefined ? '' : oneLine(step.agent, 40)}
          </span>
          <a class={`nowrap ${css.event}`} href={eventHref(data.id, step.sequence)}>
            event {step.sequence}
          </a>
          <span class={`wrap ${css.note}`} dir="auto">
            <Note data={data} step={step} />
          </span>
        </li>
      ))}
    </ol>
  )
}

function TimeSpent({ step, stoppedAt }: { step: Step; stoppedAt: number | undefined }) {
  if (step.until !== undefined) return <>for {formatDuration(timeInState(step, 0) ?? 0)}</>
  if (isFinal(step.state)) return <>final</>
  const ms = timeInState(step, stoppedAt ?? now.value) ?? 0
  return (
    <>
      for {formatDuration(ms)} {stoppedAt === undefined ? 'so far' : ''}
    </>
  )
}

function Note({ data, step }: { data: SessionData; step: Step }) {
  const { note, source, kind } = step
  if (source !== undefined) {
    return (
      <>
        forked from <a href={eventHref(source.sessionId, source.sequence)}>event {source.sequence} of the source</a>.
        Earlier steps happened there.
      </>
    )
  }
  if (note !== '') return <>{preview(note, 300)}</>
  // the user's text is in the work commit before the status event
  if (kind === 'answer' || kind === 'incorporate' || kind === 'continueWith')
    return <LazyNote data={data} sequence={step.sequence - 1} />
  return null
}
