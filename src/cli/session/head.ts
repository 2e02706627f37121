import type { Session } from '../../api.ts'
import { endOf, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import { agoOf, momentOf } from '../age.ts'
import type { Output } from '../output.ts'
import { table } from '../table.ts'
import { counted, oneLine } from '../text.ts'
import { STATE_STYLE } from './state-style.ts'

/** Columns that one fact may take. */
const FACT = 400

/** Since when the session is in its state, as of the record's last event. */
export async function stateSince(session: Session, record: SessionRecord): Promise<string> {
  if (record.endedAt !== undefined) return record.endedAt
  const [changed] = await session.events({
    before: record.head + 1,
    order: 'desc',
    limit: 1,
    types: ['status_changed', 'session_forked'],
  })
  return changed?.createdAt ?? record.startedAt
}

/** What the session is and where it stands, for people. `now` in milliseconds. */
export function headText(record: SessionRecord, since: string, now: number, { paint }: Output): string {
  const { status } = record
  return table(factsOf(record, since, now), [
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

function factsOf(record: SessionRecord, since: string, now: number): Fact[] {
  const { tenant, userId, turns, head, startedAt, lastActivityAt, forkedFrom, metadata } = record
  const place = [record.chatmode, record.workflow, record.skill].filter((part) => part !== undefined)
  const facts: (readonly [string, string | undefined])[] = [
    ['session', record.id],
    ['task', record.task],
    ['state', stateText(record, since, now)],
    [waitLabel(record.status), waitText(record.status)],
    ['agent', record.activeAgent],
    ['user', tenant === 'local' ? userId : `${userId}, tenant ${tenant}`],
    ['log', `${counted(turns, 'turn')}, ${counted(head, 'event')}`],
    ['started', `${momentOf(startedAt)}, last activity ${agoOf(lastActivityAt, now)}`],
    ['expires', record.expiresAt === undefined ? undefined : momentOf(record.expiresAt)],
    ['branch', record.gitBranch],
    ['mode', place.join(', ')],
    ['conversation', record.conversationId],
    ['forked from', forkedFrom && `${forkedFrom.sessionId} at ${forkedFrom.sequence}`],
    ['metadata', Object.keys(metadata).length === 0 ? undefined : JSON.stringify(metadata)],
  ]
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, oneLine(value, FACT)] as const]))
}

function stateText(record: SessionRecord, since: string, now: number): string {
  const { status } = record
  const end = endOf(record, new Date(now).toISOString())
  const expired = end !== undefined && record.endedAt === undefined ? `, expired ${agoOf(end, now)}` : ''
  const by = status.state === 'complete' && status.endedBy === 'caller' ? ', ended by the caller' : ''
  return `${status.state} since ${momentOf(since)} (${agoOf(since, now)})${by}${expired}`
}

/** What it waits for, or why it ended. */
function waitText(status: SessionStatus): string | undefined {
  switch (status.state) {
    case 'awaiting_user':
      return `an answer to: ${status.question}`
    case 'interrupted':
      return `the agent to take up: ${status.userMessage}`
    case 'pending_complete':
      return `the user to confirm: ${status.summary}`
    case 'aborted':
      return status.reason
    default:
      return undefined
  }
}

const waitLabel = ({ state }: SessionStatus) => (state === 'aborted' ? 'reason' : 'waits for')
