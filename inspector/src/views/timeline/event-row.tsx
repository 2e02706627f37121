import type { SessionEvent, SessionRecord } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { memo } from '../../parts/memo.tsx'
import { RunBadge } from '../../parts/run-badge.tsx'
import { StateBadge, StatusBadge } from '../../parts/status.tsx'
import { Clock } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import type { HiddenPart } from '../../session/rewinds.ts'
import { ACTIONS } from '../actions/action-table.ts'
import { describeEvent, type EventLine } from './describe.ts'
import { EventDetails } from './event-details.tsx'
import css from './event-row.module.css'
import type { Related } from './related-events.ts'
import { PairedResult, UnpairedResult } from './result-row.tsx'
import { ToolCalls } from './tool-call-rows.tsx'
import { callsIn } from './tool-calls.ts'
import { TurnFacts } from './turn-facts.tsx'
import type { TurnTotals } from './turn-totals.ts'

/** Characters of a message that are shown while it is closed. */
const PREVIEW = 3000

/** Props of a row. */
export interface RowProps {
  readonly event: SessionEvent
  readonly link: Related
  /** The day to show above it. */
  readonly day: string | undefined
  /** What the turn took that starts with it. */
  readonly totals: TurnTotals | undefined
  /** The sub-agents that it called. */
  readonly subAgents: readonly SessionRecord[] | undefined
  /** Whether the address names it. */
  readonly isNamed: boolean
  readonly isOpen: boolean
  /** Indexes of its open calls, separated by commas. */
  readonly openCalls: string
  /** Opens or closes the event, or one of its calls. */
  readonly onToggle: (sequence: number, call?: number) => void
  /** The part of the log that it is hidden in. */
  readonly hidden: HiddenPart | undefined
  /** Offers another text for a user message; absent if the session is over. */
  readonly onEdit: ((sequence: number, text: string) => void) | undefined
}

/** One event, as a line or a message, with details when it is open. */
export const EventRow = memo((props: RowProps) => {
  const { event, link } = props
  return (
    <>
      <HiddenNote {...props} />
      <Headings {...props} />
      <div
        class={css.row}
        data-tone={describeEvent(event).tone}
        data-thin={link.origin?.is === 'call' ? '' : undefined}
      >
        <a class={css.anchor} href={eventHref(event.sessionId, event.sequence)} title="Link to this event">
          #{event.sequence}
        </a>
        <Content {...props} />
        <span class={css.time}>
          <Clock at={event.createdAt} />
        </span>
        {props.subAgents !== undefined && <SubAgentLinks sessions={props.subAgents} />}
        {props.isOpen && (
          <div class={css.details}>
            <EditButton {...props} />
            <EventDetails event={event} />
          </div>
        )}
      </div>
    </>
  )
})

/** Above the first event of a hidden part: why it is hidden. */
function HiddenNote({ event, hidden }: RowProps) {
  if (hidden === undefined || hidden.from !== event.sequence) return null
  const { from, to, by, reason } = hidden
  return (
    <p class={css.branch}>
      Not on the current line: {from === to ? `event #${from}` : `events #${from} to #${to}`}, left by the rewind in{' '}
      <a href={eventHref(event.sessionId, by)}>event #{by}</a>
      {reason !== '' && (
        <>
          : <bdi>{preview(reason, 300)}</bdi>
        </>
      )}
    </p>
  )
}

function EditButton({ event, hidden, onEdit }: RowProps) {
  if (event.type !== 'user_message' || hidden !== undefined || onEdit === undefined) return null
  return (
    <p class={css.edit}>
      <Button
        look="small"
        text="Edit and retry from here …"
        title={ACTIONS.replace.effect}
        onClick={() => onEdit(event.sequence, event.content)}
      />
    </p>
  )
}

/** Sub-agents that one row lists. */
const SUB_AGENTS = 10

function SubAgentLinks({ sessions }: { sessions: readonly SessionRecord[] }) {
  return (
    <ul class={css.subAgents} aria-label="Sub-agents">
      {sessions.slice(0, SUB_AGENTS).map((session) => (
        <li key={session.id}>
          <StatusBadge record={session} />{' '}
          <a href={sessionHref(session.id)} dir="auto">
            {session.task === undefined ? session.id.slice(0, 8) : oneLine(session.task, 100)}
          </a>
        </li>
      ))}
      {sessions.length > SUB_AGENTS && <li>and {sessions.length - SUB_AGENTS} more</li>}
    </ul>
  )
}

/** The headings above an event: its turn and its day. */
function Headings({ event, link, day, totals }: RowProps) {
  const isTurn = event.type === 'user_message'
  if (!isTurn && day === undefined) return null
  return (
    <p class={css.above}>
      {isTurn && <span>{link.turn === undefined ? 'Turn' : `Turn ${link.turn.toLocaleString('en')}`}</span>}
      {day !== undefined && <time dateTime={event.createdAt}>{day}</time>}
      {totals !== undefined && <TurnFacts totals={totals} />}
    </p>
  )
}

function Content(props: RowProps) {
  switch (props.event.type) {
    case 'user_message':
    case 'model_message':
      return <MessageRow {...props} />
    case 'tool_result':
      return props.link.origin?.is === 'call' ? (
        <PairedResult {...props} call={props.link.origin.at} />
      ) : (
        <UnpairedResult {...props} />
      )
    case 'tool_call':
      return (
        <div class={css.wide}>
          <ToolCalls {...props} />
        </div>
      )
    default:
      return <CompactRow {...props} />
  }
}

function MessageRow(props: RowProps) {
  const { event, isOpen, onToggle } = props
  const { label, text } = describeEvent(event)
  return (
    <>
      <button type="button" class={css.fold} aria-expanded={isOpen} onClick={() => onToggle(event.sequence)}>
        <b dir="auto">{oneLine(label, 60)}</b>
      </button>
      <div class={css.body}>
        {event.content !== '' && <Markdown text={text} {...(!isOpen && { most: PREVIEW })} />}
        {callsIn(event).length > 0 && <ToolCalls {...props} />}
      </div>
    </>
  )
}

function CompactRow({ event, link, isOpen, onToggle }: RowProps) {
  const line = describeEvent(event)
  return (
    <button
      type="button"
      class={`${css.fold} ${css.line}`}
      aria-expanded={isOpen}
      onClick={() => onToggle(event.sequence)}
    >
      <b>{oneLine(line.label, 60)}</b>
      <Summary line={line} was={link.was} />
    </button>
  )
}

function Summary({ line, was }: { line: EventLine; was: Related['was'] }) {
  return (
    <span class={css.text} dir="auto">
      {line.state !== undefined && (
        <span class={css.states}>
          {was !== undefined && (
            <>
              <StateBadge state={was} /> →{' '}
            </>
          )}
          <StateBadge state={line.state} />
        </span>
      )}
      {line.run !== undefined && (
        <span class={css.states}>
          <RunBadge state={line.run} />
        </span>
      )}
      {preview(line.text, 300)}
    </span>
  )
}
