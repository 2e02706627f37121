import { defaultRole, type EventType, type Role, type SessionEvent } from '../../domain/event.ts'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { edgesOf } from '../../domain/graph.ts'
import { toIso } from '../../domain/iso-time.ts'
import { encodeJson, type Json, type JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { checkLive } from '../../domain/record.ts'
import { partsLevel } from '../../domain/rewind.ts'
import { incrementOf, type UsageIncrement, usageOf } from '../../domain/usage.ts'
import type { CommitLink, DecideRequest, Decision, IdempotencyStamp, NewEvent } from '../../ports/session-store.ts'
import { nodeCrypto } from './crypto.ts'
import { type Deps, keyOf, now } from './deps.ts'
import { checksumOf } from './event-checksum.ts'
import { viewAt } from './history.ts'
import { sessionEvent } from './stored-event.ts'
import { storedView } from './stored-view.ts'

/** An event as one of our own calls writes it. */
export interface Draft {
  type: EventType
  content: string
  parts?: Json | JsonObject
  agentId?: string
  role?: Role
  /** When it happened, if not now. */
  occurredAt?: string
}

/** The draft in the form that stores accept. */
export function newEvent(deps: Deps, draft: Draft): NewEvent {
  const { type, content, agentId, role = defaultRole(type), occurredAt } = draft
  const parts =
    draft.parts === undefined
      ? undefined
      : encodeJson(draft.parts, 'parts', LIMITS.parts, partsLevel(type), Number.POSITIVE_INFINITY)
  return {
    id: deps.newId(),
    type,
    role,
    content,
    ...(parts !== undefined && { parts }),
    ...(agentId !== undefined && { agentId }),
    ...(occurredAt !== undefined && { occurredAt }),
    checksum: checksumOf({ type, role, content, parts, agentId, occurredAt }),
  }
}

/** Hash of what the events say: equal for equal content, whatever their ids. */
export function fingerprint(events: readonly NewEvent[]): string {
  return hashOf(events.map((e) => [e.type, e.role, e.content, e.parts, e.agentId, e.occurredAt]))
}

function hashOf(value: readonly unknown[]): string {
  return nodeCrypto().hash('sha256', JSON.stringify(value), 'base64url')
}

/** Whether memories may be extracted after this event. */
export function isMilestone({ type }: { type: string }): boolean {
  return type === 'validation_gate'
}

/** A call as its idempotency key identifies it. */
export interface KeyedCall {
  /** The call and its arguments; the same key with other arguments is refused. */
  readonly command?: readonly unknown[]
  readonly idempotencyKey?: string | undefined
}

/** What is stored with the key of a call. */
export function stampOf(key: string, command: readonly unknown[]): IdempotencyStamp {
  return { key, fingerprint: hashOf(command) }
}

/**
 * The events that an earlier call with this key wrote in the session; none if there was no such call. Writes nothing.
 */
export async function findEarlierWrite(
  deps: Deps,
  sessionId: string,
  { command = [], idempotencyKey: key = '' }: KeyedCall,
): Promise<readonly SessionEvent[]> {
  const { events } = await deps.store.decide({
    ...keyOf(deps, sessionId),
    at: now(deps),
    idempotency: stampOf(key, command),
    decide: (view) => ({ events: [], view }),
  })
  return events.map((event) => sessionEvent(sessionId, event))
}

/** Events to write; those in stored form are written as they are. */
export type Drafts = readonly (Draft | NewEvent)[]

/** Sees the current views; returns the events to write, or throws to refuse. */
export type Decide = (view: SessionView, at: string) => Drafts

/** The result of a decision. */
export interface Decided {
  /** The views after it. */
  readonly view: SessionView
  /** What it wrote; empty if there was nothing to do. */
  readonly events: readonly SessionEvent[]
  /** Whether an earlier call with the same key wrote these events. */
  readonly replayed: boolean
}

/** Decides about a session that takes events; throws `SessionEndedError` for one that has ended or expired. */
export async function decideOn(deps: Deps, id: string, decide: Decide, call?: KeyedCall): Promise<Decided> {
  return await run(deps, id, ifLive(decide), call)
}

/** Decides about a session in any state, ended or not. */
export async function decideInAnyState(deps: Deps, id: string, decide: Decide, call?: KeyedCall): Promise<Decided> {
  return await run(deps, id, decide, call)
}

/** Decides by the scratchpad alone, so that a store may start from the one it cached. */
export async function decideOnScratchpad(deps: Deps, id: string, decide: Decide, call?: KeyedCall): Promise<Decided> {
  return await run(deps, id, ifLive(decide), call, { reads: 'state' })
}

/** Decides about the next commit of the conversation, in any state; `last` is the newest commit of its chain. */
export async function decideOnCommit(
  deps: Deps,
  id: string,
  decide: (view: SessionView, last: CommitLink | undefined) => readonly Draft[],
  call?: KeyedCall,
): Promise<Decided> {
  return await run(deps, id, (view, _at, last) => decide(view, last), call, { chained: true })
}

/**
 * Decides about the runs of a session, in any state. A run that the decision starts gets a lease of `leaseMs`, which is
 * stored with it.
 */
export async function decideOnRuns(
  deps: Deps,
  id: string,
  decide: Decide,
  leaseMs: number,
  call?: KeyedCall,
): Promise<Decided> {
  return await run(deps, id, decide, call, { leaseMs })
}

/** Like {@link decideOn}, after `complete` has added to the views what the store does not keep. */
export async function decideOnCompleted(
  deps: Deps,
  id: string,
  decide: Decide,
  complete: (view: SessionView) => SessionView,
  call?: KeyedCall,
): Promise<Decided> {
  return await run(deps, id, ifLive(decide), call, {}, complete)
}

function ifLive(decide: Decide): Decide {
  return (view, at) => {
    checkLive(view.record, at)
    return decide(view, at)
  }
}

/** The usage that events carry; `undefined` if none does. */
function usageIn(events: readonly SessionEvent[]): UsageIncrement | undefined {
  const carriers = events.map((event) => ({ type: event.type, usage: usageOf(event) }))
  return carriers.some(({ usage }) => usage !== undefined) ? incrementOf(carriers) : undefined
}

/** The one place where pure decisions meet the store: it keeps the events together with the views they lead to. */
async function run(
  deps: Deps,
  sessionId: string,
  decide: (view: SessionView, at: string, last?: CommitLink) => Drafts,
  { command = [], idempotencyKey: key }: KeyedCall = {},
  { leaseMs, ...request }: Pick<DecideRequest, 'chained' | 'reads'> & { leaseMs?: number } = {},
  complete: (view: SessionView) => SessionView = (view) => view,
): Promise<Decided> {
  const at = now(deps)
  let before: SessionView | undefined
  let after: SessionView | undefined
  const { events, replayed } = await deps.store.decide({
    ...keyOf(deps, sessionId),
    ...request,
    at,
    ...(key !== undefined && { idempotency: stampOf(key, command) }),
    decide(stored, last): Decision {
      const view = complete(stored)
      const drafts = decide(view, at, last).map((draft) => ('checksum' in draft ? draft : newEvent(deps, draft)))
      const made = drafts.map((event, i) =>
        sessionEvent(sessionId, { ...event, sequence: view.record.head + i + 1, createdAt: at }),
      )
      before = view
      after = made.reduce(evolve, view)
      const isStarted = leaseMs !== undefined && made.some(({ type }) => type === 'run_started')
      if (isStarted) after = { ...after, leaseUntil: toIso(Date.parse(at) + leaseMs) }
      const edges = made.flatMap((event, i) => edgesOf(event).map((edge) => ({ ...edge, event: i })))
      const usage = usageIn(made)
      return { events: drafts, view: storedView(deps, after), edges, ...(usage !== undefined && { usage }) }
    },
  })
  const written = events.map((event) => sessionEvent(sessionId, event))
  deps.background.wrote(sessionId, after?.record.endedAt !== undefined || events.some(isMilestone))
  const end = written.at(-1)
  // a replay returns the first result: the views as that call left them, not the current ones
  if (replayed && end !== undefined) after = await viewAt(deps, sessionId, end.sequence)
  const view = after as SessionView
  // plain appends may have come between the decision and the write
  const head = end?.sequence ?? view.record.head
  const shift = view.envelopeAt === before?.envelopeAt ? 0 : head - view.record.head
  const placed = { ...view, envelopeAt: view.envelopeAt + shift, record: { ...view.record, head } }
  return { view: placed, events: written, replayed }
}
