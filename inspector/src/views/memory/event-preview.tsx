import { useState } from 'preact/hooks'
import { getEvents } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { formatTime } from '../../parts/time.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { oneLine } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import css from './detail.module.css'
import { formatRange } from './memory-text.ts'

const MAX_SHOWN = 5

/** The events behind a memory, loaded on request. */
export function EventPreview({ sessionId, from, to }: { sessionId: string; from: number; to: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class={css.preview}>
      <Button
        look="small"
        text={`${isOpen ? 'Hide' : 'Show'} ${formatRange({ from, to })}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && <Events sessionId={sessionId} from={from} to={to} />}
    </div>
  )
}

function Events({ sessionId, from, to }: { sessionId: string; from: number; to: number }) {
  const limit = Math.min(MAX_SHOWN, to - from + 1)
  const { value, problem, reload } = useRequest(
    (signal) => getEvents(sessionId, { after: from - 1, limit }, signal),
    [sessionId, from, limit],
  )
  if (problem?.status === 404) {
    return <p class="note">Session not found: it was purged, or belongs to another user.</p>
  }
  if (value === undefined) return problem ? <ProblemNote problem={problem} onRetry={reload} /> : <Loading />
  if (value.length === 0) return <p class="note">The session has no such event.</p>
  const rest = to - from + 1 - value.length
  return (
    <>
      {value.map(({ id, sequence, type, role, agentId, content, occurredAt, createdAt }) => (
        <figure key={id} class={css.event}>
          <figcaption class="muted small">
            <a href={eventHref(sessionId, sequence)}>event {sequence}</a> · {oneLine(type, 40)} ·{' '}
            {oneLine(agentId ?? role, 60)} · {formatTime(occurredAt ?? createdAt)}
          </figcaption>
          {content === '' ? <p class="muted small">no text</p> : <Clamp text={content} most={1000} />}
        </figure>
      ))}
      {rest > 0 && (
        <p class="muted small">
          {rest.toLocaleString('en')} more from{' '}
          <a href={eventHref(sessionId, from + value.length)}>event {from + value.length}</a> on
        </p>
      )}
    </>
  )
}
