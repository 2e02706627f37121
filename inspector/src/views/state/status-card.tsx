import type { SessionRecord, SessionState } from '../../api/types.ts'
import { isFinal } from '../../domain.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { isExpired, STATE_NAMES, statusText } from '../../parts/status.tsx'
import { Ago, formatDuration, formatTime, now } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { Step } from './path.ts'
import css from './status-card.module.css'
import { useCommit } from './use-commit.ts'

/** The current status: what the session waits for, since when, and until when. */
export function StatusCard({ data, step }: { data: SessionData; step: Step | undefined }) {
  const record = data.record.value
  if (record === undefined) return null
  const { status, id } = record
  const expired = isExpired(record)
  const since = findSince(record, step)
  const note = statusText(status)
  return (
    <section class={css.card} data-state={expired ? 'expired' : status.state} aria-labelledby="status">
      <h2 id="status">{expired ? 'Expired' : TITLES[status.state]}</h2>
      <p class="muted">{expired ? <>It was {STATE_NAMES[status.state]} when it expired.</> : explainStatus(record)}</p>
      {note !== '' && (
        <div class={css.note}>
          <h3>{NOTE_TITLES[status.state]}</h3>
          <Markdown text={note} />
        </div>
      )}
      <dl class="pairs">
        {since !== undefined && (
          <Fact name={isFinal(status.state) ? 'ended' : 'since'}>
            <TimeAway at={since} />
          </Fact>
        )}
        {!isFinal(status.state) && <Fact name="agent">{oneLine(record.activeAgent, 80)}</Fact>}
        {!isFinal(status.state) && <ActivityFacts record={record} isExpired={expired} />}
        {step !== undefined && (
          <Fact name="recorded">
            <a href={eventHref(id, step.sequence)}>event {step.sequence}</a>
          </Fact>
        )}
      </dl>
      {(isFinal(status.state) || expired) && <CommitNote data={data} />}
    </section>
  )
}

const TITLES = {
  running: 'The agent is working',
  awaiting_user: 'Waiting for the user',
  interrupted: 'Interrupted by the user',
  pending_complete: 'Waiting for confirmation',
  complete: 'Complete',
  aborted: 'Aborted',
} as const

const NOTE_TITLES = {
  awaiting_user: 'Question',
  interrupted: 'User message',
  pending_complete: 'Proposed summary',
  aborted: 'Reason',
} as Partial<Record<SessionState, string>>

const EXPLANATIONS = {
  running: 'The agent may ask a question or propose completion. The user may interrupt.',
  awaiting_user: 'The agent asked a question. The answer may take a minute or several days.',
  interrupted: 'The user sent a message while the agent was working. The agent has not acted on it yet.',
  pending_complete: 'The agent considers the task done. The user confirms or asks for more.',
  complete: 'The user confirmed it.',
  aborted: 'It was ended before it was complete.',
} as const satisfies Record<SessionState, string>

const ABORT_CAUSES = {
  expired: 'Nobody came back to it, so it was ended.',
  declined: 'The user did not want to go on with it.',
  displaced: 'The user began another task.',
  abandoned: 'The user gave the task up.',
  parent_ended: 'The session that started it has ended.',
} as const satisfies Record<NonNullable<Extract<SessionRecord['status'], { state: 'aborted' }>['cause']>, string>

function explainStatus({ status }: SessionRecord): string {
  if (status.state === 'aborted' && status.cause !== undefined)
    return ABORT_CAUSES[status.cause] ?? EXPLANATIONS.aborted
  const isEndedByCaller = status.state === 'complete' && status.endedBy === 'caller'
  return isEndedByCaller ? 'The caller ended it without confirmation.' : EXPLANATIONS[status.state]
}

/** A question has its own time; otherwise the last step says when the state began. */
function findSince({ status, endedAt }: SessionRecord, step: Step | undefined): string | undefined {
  if (status.state === 'awaiting_user') return status.askedAt
  return endedAt ?? (step?.state === status.state ? step.at : undefined)
}

interface ActivityFactsProps {
  readonly record: SessionRecord
  readonly isExpired: boolean
}

function ActivityFacts({ record: { expiresAt, lastActivityAt }, isExpired }: ActivityFactsProps) {
  return (
    <>
      <Fact name="last activity">
        <Ago at={lastActivityAt} />
      </Fact>
      {expiresAt === undefined ? (
        <Fact name="expires">not set; by default a sweep ends it after 7 days without activity</Fact>
      ) : (
        <Fact name={isExpired ? 'expired' : 'expires'}>
          <TimeAway at={expiresAt} isFuture={!isExpired} />
        </Fact>
      )}
    </>
  )
}

function CommitNote({ data }: { data: SessionData }) {
  const { commit, isKnown } = useCommit(data)
  if (!isKnown) return null
  if (commit === undefined) return <p class="muted small">No commit yet. “Compact” creates one.</p>
  return (
    <div class={css.note}>
      <h3>
        Commit, <a href={eventHref(data.id, commit.sequence)}>event {commit.sequence}</a>, in{' '}
        <a href={sessionHref(data.id, 'work')}>Work</a>
      </h3>
      <Clamp text={commit.content} most={600} />
    </div>
  )
}

/** A time and how far away it is. */
function TimeAway({ at, isFuture = false }: { at: string; isFuture?: boolean }) {
  const away = Date.parse(at) - now.value
  return (
    <>
      <time dateTime={at}>{visible(formatTime(at))}</time>{' '}
      {isFuture ? `(in ${formatDuration(away)})` : `(${formatDuration(-away)} ago)`}
    </>
  )
}
