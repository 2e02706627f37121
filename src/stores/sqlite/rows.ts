import type { EnvelopeView } from '../../domain/envelope.ts'
import type { SessionScratchpad, SessionView } from '../../domain/fold.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { isWithin, type LiveRun, type ParentLink, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import { dueAt, type RunView } from '../../domain/run.ts'
import type { CommitLink, SessionKey, StoredEvent } from '../../ports/session-store.ts'
import { usageFrom, usageNumbers } from '../usage-numbers.ts'

/** A row of `sessions`. */
export interface SessionRow {
  id: string
  tenant: string
  user_id: string
  conversation_id: string
  chatmode: string
  workflow: string | null
  skill: string | null
  git_branch: string | null
  task: string | null
  state: string
  status: string
  active_agent: string
  head: number
  turns: number
  cleared_at: number
  hidden: string | null
  started_at: string
  last_activity_at: string
  activity_minute: number
  ended_at: string | null
  expires_at: string | null
  metadata: string
  forked_from: string | null
  last_work: string | null
  commit_id: string | null
  commit_position: number | null
  awaits_commit: number
  envelope_at: number
  parent_id: string | null
  parent_sequence: number | null
  usage: string | null
  run_generation: number | null
  lease_until: string | null
  due_at: string | null
  requests_at: string | null
  run: string | null
  requests: string | null
}

/** The column `run`. */
interface StoredRun {
  live?: LiveRun
  view?: RunView
}

/** A row of `sessions` with its row of `session_state`. */
export interface ViewRow extends SessionRow {
  scratchpad: string
  version: number
  updated_at: string
}

/** The envelope columns joined to a session row; all null if there is none. */
export interface EnvelopeColumns {
  persona_id: string | null
  envelope_tenant: string
  subject: string
  issuer: string | null
  scope: string | null
  envelope_metadata: string
  analysis: string
  envelope_created_at: string
  envelope_updated_at: string
  batch: string | null
}

/** A row of `session_events`, without its session. */
export interface EventRow {
  sequence: number
  id: string
  type: string
  role: string
  content: string
  parts: string | null
  agent_id: string | null
  occurred_at: string | null
  created_at: string
}

/** A row of `conversation_commits`, without its conversation. */
export interface LinkRow {
  commit_id: string
  session_id: string
  user_id: string
  position: number
  made_at: string
  purged_at: string | null
}

/** The row, if the caller may see its session. */
export function visibleRow<Row extends { tenant: string; user_id: string }>(
  row: Row | undefined,
  { within }: SessionKey,
): Row | undefined {
  return row !== undefined && isWithin({ tenant: row.tenant, userId: row.user_id }, within) ? row : undefined
}

/** The columns of a record. */
export type RecordRow = Omit<
  SessionRow,
  | 'state'
  | 'cleared_at'
  | 'hidden'
  | 'activity_minute'
  | 'last_work'
  | 'commit_id'
  | 'commit_position'
  | 'awaits_commit'
  | 'envelope_at'
  | 'lease_until'
  | 'due_at'
  | 'requests_at'
  | 'requests'
>

/** The columns of a scratchpad. */
export type StateRow = Pick<ViewRow, 'scratchpad' | 'version' | 'updated_at'>

export function stateOf({ scratchpad, version, updated_at }: StateRow): SessionScratchpad {
  return { scratchpad: JSON.parse(scratchpad), version, updatedAt: updated_at }
}

export function recordOf(row: RecordRow): SessionRecord {
  return {
    id: row.id,
    tenant: row.tenant,
    userId: row.user_id,
    conversationId: row.conversation_id,
    chatmode: row.chatmode,
    ...(row.workflow !== null && { workflow: row.workflow }),
    ...(row.skill !== null && { skill: row.skill }),
    ...(row.git_branch !== null && { gitBranch: row.git_branch }),
    ...(row.task !== null && { task: row.task }),
    status: JSON.parse(row.status) as SessionStatus,
    activeAgent: row.active_agent,
    head: row.head,
    turns: row.turns,
    startedAt: row.started_at,
    lastActivityAt: row.last_activity_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    metadata: JSON.parse(row.metadata),
    ...(row.forked_from !== null && { forkedFrom: JSON.parse(row.forked_from) }),
    ...(row.parent_id !== null && { parent: parentOf(row.parent_id, row.parent_sequence) }),
    ...(row.usage !== null && { usage: usageFrom(JSON.parse(row.usage), row.turns) }),
    ...(row.run_generation !== null && liveRunOf(row)),
  }
}

function liveRunOf({ run }: Pick<SessionRow, 'run'>): { run?: LiveRun } {
  const { live } = storedRunOf(run)
  return live === undefined ? {} : { run: live }
}

function storedRunOf(run: string | null): StoredRun {
  return run === null ? {} : JSON.parse(run)
}

function parentOf(sessionId: string, sequence: number | null): ParentLink {
  return { sessionId, ...(sequence !== null && { sequence }) }
}

