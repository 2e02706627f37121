import {
  applyEnvelopeChange,
  applyMetadataChange,
  type EnvelopeChange,
  type EnvelopeView,
  forkEnvelope,
  type Identity,
  initialEnvelope,
} from './envelope.ts'
import { type RecordedType, type SessionEvent, startsTurn } from './event.ts'
import type { JsonObject } from './json.ts'
import { isFinal, type ParentLink, type Scope, type SessionRecord, type SessionStatus } from './record.ts'
import { evolveRequests, type OpenRequest } from './request.ts'
import { evolveRewind, type HiddenRanges } from './rewind.ts'
import { evolveRun, type RunView, withInterruptedRun, withoutLiveRun } from './run.ts'
import {
  applyStateChange,
  type HandoffContext,
  removeHandoff,
  type Scratchpad,
  type StateChange,
} from './scratchpad.ts'
import { usageAfter } from './usage.ts'

/** The scratchpad of a session. */
export interface SessionScratchpad {
  scratchpad: Scratchpad
  /** Number of changes; 0 for a new session. */
  version: number
  updatedAt: string
}

/** Every view of one session after the event `record.head`. */
export interface SessionView {
  record: SessionRecord
  state: SessionScratchpad
  /** Sequence of the last `messages_cleared`, or 0: messages and windows start after it. */
  clearedAt: number
  /** Ranges of events that a rewind took off the current line; absent if there are none. */
  hidden?: HiddenRanges
  /** Id of the last work commit: the parent of the next. */
  lastWork?: string
  /** The session's canonical commit and its position in the conversation. */
  commit?: { id: string; position: number }
  /** The session ended and still needs its commit: a crash may have come between. */
  awaitsCommit?: true
  /** What is known of its runs; absent before the first one, the first wake and the first resolved request. */
  run?: RunView
  /**
   * When the lease of the live run expires. Not of the log: a renewal writes no event, and a run that was imported or
   * forked has no lease.
   */
  leaseUntil?: string
  /** Open requests, oldest first; absent if there are none. */
  requests?: readonly OpenRequest[]
  /** When a request was last opened or resolved. */
  requestsAt?: string
  /** Sequence of the last event that changed the envelope. */
  envelopeAt: number
  /**
   * The envelope after that event. Absent if none is stored or the stored one is older: then it is folded from the log.
   */
  envelope?: EnvelopeView
}

/**
 * Types that change a view. All others move the counters of the record alone (see {@link withCounters}), and its usage
 * (see `USAGE_FOLDED_TYPES`).
 */
export const FOLDED_TYPES = [
  'session_started',
  'session_forked',
  'status_changed',
  'messages_cleared',
  'state_changed',
  'handoff_taken',
  'work_committed',
  'session_compacted',
  'envelope_updated',
  'agent_changed',
  'agent_transition',
  'run_started',
  'run_finished',
  'cancel_requested',
  'wake_scheduled',
  'wake_fired',
  'request_opened',
  'request_resolved',
  'rewound',
] as const satisfies readonly RecordedType[]

/** Parts of `session_started`: the initial values of the record. */
export interface StartedParts extends Scope {
  agent: string
  workflow?: string
  skill?: string
  gitBranch?: string
  task?: string
  expiresAt?: string
  metadata: JsonObject
  parent?: ParentLink
  identity?: Identity
  /** The backfill that created it. */
  batch?: string
}

/** Parts of `session_forked`: its source and the fork's own values. */
export interface ForkedParts {
  from: { sessionId: string; sequence: number }
  conversationId: string
  chatmode: string
  task?: string
  metadata: JsonObject
}

/** Parts of `agent_changed` and `agent_transition`; the latter has its reason as content. */
export interface SwitchedParts {
  from: string
  to: string
  /** Context of a handoff. */
  context?: HandoffContext & JsonObject
}

/** Returns the views after `session_started`, the first event of a log. */
export function initialView(event: SessionEvent): SessionView {
  const { agent, identity, batch, ...given } = event.parts as unknown as StartedParts
  return {
    record: {
      id: event.sessionId,
      ...given,
      status: { state: 'running' },
      activeAgent: agent,
      head: event.sequence,
      turns: 0,
      startedAt: event.createdAt,
      lastActivityAt: event.createdAt,
    },
    state: { scratchpad: {}, version: 0, updatedAt: event.createdAt },
    clearedAt: 0,
    envelopeAt: event.sequence,
    envelope: initialEnvelope(event),
  }
}

/**
 * Applies a stored event. Total: history is never refused, only commands are. Types that change no view, such as custom
 * ones, move only the counters.
 */
