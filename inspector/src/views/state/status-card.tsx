import type { ComponentChildren } from 'preact'
import type { SessionRecord } from '../../api/types.ts'
import { isFinal } from '../../domain.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { isExpired, STATE_NAMES, statusText } from '../../parts/status.tsx'
import { Ago, formatDuration, formatTime, now } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { Step } from './path.ts'
import css from './status-card.module.css'
import { useCommit } from './use-commit.ts'

/** Where the session stands: what it waits for, since when, and until when. */
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
      <p class="muted">
        {expired ? <>It was {STATE_NAMES[status.state]} when its time ran out.</> : explainStatus(record)}
      </p>
      {note !== '' && (
        <div class={css.note}>
          <h3>{NOTE_TITLES[status.state]}</h3>
          <Markdown text={note} />
        </div>
      )}
      <dl class="pairs">
        {since !== undefined && (
          <Fact name={isFinal(status.state) ? 'ended' : 'since'}>
            <PastTime at={since} />
          </Fact>
        )}
        {!isFinal(status.state) && <Fact name="agent">{oneLine(record.activeAgent, 80)}</Fact>}
        {!isFinal(status.state) && <ActivityFacts record={record} isExpired={expired} />}
        {step !== undefined && (
          <Fact name="on record">
            <a href={eventHref(id, step.sequence)}>event {step.sequence}</a>
          </Fact>
        )}
      </dl>
      {(isFinal(status.state) || expired) && <CommitNote data={data} />}
    </section>
  )
}

const TITLES = {
  running: 'The agent works',
  awaiting_user: 'Waits for an answer of the user',
  interrupted: 'Waits for the agent to take up what the user said',
  pending_complete: 'Waits for the user to confirm',
  complete: 'Complete',
  aborted: 'Aborted',
} as const

const NOTE_TITLES = {
  running: '',
  awaiting_user: 'The question',
  interrupted: 'The user said',
  pending_complete: 'The summary that was proposed',
  complete: '',
  aborted: 'The reason',
} as const

function explainStatus({ status }: SessionRecord): string {
  switch (status.state) {
    case 'running':
      return 'It waits for nobody. The agent may ask or propose; the user may interrupt.'
    case 'awaiting_user':
      return 'The agent has asked. The answer may come after a minute or after days.'
    case 'interrupted':
      return 'The user spoke up while the agent worked.'
    case 'pending_complete':
      return 'The agent holds the task for done. The user confirms, or wants more.'
    case 'complete':
      return status.endedBy === 'caller' ? 'Ended by the caller, whatever was open.' : 'The user confirmed it.'
    case 'aborted':
      return 'The task was given up.'
  }
}

/** A question says itself when it was asked; all else is told by the step that led here. */
function findSince({ status, endedAt }: SessionRecord, step: Step | undefined): string | undefined {
  if (status.state === 'awaiting_user') return status.askedAt
  return endedAt ?? (step?.state === status.state ? step.at : undefined)
}

function ActivityFacts({
  record: { expiresAt, lastActivityAt },
  isExpired,
}: {
  record: SessionRecord
  isExpired: boolean
}) {
  return (
    <>
      <Fact name="last activity">
        <Ago at={lastActivityAt} />
      </Fact>
      {expiresAt === undefined ? (
        <Fact name="expires">
          at no set time; a sweep ends it after 7 days of rest, unless the server is set otherwise
        </Fact>
      ) : (
        <Fact name={isExpired ? 'expired' : 'expires'}>
          {isExpired ? <PastTime at={expiresAt} /> : <FutureTime at={expiresAt} />}
        </Fact>
      )}
    </>
  )
}

function CommitNote({ data }: { data: SessionData }) {
  const { commit, isKnown } = useCommit(data)
  if (!isKnown) return null
  if (commit === undefined)
    return <p class="muted small">It has no commit. “Compact” makes one of what the session holds.</p>
  return (
    <div class={css.note}>
      <h3>
        Its commit, <a href={eventHref(data.id, commit.sequence)}>event {commit.sequence}</a>, in{' '}
        <a href={sessionHref(data.id, 'work')}>Work</a>
      </h3>
      <Clamp text={commit.content} most={600} />
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

function PastTime({ at }: { at: string }) {
  return (
    <>
      <time dateTime={at}>{visible(formatTime(at))}</time> ({formatDuration(now.value - Date.parse(at))} ago)
    </>
  )
}

function FutureTime({ at }: { at: string }) {
  return (
    <>
      <time dateTime={at}>{visible(formatTime(at))}</time> (in {formatDuration(Date.parse(at) - now.value)})
    </>
  )
}
