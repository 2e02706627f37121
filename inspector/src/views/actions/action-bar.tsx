import { useEffect, useRef } from 'preact/hooks'
import type { SessionRecord } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { isOver, statusText } from '../../parts/status.tsx'
import { preview } from '../../parts/visible.ts'
import { query, route } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useCommit } from '../state/use-commit.ts'
import css from './action-bar.module.css'
import { ActionDialog } from './action-dialog.tsx'
import type { ActionRunner } from './action-runner.ts'
import { ACTIONS, type ActionName, type OfferedActions, offeredActions, type Values } from './action-table.ts'
import { AnswerForm } from './answer-form.tsx'
import { MoreMenu } from './more-menu.tsx'

/** The actions that the session's state allows, and the result of the last one. */
export function ActionBar({ data, runner }: { data: SessionData; runner: ActionRunner }) {
  const record = data.record.value
  if (record === undefined) return null
  return (
    <Bar runner={runner}>
      <AnswerForm runner={runner} status={record.status} isOver={isOver(record)} />
      {isOver(record) ? (
        <EndedActions runner={runner} data={data} record={record} />
      ) : (
        <LiveActions runner={runner} record={record} />
      )}
      <ActionDialog runner={runner} data={data} />
    </Bar>
  )
}

/** Takes the focus when the focused button has disappeared after its action. */
function Bar({ runner, children }: { runner: ActionRunner; children: preact.ComponentChildren }) {
  const bar = useRef<HTMLElement>(null)
  const said = runner.said.value
  useEffect(() => {
    if (said !== undefined && document.activeElement === document.body) bar.current?.focus()
  }, [said])
  return (
    <section ref={bar} class={css.bar} tabIndex={-1} aria-label="Actions">
      {children}
      <p class={css.said} role="status">
        {said !== undefined && (
          <>
            {said.text} {said.event !== undefined && <a href={said.event.href}>Event {said.event.sequence}</a>}
          </>
        )}
      </p>
    </section>
  )
}

function LiveActions({ runner, record }: { runner: ActionRunner; record: SessionRecord }) {
  const { status } = record
  const { state } = status
  const note = state === 'awaiting_user' ? '' : statusText(status)
  return (
    <>
      <Buttons runner={runner} choices={offeredActions({ state, isOver: false, hasCommit: undefined })} />
      {note !== '' && (
        <span class={css.note} data-state={state} dir="auto">
          {preview(note, 200)}
        </span>
      )}
    </>
  )
}

function EndedActions({ runner, data, record }: { runner: ActionRunner; data: SessionData; record: SessionRecord }) {
  const { commit, isKnown } = useCommit(data)
  const hasCommit = isKnown ? commit !== undefined : undefined
  return <Buttons runner={runner} choices={offeredActions({ state: record.status.state, isOver: true, hasCommit })} />
}

function Buttons({ runner, choices }: { runner: ActionRunner; choices: OfferedActions }) {
  const open = (name: ActionName) => runner.open(name, name === 'fork' ? chosenEvent() : {})
  return (
    <>
      {choices.first.map((name, i) => (
        <Button
          key={name}
          look={i === 0 ? 'primary' : ''}
          text={`${ACTIONS[name].name} …`}
          onClick={() => open(name)}
        />
      ))}
      {choices.more.length > 0 && <MoreMenu offered={choices} onChoose={open} />}
    </>
  )
}

/** A fork starts at the event that the timeline's address names, if any. */
function chosenEvent(): Values {
  const here = route.peek()
  const event = here.view === 'session' && here.tab === 'timeline' ? query.peek().get('event') : null
  return event !== null && /^\d+$/.test(event) ? { at: event } : {}
}
