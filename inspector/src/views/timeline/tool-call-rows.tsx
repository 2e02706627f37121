import type { Json, SessionEvent } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { indentJson } from '../../parts/json-text.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import { Field } from './event-details.tsx'
import css from './event-row.module.css'
import type { RowProps } from './event-row.tsx'
import { MOST_CALLS } from './related-events.ts'
import { type Call, callDuration, callSummary, callsIn, hasFailed, type Outcome } from './tool-calls.ts'

/** The tool calls of an event, each with its outcome. */
export function ToolCalls({ event, link, isOpen, openCalls, onToggle }: RowProps) {
  const calls = callsIn(event)
  const opened = openCalls.split(',')
  const isOwn = event.type === 'tool_call'
  return (
    <>
      {calls.slice(0, MOST_CALLS).map((call, index) => {
        const outcome = link.outcomes[index] ?? { is: 'none' as const }
        const isShown = isOwn ? isOpen : opened.includes(String(index))
        return (
          <div key={index} class={isOwn ? undefined : css.call}>
            <button
              type="button"
              class={`${css.fold} ${css.line}`}
              aria-expanded={isShown}
              onClick={() => onToggle(event.sequence, isOwn ? undefined : index)}
            >
              <b dir="auto">{oneLine(call.name === '' ? 'unnamed call' : call.name, 60)}</b>
              <span class={css.text} dir="auto">
                {preview(callSummary(call), 200)}
              </span>
              <OutcomeBadge event={event} outcome={outcome} />
            </button>
            {isShown && <CallDetails event={event} call={call} outcome={outcome} />}
          </div>
        )
      })}
      {calls.length > MOST_CALLS && (
        <p class={css.hint}>{calls.length - MOST_CALLS} more calls are in the event details.</p>
      )}
    </>
  )
}

function OutcomeBadge({ event, outcome }: { event: SessionEvent; outcome: Outcome }) {
  switch (outcome.is) {
    case 'result': {
      const ms = callDuration(event, outcome.event)
      const time = ms === undefined ? '' : ` · ${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}`
      return hasFailed(outcome.event) ? (
        <span class={css.bad}>failed{time}</span>
      ) : (
        <span class={css.good}>ok{time}</span>
      )
    }
    case 'again':
      return <span class={css.quiet}>repeated at #{outcome.at}</span>
    case 'loading':
      return <span class={css.quiet}>…</span>
    case 'waiting':
      return <span class={css.waits}>waiting for result</span>
    case 'none':
      return <span class={css.bad}>no result{outcome.looked !== undefined && ` in ${outcome.looked} events`}</span>
  }
}

function CallDetails({ event, call, outcome }: { event: SessionEvent; call: Call; outcome: Outcome }) {
  const linkTo = (sequence: number) => <a href={eventHref(event.sessionId, sequence)}>#{sequence}</a>
  return (
    <dl class={css.fields}>
      <Field name="arguments">
        <Arguments value={call.arguments} />
      </Field>
      {outcome.is === 'result' && (
        <Field name={<>result {linkTo(outcome.event.sequence)}</>}>
          {outcome.event.content === '' ? <span class="muted">empty</span> : <Clamp text={outcome.event.content} />}
        </Field>
      )}
      {outcome.is === 'again' && <Field name="repeated at">{linkTo(outcome.at)}</Field>}
      {call.id !== undefined && (
        <Field name="call id">
          <code>{oneLine(call.id, 200)}</code>
        </Field>
      )}
    </dl>
  )
}

/** Longest text that is indented. */
const READ = 200_000

/** Arguments. JSON text is indented unless it is too long. */
function Arguments({ value }: { value: Json | undefined }) {
  if (value === undefined) return <span class="muted">none</span>
  if (typeof value !== 'string') return <JsonView value={value} />
  const json = value.length > READ ? undefined : indentJson(value)
  return json === undefined ? <Clamp text={value} /> : <Clamp text={json} class="plain json" />
}