export function evolve(view: SessionView, event: SessionEvent): SessionView {
  const record: SessionRecord = {
    ...view.record,
    head: event.sequence,
    turns: view.record.turns + (startsTurn(event) ? 1 : 0),
    lastActivityAt: isActivity(event) ? event.createdAt : view.record.lastActivityAt,
  }
  const usage = usageAfter(record.usage, event)
  if (usage !== undefined) record.usage = usage
  const pad = view.state.scratchpad
  switch (event.type) {
    case 'status_changed':
      return withStatus({ ...view, record }, event)
    case 'messages_cleared':
      return { ...view, record, clearedAt: event.sequence }
    case 'session_forked':
      return asFork({ ...view, record }, event)
    case 'state_changed':
      return {
        ...view,
        record,
        state: withScratchpad(view.state, event, applyStateChange(pad, event.parts as StateChange)),
      }
    case 'handoff_taken':
      return { ...view, record, state: withScratchpad(view.state, event, removeHandoff(pad)) }
    case 'work_committed':
      return { ...view, record, lastWork: (event.parts as { id: string }).id }
    case 'session_compacted': {
      const { awaitsCommit: _made, ...rest } = view
      const { id, position } = event.parts as { id: string; position: number }
      return { ...rest, record, commit: { id, position } }
    }
    case 'envelope_updated':
      return withEnvelope({ ...view, record }, event)
    case 'agent_changed':
    case 'agent_transition':
      return withAgent({ ...view, record }, event)
    case 'run_started':
    case 'run_finished':
    case 'cancel_requested':
    case 'wake_scheduled':
    case 'wake_fired':
      return evolveRun({ ...view, record }, event)
    case 'request_opened':
      return evolveRequests({ ...view, record }, event)
    case 'request_resolved':
      return evolveRun(evolveRequests({ ...view, record }, event), event)
    case 'rewound':
      return evolveRewind({ ...view, record }, event)
    default:
      return { ...view, record }
  }
}

/** Compaction describes past work, so it does not count as activity. */
export function isActivity({ type }: { type: string }): boolean {
  return type !== 'session_compacted'
}

/**
 * Sets the counters of views folded only from {@link FOLDED_TYPES}, to what all events up to `sequence` would give.
 */
export function withCounters(
  view: SessionView,
  { sequence, turns, lastActivityAt }: { sequence: number; turns: number; lastActivityAt: string },
): SessionView {
  return { ...view, record: { ...view.record, head: sequence, turns, lastActivityAt } }
}

/** Fields that every event moves. */
const COUNTERS = { head: 0, turns: 0, lastActivityAt: '' }

/**
 * Whether only scratchpad and counters differ, `after` being folded from `before`: an event keeps unchanged values as
 * the same object.
 */
export function onlyStateChanged(before: SessionView, after: SessionView): boolean {
  const { record: was, state: _before, envelope: _was, ...others } = before
  const { record, state: _after, envelope: _is, ...rest } = after
  return isShallowEqual({ ...was, ...COUNTERS }, { ...record, ...COUNTERS }) && isShallowEqual(others, rest)
}

function isShallowEqual(one: object, other: object): boolean {
  const members = Object.entries(one)
  const isAlike = members.every(([key, value]) => (other as Record<string, unknown>)[key] === value)
  return isAlike && members.length === Object.keys(other).length
}

/** Parts of `status_changed`. */
export interface StatusParts {
  status: SessionStatus
  /** False: the session ends without a commit, because there was no meaningful work. */
  commits?: false
}

function withStatus(view: SessionView, event: SessionEvent): SessionView {
  const { status, commits } = event.parts as unknown as StatusParts
  if (status.state === 'interrupted') return withInterruptedRun({ ...view, record: { ...view.record, status } }, event)
  if (!isFinal(status.state)) return { ...view, record: { ...view.record, status } }
  const isCallers = status.state === 'complete' && status.endedBy === 'caller'
  const ended = withoutLiveRun(view)
  return {
    ...ended,
    record: { ...ended.record, status, endedAt: event.createdAt },
    ...(!isCallers && commits !== false && { awaitsCommit: true }),
  }
}

function withEnvelope({ envelope, record, ...view }: SessionView, event: SessionEvent): SessionView {
  const change = event.parts as EnvelopeChange
  return {
    ...view,
    record: { ...record, metadata: applyMetadataChange(record.metadata, change) },
    envelopeAt: event.sequence,
    ...(envelope !== undefined && { envelope: applyEnvelopeChange(envelope, change, event.createdAt) }),
  }
}

function withScratchpad(
  { version }: SessionScratchpad,
  { createdAt }: SessionEvent,
  scratchpad: Scratchpad,
): SessionScratchpad {
  return { scratchpad, version: version + 1, updatedAt: createdAt }
}

/** Makes the agent active; a handoff's context replaces the one waiting in the scratchpad. */
function withAgent({ record, state, ...view }: SessionView, event: SessionEvent): SessionView {
  const { to, context } = event.parts as unknown as SwitchedParts
  const scratchpad = { ...state.scratchpad, ...(context !== undefined && { handoff_context: context }) }
  return {
    ...view,
    record: { ...record, activeAgent: to },
    state: context === undefined ? state : withScratchpad(state, event, scratchpad),
  }
}

/**
 * A fork is live, never compacted or expiring, nobody's child, and without usage, runs and requests, even if its source
 * is not.
 */
function asFork(
  {
    record,
    commit: _commit,
    awaitsCommit: _awaits,
    run: _run,
    leaseUntil: _lease,
    requests: _requests,
    requestsAt: _asked,
    envelope,
    ...view
  }: SessionView,
  event: SessionEvent,
): SessionView {
  const { from, ...given } = event.parts as unknown as ForkedParts
  const {
    endedAt: _ended,
    expiresAt: _expires,
    task: _task,
    parent: _parent,
    usage: _usage,
    run: _live,
    ...kept
  } = record
  return {
    ...view,
    record: {
      ...kept,
      ...given,
      id: event.sessionId,
      status: isFinal(record.status.state) ? { state: 'running' } : record.status,
      startedAt: event.createdAt,
      lastActivityAt: event.createdAt,
      forkedFrom: from,
    },
    envelopeAt: event.sequence,
    ...(envelope !== undefined && { envelope: forkEnvelope(envelope, event, given.metadata) }),
  }
}
