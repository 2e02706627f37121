import type { SessionScratchpad, SessionView } from '../../domain/fold.ts'
import { encodeTrustedJson, type Json, type JsonObject } from '../../domain/json.ts'
import { labelsOf } from '../../domain/label.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { LiveRun, ParentLink, Principal, SessionRecord, SessionStatus } from '../../domain/record.ts'
import type { OpenRequest } from '../../domain/request.ts'
import type { HiddenRanges } from '../../domain/rewind.ts'
import { dueAt, type RunView } from '../../domain/run.ts'
import type { CommitLink, NewEvent, StoredEdge, StoredEvent } from '../../ports/session-store.ts'
import { usageFrom, usageNumbers } from '../usage-numbers.ts'
import { type EnvelopeColumns, envelopeOf, envelopeValues } from './envelope-rows.ts'
import { isoTime } from './times.ts'

/** Largest `integer` of Postgres. No log gets that long, so a larger number means the same. */
export const MAX_INT = 2_147_483_647

/**
 * Characters after which a function of the database ends a list. It measures long columns only, as JSON of Postgres,
 * which can be half as long again as that of JavaScript. So no list ends before its size, and none is much longer.
 */
export const LIST_SIZE = 1.5 * LIMITS.pageSize

/** A row of `context.sessions`. */
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
  status: SessionStatus
  active_agent: string
  head: number
  turns: number
  cleared_at: number
  /** Ends of the ranges, one after the other. */
  hidden: number[] | null
  decision_version: number
  started_at: string
  last_activity_at: string
  ended_at: string | null
  expires_at: string | null
  metadata: JsonObject
  forked_from: { sessionId: string; sequence: number } | null
  last_work: string | null
  commit_id: string | null
  commit_position: number | null
  awaits_commit: boolean
  envelope_at: number
  parent_id: string | null
  parent_sequence: number | null
  /** A driver returns bigint as text. */
  usage: (number | string)[] | null
  /** Lists and records have only the live one. */
  run: StoredRuns | null
}

/** The runs of a session: that of the record, and that of the views. */
interface StoredRuns {
  live?: LiveRun
  known?: RunView
}

/** A row of `context.session_views`. */
export interface ViewRow extends SessionRow, EnvelopeColumns {
  lease_until: string | null
  requests: OpenRequest[] | null
  requests_at: string | null
  scratchpad: JsonObject
  version: number
  updated_at: string
}

/** A row of `context.event_row`. */
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

/** A row of `context.conversation_commits` without the conversation. */
export interface LinkRow {
  commit_id: string
  session_id: string
  user_id: string
  position: number
  made_at: string
  purged_at: string | null
}

/** The columns of a record. */
export type RecordRow = Omit<
  SessionRow,
  | 'cleared_at'
  | 'hidden'
  | 'decision_version'
  | 'last_work'
  | 'commit_id'
  | 'commit_position'
  | 'awaits_commit'
  | 'envelope_at'
>

/** The columns of a scratchpad. */
export type StateRow = Pick<ViewRow, 'scratchpad' | 'version' | 'updated_at'>

/** Parses a record from JSON text. */
export function recordRow(text: string): RecordRow {
  return withTimes<RecordRow>(JSON.parse(text))
}

/** Parses a scratchpad from JSON text. */
export function stateRow(text: string): StateRow {
  const row: StateRow = JSON.parse(text)
  row.updated_at = isoTime(row.updated_at)
  return row
}

/** Parses all views from JSON text. */
export function viewRow(text: string): ViewRow {
  const row: ViewRow = withTimes(JSON.parse(text))
  row.updated_at = isoTime(row.updated_at)
  if (row.lease_until !== null) row.lease_until = isoTime(row.lease_until)
  if (row.requests_at !== null) row.requests_at = isoTime(row.requests_at)
  if (row.envelope_created_at === null) return row
  row.envelope_created_at = isoTime(row.envelope_created_at)
  row.envelope_updated_at = isoTime(row.envelope_updated_at)
  return row
}

function withTimes<Row extends RecordRow>(row: Row): Row {
  row.started_at = isoTime(row.started_at)
  row.last_activity_at = isoTime(row.last_activity_at)
  if (row.ended_at !== null) row.ended_at = isoTime(row.ended_at)
  if (row.expires_at !== null) row.expires_at = isoTime(row.expires_at)
  return row
}

export function stateOf({ scratchpad, version, updated_at }: StateRow): SessionScratchpad {
  return { scratchpad, version, updatedAt: updated_at }
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
    status: row.status,
    activeAgent: row.active_agent,
    head: row.head,
    turns: row.turns,
    startedAt: row.started_at,
    lastActivityAt: row.last_activity_at,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    metadata: row.metadata,
    ...(row.forked_from !== null && { forkedFrom: row.forked_from }),
    ...(row.parent_id !== null && { parent: parentOf(row.parent_id, row.parent_sequence) }),
    ...(row.usage !== null && { usage: usageFrom(row.usage, row.turns) }),
    ...(row.run?.live !== undefined && { run: row.run.live }),
  }
}

function parentOf(sessionId: string, sequence: number | null): ParentLink {
  return { sessionId, ...(sequence !== null && { sequence }) }
}

