import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { post, sessionPath } from '../../api/client.ts'
import { Problem, toProblem } from '../../api/problem.ts'
import type { SessionRequest } from '../../api/types.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { sendOnEnter } from '../actions/action-dialog.tsx'
import { IdempotencyKeys } from '../actions/idempotency-keys.ts'
import { type Draft, fieldAt, formFor, InputError, valueIn } from './form-fields.ts'
import { RequestField } from './request-field.tsx'

interface Props {
  readonly sessionId: string
  readonly request: SessionRequest
  /** Called when it was resolved, here or by somebody else. */
  readonly onResolved: (said: string) => void
}

/** The form that resolves a request, made from its JSON Schema. */
export function RequestForm({ sessionId, request, onResolved }: Props) {
  const form = useMemo(() => formFor(request.schema), [request.id])
  const keys = useMemo(() => new IdempotencyKeys(), [request.id])
  const [draft, setDraft] = useState<Draft>({})
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const element = useRef<HTMLFormElement>(null)
  const control = useMemo(() => new AbortController(), [])
  useEffect(() => () => control.abort(), [control])
  useEffect(() => {
    if (problem !== undefined) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problem])

  const wrongField = problem?.field === undefined ? undefined : fieldAt(form, problem.field)
  const wrong = wrongField && problem && { name: wrongField.name, text: shortMessage(problem, wrongField.name) }

  const send = async () => {
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    const path = sessionPath(sessionId, `/requests/${encodeURIComponent(request.id)}/resolve`)
    try {
      const body = { value: valueIn(form, draft) }
      await post<SessionRequest>(path, body, keys.keyFor(path, body, 0).key, control.signal)
      onResolved('Resolved.')
    } catch (error) {
      if (control.signal.aborted) return
      const found = error instanceof InputError ? inputProblem(error) : toProblem(error)
      if (found.code === 'REQUEST_RESOLVED') onResolved('Somebody else has resolved this request.')
      else setProblem(found)
    }
    setSending(false)
  }
  return (
    <form
      ref={element}
      class="stack-2"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onKeyDown={sendOnEnter}
    >
      <RequestField
        field={form}
        draft={draft}
        wrong={wrong}
        onInput={(name, text) => setDraft((before) => ({ ...before, [name]: text }))}
      />
      <ProblemNote problem={wrong === undefined ? problem : undefined} />
      <div class="row">
        <button type="submit" class="button primary" disabled={isSending}>
          {isSending ? 'Sending …' : 'Resolve'}
        </button>
        <span class="muted small">Ctrl+Enter sends</span>
      </div>
    </form>
  )
}

/** The message of a problem, without the path of the field it is shown at. */
function shortMessage({ message }: Problem, name: string): string {
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message
}

function inputProblem({ field, message }: InputError): Problem {
  return new Problem({ code: 'VALIDATION', detail: message, status: 0, details: { field } })
}