export function viewOf(row: ViewRow & EnvelopeColumns): SessionView {
  const envelope = envelopeOf(row.id, row)
  const { view: run } = storedRunOf(row.run)
  return {
    record: recordOf(row),
    state: stateOf(row),
    clearedAt: row.cleared_at,
    ...(row.hidden !== null && { hidden: JSON.parse(row.hidden) }),
    ...(row.last_work !== null && { lastWork: row.last_work }),
    ...(row.commit_id !== null && { commit: { id: row.commit_id, position: row.commit_position ?? 0 } }),
    ...(row.awaits_commit === 1 && { awaitsCommit: true }),
    ...(run !== undefined && { run }),
    ...(row.lease_until !== null && { leaseUntil: row.lease_until }),
    ...(row.requests !== null && { requests: JSON.parse(row.requests) }),
    ...(row.requests_at !== null && { requestsAt: row.requests_at }),
    envelopeAt: row.envelope_at,
    ...(envelope !== undefined && { envelope }),
  }
}

/** The envelope of a session, if there is one. */
export function envelopeOf(sessionId: string, row: EnvelopeColumns): EnvelopeView | undefined {
  if (row.persona_id === null) return undefined
  return {
    document: {
      session_id: sessionId,
      persona_id: row.persona_id,
      tenant: row.envelope_tenant,
      subject: row.subject,
      ...(row.issuer !== null && { issuer: row.issuer }),
      ...(row.scope !== null && { scope: row.scope }),
      metadata: JSON.parse(row.envelope_metadata),
      analysis: JSON.parse(row.analysis),
      timestamps: { created_at: row.envelope_created_at, updated_at: row.envelope_updated_at },
    },
    ...(row.batch !== null && { batch: row.batch }),
  }
}

export function rowOf(view: SessionView): ViewRow {
  const { record, clearedAt, hidden, lastWork, commit, awaitsCommit, envelopeAt } = view
  const run: StoredRun = defined({ live: record.run, view: view.run })
  return {
    ...stateRow(view),
    tenant: record.tenant,
    user_id: record.userId,
    conversation_id: record.conversationId,
    chatmode: record.chatmode,
    workflow: record.workflow ?? null,
    skill: record.skill ?? null,
    git_branch: record.gitBranch ?? null,
    task: record.task ?? null,
    state: record.status.state,
    status: encodeTrustedJson(record.status),
    active_agent: record.activeAgent,
    head: record.head,
    turns: record.turns,
    cleared_at: clearedAt,
    hidden: hidden === undefined ? null : encodeTrustedJson(hidden),
    started_at: record.startedAt,
    last_activity_at: record.lastActivityAt,
    activity_minute: minuteOf(record.lastActivityAt),
    ended_at: record.endedAt ?? null,
    expires_at: record.expiresAt ?? null,
    metadata: encodeTrustedJson(record.metadata),
    forked_from: record.forkedFrom === undefined ? null : encodeTrustedJson(record.forkedFrom),
    last_work: lastWork ?? null,
    commit_id: commit?.id ?? null,
    commit_position: commit?.position ?? null,
    awaits_commit: awaitsCommit === true ? 1 : 0,
    envelope_at: envelopeAt,
    parent_id: record.parent?.sessionId ?? null,
    parent_sequence: record.parent?.sequence ?? null,
    usage: record.usage === undefined ? null : encodeTrustedJson(usageNumbers(record)),
    run_generation: record.run?.generation ?? null,
    lease_until: view.leaseUntil ?? null,
    due_at: dueAt(view) ?? null,
    requests_at: view.requestsAt ?? null,
    run: Object.keys(run).length === 0 ? null : encodeTrustedJson(run),
    requests: view.requests === undefined ? null : encodeTrustedJson(view.requests),
  }
}

/** The row of `session_state` for a view. */
export function stateRow({ record, state }: SessionView): StateRow & { id: string } {
  const { scratchpad, version, updatedAt } = state
  return { id: record.id, scratchpad: encodeTrustedJson(scratchpad), version, updated_at: updatedAt }
}

export function eventOf(row: EventRow): StoredEvent {
  // assigned one by one: spreading optional fields took a third of the time of a window
  const event: Writable<StoredEvent> = {
    id: row.id,
    sequence: row.sequence,
    type: row.type,
    role: row.role,
    content: row.content,
    createdAt: row.created_at,
  }
  if (row.parts !== null) event.parts = row.parts
  if (row.agent_id !== null) event.agentId = row.agent_id
  if (row.occurred_at !== null) event.occurredAt = row.occurred_at
  return event
}

export function linkOf(row: LinkRow): CommitLink {
  return {
    id: row.commit_id,
    sessionId: row.session_id,
    userId: row.user_id,
    position: row.position,
    at: row.made_at,
    ...(row.purged_at !== null && { purgedAt: row.purged_at }),
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Caches the last minute as text and number, since most calls are in the same minute. */
let lastMinute = { text: '', minute: 0 }

/** Minutes since 1970. */
export function minuteOf(time: string): number {
  const text = time.slice(0, 16)
  if (text !== lastMinute.text) lastMinute = { text, minute: Math.floor(Date.parse(time) / 60_000) }
  return lastMinute.minute
}

/** Sequences of one row in `session_types`. */
export const BLOCK = 256

export function blockOf(sequence: number): number {
  return Math.floor(sequence / BLOCK)
}
