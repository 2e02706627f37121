import { Clamp } from '../../parts/clamp.tsx'
import { oneLine } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import css from './event-row.module.css'
import type { RowProps } from './event-row.tsx'
import { hasFailed } from './tool-calls.ts'

/** A result that is shown with its call, and here too if the address names it. */
export function PairedResult({ event, call, isNamed, isOpen }: RowProps & { call: number }) {
  return (
    <div class={css.thin}>
      {isNamed && hasFailed(event) && <span class={css.bad}>failed</span>} result of the call at{' '}
      <a href={eventHref(event.sessionId, call)}>#{call}</a>
      {isNamed && !isOpen && (event.content === '' ? ': empty' : <Clamp text={event.content} />)}
    </div>
  )
}

/** A result without a matching call, or whose call already has another result. */
export function UnpairedResult({ event, link: { origin }, isOpen, onToggle }: RowProps) {
  return (
    <div class={css.wide}>
      <button
        type="button"
        class={`${css.fold} ${css.line}`}
        aria-expanded={isOpen}
        onClick={() => onToggle(event.sequence)}
      >
        <b>result</b>
        <span class={css.text} dir="auto">
          {hasFailed(event) && <span class={css.bad}>failed</span>} {oneLine(event.content, 300)}
        </span>
      </button>
      {origin?.is === 'nowhere' && (
        <p class={css.hint}>
          {origin.looked === undefined
            ? 'No matching tool call.'
            : `No matching tool call in the ${origin.looked} events before.`}
        </p>
      )}
      {origin?.is === 'another' && (
        <p class={css.hint}>
          The same call already has a result at <a href={eventHref(event.sessionId, origin.at)}>#{origin.at}</a>.
        </p>
      )}
    </div>
  )
}
