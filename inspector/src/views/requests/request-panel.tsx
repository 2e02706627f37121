import { useState } from 'preact/hooks'
import type { SessionRequest } from '../../api/types.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { isOver } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import type { SessionData } from '../../session/session-data.ts'
import { RequestForm } from './request-form.tsx'
import css from './request-panel.module.css'
import { useRequests } from './use-requests.ts'

/** Requests shown at first. */
const FIRST = 5
/** Characters of a question shown here; the timeline shows all of it. */
const SHOWN = 2000

/** The open requests of a session, each with a form that resolves it. */
export function RequestPanel({ data }: { data: SessionData }) {
  const { list } = useRequests(data, 'open')
  const [said, setSaid] = useState('')
  const open = list.items.value
  const { shown, more } = useShowMore(open, FIRST)
  const record = data.record.value
  if (record === undefined) return null
  const hasEnded = isOver(record)
  return (
    <section
      class={open.length === 0 && said === '' ? css.none : css.panel}
      aria-label="Open requests"
      data-state="awaiting_user"
    >
      <p class={css.said} role="status">
        {said}
      </p>
      <ProblemNote problem={list.problem.value} onRetry={() => void list.reload()} />
      {shown.map((request, i) => (
        <details key={request.id} class={css.request} open={i === 0}>
          <summary>
            <span class={css.kind}>{oneLine(request.kind, 40)}</span>
            <span class={css.title} dir="auto">
              {preview(request.question, 120)}
            </span>
            <span class="muted small">
              <Ago at={request.openedAt} />
            </span>
          </summary>
          <div class={css.body}>
            <Question request={request} />
            {hasEnded ? (
              <p class="muted">The session has ended, so nobody can resolve this request.</p>
            ) : (
              <RequestForm
                sessionId={data.id}
                request={request}
                onResolved={(text) => {
                  setSaid(text)
                  void data.refresh()
                  void list.reload()
                }}
              />
            )}
          </div>
        </details>
      ))}
      {more}
    </section>
  )
}

function Question({ request: { id, question, toolCallId } }: { request: SessionRequest }) {
  const cut = question.length > SHOWN ? `${question.slice(0, SHOWN)}…` : question
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard */}
      <section class={css.question} dir="auto" tabIndex={0} aria-label="Question">
        <Markdown text={cut} />
      </section>
      <p class="muted small wrap">
        Request <code>{oneLine(id, 100)}</code>
        {toolCallId !== undefined && (
          <>
            {' '}
            for tool call <code>{oneLine(toolCallId, 100)}</code>
          </>
        )}
      </p>
    </>
  )
}
