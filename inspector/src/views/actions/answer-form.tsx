import { useEffect, useId, useRef } from 'preact/hooks'
import type { SessionStatus } from '../../api/types.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { Ago } from '../../parts/time.tsx'
import { sendOnEnter } from './action-dialog.tsx'
import type { ActionRunner } from './action-runner.ts'
import css from './answer-form.module.css'

/** Characters of a question shown here; the state view shows all of it. */
const SHOWN = 2000

interface Props {
  readonly runner: ActionRunner
  readonly status: SessionStatus
  readonly isOver: boolean
}

/** The open question and a form to answer it. The form stays while it has a draft, even if the question is gone. */
export function AnswerForm({ runner, status, isOver }: Props) {
  const id = useId()
  const waiting = status.state === 'awaiting_user' && !isOver ? status : undefined
  const draft = runner.drafts.values.value.answer?.['text'] ?? ''
  if (draft === '') runner.drafts.question = waiting
  const draftQuestion = runner.drafts.question
  // a draft belongs to the question it was typed for
  const question = waiting ?? (draft === '' ? undefined : draftQuestion)
  const failed = runner.failed.value?.name === 'answer' ? runner.failed.value.problem : undefined
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // disabling the focused button dropped the focus
    if (failed !== undefined && document.activeElement === document.body) field.current?.focus()
  }, [failed])
  if (question === undefined) return null
  const isSending = runner.sending.value.has('answer')
  return (
    <form
      class={`card ${css.form}`}
      data-state="awaiting_user"
      aria-label="Answer the question"
      onSubmit={(event) => {
        event.preventDefault()
        void runner.send('answer', { text: draft })
      }}
      onKeyDown={sendOnEnter}
    >
      <div class={css.head}>
        <span class={css.asks}>The agent asks</span>
        <span class="muted small">
          <Ago at={question.askedAt} />
        </span>
      </div>
      <QuestionText id={id} text={question.question} />
      <div class={css.row}>
        <textarea
          ref={field}
          class={`input ${css.text}`}
          rows={1}
          dir="auto"
          required
          aria-label="Your answer"
          aria-describedby={id}
          placeholder="Your answer (Ctrl+Enter sends)"
          value={draft}
          onInput={({ currentTarget }) => runner.type('answer', { text: currentTarget.value })}
        />
        <button type="submit" class="button primary" disabled={isSending}>
          {isSending ? 'Sending …' : 'Answer'}
        </button>
      </div>
      <div role="status">
        {waiting?.askedAt !== draftQuestion?.askedAt && <QuestionChanged isGone={waiting === undefined} />}
      </div>
      <ProblemNote problem={failed} />
    </form>
  )
}

/** The question, in a box that scrolls. */
function QuestionText({ id, text }: { id: string; text: string }) {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard
    <section class={css.words} id={id} dir="auto" tabIndex={0} aria-label="Question">
      <Markdown text={cut} />
    </section>
  )
}

function QuestionChanged({ isGone }: { isGone: boolean }) {
  return (
    <p class="note">
      {isGone
        ? 'This question is no longer open. Your answer may be refused.'
        : 'The question changed after you started to answer.'}
    </p>
  )
}
