import type { Session } from '../../api.ts'
import { endTime, type LiveRun, type ParentLink, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { pluralize, toOneLine } from '../text.ts'
import { formatTimeAgo, formatUtc } from '../time-format.ts'
import { STATE_STYLE } from './state-style.ts'

const MAX_FACT_WIDTH = 400

/** Finds when the session entered its state, as of the record's last event. */
export async function findStateSince(session: Session, record: SessionRecord): Promise<string> {
  if (record.endedAt !== undefined) return record.endedAt
  const [changed] = await session.events({
    before: record.head + 1,
    order: 'desc',
    limit: 1,
    types: ['status_changed', 'session_forked'],
  })
  return changed?.createdAt ?? record.startedAt
}

/** Formats the facts above the events: identity, state, counts. `now` in milliseconds. */
export function formatHeader(record: SessionRecord, since: string, now: number, { paint }: Output): string {
  const { status } = record
  return renderTable(listFacts(record, since, now), [
    { value: ([label]) => label, paint: (text) => paint('dim', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => {
        if (label === 'session') return paint('bold', text)
        return label === 'state' ? paint(STATE_STYLE[status.state], text) : text
      },
    },
  ])
}

type Fact = readonly [label: string, value: string]

function listFacts(record: SessionRecord, since: string, now: number): Fact[] {
  const { tenant, userId, turns, head, startedAt, lastActivityAt, forkedFrom, parent, metadata } = record
  const place = [record.chatmode, record.workflow, record.skill].filter((part) => part !== undefined)
  const facts: (readonly [string, string | undefined])[] = [
    ['session', record.id],
    ['task', record.task],
    ['state', formatState(record, since, now)],
    [waitLabel(record.status), formatWait(record.status)],
    ['run', record.run && formatRun(record.run, now)],
    ['agent', record.activeAgent],
    ['user', tenant === 'local' ? userId : `${userId}, tenant ${tenant}`],
    ['log', `${pluralize(turns, 'turn')}, ${pluralize(head, 'event')}`],
    ['started', `${formatUtc(startedAt)}, last activity ${formatTimeAgo(lastActivityAt, now)}`],
    ['expires', record.expiresAt === undefined ? undefined : formatUtc(record.expiresAt)],
    ['branch', record.gitBranch],
    ['mode', place.join(', ')],
    ['conversation', record.conversationId],
    ['parent', parent && formatParent(parent)],
    ['forked from', forkedFrom && `${forkedFrom.sessionId} at ${forkedFrom.sequence}`],
    ['metadata', Object.keys(metadata).length === 0 ? undefined : JSON.stringify(metadata)],
  ]
  return facts.flatMap(([label, value]) =>
    value === undefined ? [] : [[label, toOneLine(value, MAX_FACT_WIDTH)] as const],
  )
}

function formatRun({ generation, worker, startedAt, cancelled, interruptedAt }: LiveRun, now: number): string {
  const by = worker === undefined ? '' : ` of ${worker}`
  const why = cancelled?.reason === undefined ? '' : `: ${cancelled.reason}`
  const asked = cancelled ?? interruptedAt
  const stop = asked === undefined ? '' : `, asked to stop${why}`
  return `${generation}${by}, since ${formatUtc(startedAt)} (${formatTimeAgo(startedAt, now)})${stop}`
}

function formatParent({ sessionId, sequence }: ParentLink): string {
  return sequence === undefined ? sessionId : `${sessionId}, event ${sequence}`
}

function formatState(record: SessionRecord, since: string, now: number): string {
  const { status } = record
  const end = endTime(record, new Date(now).toISOString())
  const expired = end !== undefined && record.endedAt === undefined ? `, expired ${formatTimeAgo(end, now)}` : ''
  const by = status.state === 'complete' && status.endedBy === 'caller' ? ', ended by the caller' : ''
  return `${status.state} since ${formatUtc(since)} (${formatTimeAgo(since, now)})${by}${expired}`
}

/** What the session waits for, or why it was aborted. */
function formatWait(status: SessionStatus): string | undefined {
  switch (status.state) {
    case 'awaiting_user':
      return `the user to answer: ${status.question}`
    case 'interrupted':
      return `the agent to handle: ${status.userMessage}`
    case 'pending_complete':
      return `the user to confirm: ${status.summary}`
    case 'aborted':
      return status.reason
    default:
      return undefined
  }
}

const waitLabel = ({ state }: SessionStatus) => (state === 'aborted' ? 'reason' : 'waiting for')
