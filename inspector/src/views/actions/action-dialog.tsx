import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { STATE_NAMES, statusText } from '../../parts/status.tsx'
import type { SessionData } from '../../session/session-data.ts'
import css from './action-dialog.module.css'
import { ActionField } from './action-field.tsx'
import type { ActionRunner, OpenAction } from './action-runner.ts'
import { ACTIONS, type ActionName, isReply } from './action-table.ts'

/** The dialog of the open action. */
export function ActionDialog({ runner, data }: { runner: ActionRunner; data: SessionData }) {
  const opened = runner.opened.value
  return opened === undefined ? null : <Dialog key={opened.name} runner={runner} data={data} {...opened} />
}

interface DialogProps extends OpenAction {
  readonly runner: ActionRunner
  readonly data: SessionData
}

function Dialog({ runner, data, name, state, values: given }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const action = ACTIONS[name]
  const values = { ...given, ...runner.drafts.values.value[name] }
  const isSending = runner.sending.value.has(name)
  const failed = runner.failed.value
  const problem = failed?.name === name ? failed.problem : undefined
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // only close() returns the focus
    return () => element?.close()
  }, [])
  useEffect(() => {
    // disabling the focused button dropped the focus
    if (problem !== undefined && document.activeElement === document.body) submit.current?.focus()
  }, [problem])
  return (
    <dialog
      ref={dialog}
      class={css.dialog}
      aria-labelledby="act-title"
      aria-describedby="act-effect"
      onClose={() => runner.close(name)}
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void runner.send(name, values)
        }}
        onKeyDown={sendOnEnter}
      >
        <h2 id="act-title">{action.title}</h2>
        <p id="act-effect" class="muted">
          {action.effect}
        </p>
        <RepliesTo data={data} name={name} />
        {action.fields.map((field) => (
          <ActionField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onInput={(value) => runner.type(name, { [field.name]: value })}
            isWrong={problem?.field === field.name}
            most={data.head.value}
          />
        ))}
        <StateChanged data={data} state={state} />
        <ProblemNote problem={problem} />
        <div class={css.buttons}>
          {action.fields.length > 0 && <span class="muted small">Ctrl+Enter sends</span>}
          <Button text="Cancel" onClick={() => runner.close(name)} />
          <button
            ref={submit}
            type="submit"
            class={action.isFinal && name !== 'confirm' ? 'button danger' : 'button primary'}
            disabled={isSending}
          >
            {isSending ? 'Sending …' : action.name}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** The question, interruption or proposal that the action replies to. */
function RepliesTo({ data, name }: { data: SessionData; name: ActionName }) {
  const status = data.record.value?.status
  if (status === undefined || !isReply(name)) return null
  const note = statusText(status)
  return note === '' ? null : (
    <div class={css.about} data-state={status.state}>
      <Clamp text={note} most={1000} />
    </div>
  )
}

/** Warns if the state has changed while the dialog is open. */
function StateChanged({ data, state }: { data: SessionData; state: DialogProps['state'] }) {
  const now = data.record.value?.status.state ?? state
  return (
    <div role="status">
      {now !== state && (
        <p class="note">
          The session changed from {STATE_NAMES[state]} to {STATE_NAMES[now]}. This action may be refused.
        </p>
      )}
    </div>
  )
}

/** Submits the form on Ctrl+Enter or Cmd+Enter. */
export function sendOnEnter(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }
}
