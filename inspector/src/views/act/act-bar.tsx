import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { SessionRecord } from '../../api/types.ts'
import { isExpired } from '../../parts/status.tsx'
import { preview } from '../../parts/visible.ts'
import { place, query } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { noteIn } from '../state/path.ts'
import { useCommit } from '../state/use-commit.ts'
import css from './act-bar.module.css'
import { ActDialog } from './act-dialog.tsx'
import { ACTIONS, type ActionName, type Offered, offered, type Values } from './actions.ts'
import { Acts } from './acts.ts'
import { AnswerForm } from './answer-form.tsx'
import { MoreMenu } from './more-menu.tsx'

/** What can be done to the session where it stands, and what came of it. */
export function ActBar({ data }: { data: SessionData }) {
  const acts = useMemo(() => new Acts(data), [data])
  const record = data.record.value
  if (record === undefined) return null
  const isOver = record.endedAt !== undefined || isExpired(record)
  return (
    <Bar acts={acts}>
      <AnswerForm acts={acts} status={record.status} isOver={isOver} />
      {isOver ? <Over acts={acts} data={data} record={record} /> : <Live acts={acts} record={record} />}
      <ActDialog acts={acts} data={data} />
    </Bar>
  )
}

/** Takes the focus where the button that had it is gone by what it did. */
function Bar({ acts, children }: { acts: Acts; children: preact.ComponentChildren }) {
  const bar = useRef<HTMLElement>(null)
  const said = acts.said.value
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

function Live({ acts, record }: { acts: Acts; record: SessionRecord }) {
  const { status } = record
  const { state } = status
  const note = state === 'awaiting_user' ? '' : noteIn(status)
  return (
    <>
      <Buttons acts={acts} choices={offered({ state, isOver: false, hasCommit: undefined })} />
      {note !== '' && (
        <span class={css.note} data-state={state} dir="auto">
          {preview(note, 200)}
        </span>
      )}
    </>
  )
}

function Over({ acts, data, record }: { acts: Acts; data: SessionData; record: SessionRecord }) {
  const { commit, isKnown } = useCommit(data)
  const hasCommit = isKnown ? commit !== undefined : undefined
  return <Buttons acts={acts} choices={offered({ state: record.status.state, isOver: true, hasCommit })} />
}

function Buttons({ acts, choices }: { acts: Acts; choices: Offered }) {
  const open = (name: ActionName) => acts.open(name, name === 'fork' ? chosenEvent() : {})
  return (
    <>
      {choices.first.map((name, i) => (
        <button key={name} type="button" class={`button ${i === 0 ? 'primary' : ''}`} onClick={() => open(name)}>
          {ACTIONS[name].name} …
        </button>
      ))}
      {choices.more.length > 0 && <MoreMenu offered={choices} onChoose={open} />}
    </>
  )
}

/** A fork begins at the event that the timeline has been led to, if there is one. */
function chosenEvent(): Values {
  const here = place.peek()
  const event = here.view === 'session' && here.tab === 'timeline' ? query.peek().get('event') : null
  return event !== null && /^\d+$/.test(event) ? { at: event } : {}
}