export function viewOf(row: ViewRow): SessionView {
  return {
    record: recordOf(row),
    state: stateOf(row),
    clearedAt: row.cleared_at,
    ...(row.hidden !== null && { hidden: hiddenRanges(row.hidden) }),
    ...(row.last_work !== null && { lastWork: row.last_work }),
    ...(row.commit_id !== null && { commit: { id: row.commit_id, position: row.commit_position ?? 0 } }),
    ...(row.awaits_commit && { awaitsCommit: true }),
    ...(row.run?.known !== undefined && { run: row.run.known }),
    ...(row.lease_until !== null && { leaseUntil: row.lease_until }),
    ...(row.requests !== null && { requests: row.requests }),
    ...(row.requests_at !== null && { requestsAt: row.requests_at }),
    envelopeAt: row.envelope_at,
    ...envelopeOf(row.id, row),
  }
}

/** The views of a new session as column values: record, state, envelope. */
export function newSessionValues(view: SessionView): unknown[] {
  const { record, state, envelope } = view
  return [
    ...[record.tenant, record.userId, record.conversationId, record.chatmode],
    ...[record.workflow, record.skill, record.gitBranch, record.task],
    ...[record.status.state, encodeTrustedJson(record.status), record.activeAgent, record.turns, record.expiresAt],
    ...[
      encodeTrustedJson(record.metadata),
      labelsOf(record.metadata),
      record.parent?.sessionId,
      record.parent?.sequence,
      dueAt(view),
    ],
    ...[encodeTrustedJson(state.scratchpad), state.version],
    ...envelopeValues(envelope),
  ]
}

/**
 * Encodes views for the functions. With the labels of the metadata, unless they are as they were. `addedUsage` is what
 * a decision adds to the usage of the session.
 */
export function viewJson(view: SessionView, hasLabels = true, addedUsage?: Json): string {
  const { record, state, hidden, ...rest } = view
  const hasRuns = record.run !== undefined || view.run !== undefined
  return encodeTrustedJson({
    ...record,
    ...state,
    ...rest,
    ...(hasLabels && { labels: labelsOf(record.metadata) }),
    ...(record.usage !== undefined && { usage: usageNumbers(record) }),
    ...(hasRuns && { run: { live: record.run, known: view.run } }),
    dueAt: dueAt(view),
    ...(hidden !== undefined && { hidden: hidden.flat() }),
    ...(addedUsage !== undefined && { addedUsage }),
  })
}

/** The ranges whose ends are given one after the other. */
export function hiddenRanges(ends: readonly number[]): HiddenRanges {
  return Array.from({ length: ends.length / 2 }, (_, i) => [ends[2 * i] ?? 0, ends[2 * i + 1] ?? 0])
}

/** Views as {@link viewJson} encodes them. */
export type FlatView = Omit<SessionRecord, 'usage' | 'run'> &
  SessionScratchpad &
  Omit<SessionView, 'record' | 'state' | 'run' | 'hidden'> & {
    readonly labels?: readonly string[]
    readonly usage?: readonly number[]
    readonly run?: StoredRuns
    readonly dueAt?: string
    readonly hidden?: readonly number[]
  }

/** Reverses {@link viewJson}. */
export function viewOfJson(flat: FlatView): SessionView {
  const { scratchpad, version, updatedAt, labels: _labels, dueAt: _due, usage, run, ...rest } = flat
  const { clearedAt, hidden, lastWork, commit, awaitsCommit, envelopeAt, envelope, ...more } = rest
  const { leaseUntil, requests, requestsAt, ...record } = more
  return {
    record: {
      ...record,
      ...(usage !== undefined && { usage: usageFrom(usage, record.turns) }),
      ...(run?.live !== undefined && { run: run.live }),
    },
    state: { scratchpad, version, updatedAt },
    clearedAt,
    ...(hidden !== undefined && { hidden: hiddenRanges(hidden) }),
    ...(lastWork !== undefined && { lastWork }),
    ...(commit !== undefined && { commit }),
    ...(awaitsCommit !== undefined && { awaitsCommit }),
    ...(run?.known !== undefined && { run: run.known }),
    ...(leaseUntil !== undefined && { leaseUntil }),
    ...(requests !== undefined && { requests }),
    ...(requestsAt !== undefined && { requestsAt }),
    envelopeAt,
    ...(envelope !== undefined && { envelope }),
  }
}

export function eventOf(row: EventRow): StoredEvent {
  const event: { -readonly [K in keyof StoredEvent]: StoredEvent[K] } = {
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

/** An event as column values: id, type, role, content, parts, agent, occurred, checksum. */
export function eventValues({ id, type, role, content, parts, agentId, occurredAt, checksum }: NewEvent): unknown[] {
  return [id, type, role, content, parts ?? null, agentId ?? null, occurredAt ?? null, byteaText(checksum)]
}

/** Events as one array per column: id, type, role, content, parts, agent, occurred, checksum. */
export function eventColumns(events: readonly NewEvent[]): unknown[][] {
  return [
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ role }) => role),
    events.map(({ content }) => content),
    events.map(({ parts }) => parts ?? null),
    events.map(({ agentId }) => agentId ?? null),
    events.map(({ occurredAt }) => occurredAt ?? null),
    events.map(({ checksum }) => byteaText(checksum)),
  ]
}

function byteaText(hex: string): string {
  return `\\x${hex}`
}

/** Edges as one array per column: from, label, to, sequence or place, evidence. */
export function edgeColumns(edges: readonly StoredEdge[]): unknown[] {
  return [
    edges.map(({ from }) => from),
    edges.map(({ label }) => label),
    edges.map(({ to }) => to),
    edges.map(({ sequence }) => sequence),
    edges.map(({ evidence }) => evidence),
  ]
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

/** Tenant and user as the functions take them; null for an unrestricted caller. */
export function ownerOf({ within }: { within?: Principal | undefined }): [string | null, string | null] {
  return [within?.tenant ?? null, within?.userId ?? null]
}

export const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
