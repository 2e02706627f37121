import { defaultRole, type EventType, type Role, type SessionEvent } from '../../domain/event.ts'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { encodeJson, type Json, type JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { checkLive } from '../../domain/record.ts'
import { edgesOf } from '../../domain/work.ts'
import type { CommitLink, DecideRequest, Decision, NewEvent } from '../../ports/session-store.ts'
import { nodeCrypto } from './crypto.ts'
import { type Deps, keyOf, now } from './deps.ts'
import { viewAt } from './history.ts'
import { sessionEvent } from './stored-event.ts'
import { storedView } from './stored-view.ts'

/** An event that one of our own calls writes. */
export interface Draft {
  type: EventType
  content: string
  parts?: Json | JsonObject
  agentId?: string
  role?: Role
  /** When it happened, where that is not now. */
  occurredAt?: string
}

/** The draft as a store takes it. */
export function newEvent(deps: Deps, draft: Draft): NewEvent {
  const { type, content, parts, agentId, role = defaultRole(type), occurredAt } = draft
  return {
    id: deps.newId(),
    type,
    role,
    content,
    ...(parts !== undefined && { parts: encodeJson(parts, 'parts', LIMITS.parts) }),
    ...(agentId !== undefined && { agentId }),
    ...(occurredAt !== undefined && { occurredAt }),
  }
}

/** Equal for events of equal content, whatever ids they were given. */
export function fingerprint(events: readonly NewEvent[]): string {
  const content = events.map((e) => [e.type, e.role, e.content, e.parts, e.agentId, e.occurredAt])
  return digest(content)
}

function digest(value: readonly unknown[]): string {
  return nodeCrypto().hash('sha256', JSON.stringify(value), 'base64url')
}

/** After it what is worth remembering may be gathered. */
export function isMilestone({ type }: { type: string }): boolean {
  return type === 'validation_gate'
}

/** What an earlier call with the key wrote in the session, nothing if there was none. It writes nothing itself. */
export async function writtenWith(
  deps: Deps,
  sessionId: string,
  { command, idempotencyKey: key }: { command: readonly unknown[]; idempotencyKey: string },
): Promise<readonly SessionEvent[]> {
  const { events } = await deps.store.decide({
    ...keyOf(deps, sessionId),
    at: now(deps),
    idempotency: { key, fingerprint: digest(command) },
    decide: (view) => ({ events: [], view }),
  })
  return events.map((event) => sessionEvent(sessionId, event))
}

/** A decision and how it is to be made. */
export interface DecideOptions {
  /** The call and all it was given; the same key with other input is refused. */
  readonly command?: readonly unknown[]
  readonly idempotencyKey?: string | undefined
  /** Decide about a session that has ended or expired too. Otherwise that throws `SessionEndedError`. */
  readonly evenEnded?: boolean
  /** The decision may make the next commit of the conversation, and is told the last one. */
  readonly chained?: boolean
  /** See {@link DecideRequest.reads}. */
  readonly reads?: DecideRequest['reads']
  /** Adds to the views what the store does not keep of them. */
  readonly complete?: (view: SessionView) => SessionView
}

/** What a decision came to. */
export interface Decided {
  /** The views after it. */
  readonly view: SessionView
  /** What it wrote; nothing if there was nothing to do. */
  readonly events: readonly SessionEvent[]
  /** The key was known: nothing was written now. */
  readonly replayed: boolean
}

/**
 * Writes what depends on the state: `decide` sees the views as they are, and refuses by throwing or gives the events;
 * the store keeps them together with the views they lead to.
 */
export async function decideOn(
  deps: Deps,
  sessionId: string,
  decide: (view: SessionView, at: string, last?: CommitLink) => readonly Draft[],
  { command = [], idempotencyKey: key, evenEnded = false, chained = false, reads, complete }: DecideOptions = {},
): Promise<Decided> {
  const at = now(deps)
  let before: SessionView | undefined
  let after: SessionView | undefined
  const { events, replayed } = await deps.store.decide({
    ...keyOf(deps, sessionId),
    at,
    chained,
    ...(reads !== undefined && { reads }),
    ...(key !== undefined && { idempotency: { key, fingerprint: digest(command) } }),
    decide(stored, last): Decision {
      const view = complete === undefined ? stored : complete(stored)
      if (!evenEnded) checkLive(view.record, at)
      const drafts = decide(view, at, last).map((draft) => newEvent(deps, draft))
      const made = drafts.map((event, i) =>
        sessionEvent(sessionId, { ...event, sequence: view.record.head + i + 1, createdAt: at }),
      )
      before = view
      after = made.reduce(evolve, view)
      const edges = made.flatMap((event, i) => edgesOf(event).map((edge) => ({ ...edge, event: i })))
      return { events: drafts, view: storedView(deps, after), edges }
    },
  })
  const written = events.map((event) => sessionEvent(sessionId, event))
  deps.background.wrote(sessionId, after?.record.endedAt !== undefined || events.some(isMilestone))
  const end = written.at(-1)
  // the first result again: the views as that call left them, not as they are by now
  if (replayed && end !== undefined) after = await viewAt(deps, sessionId, end.sequence)
  const view = after as SessionView
  // appends may have come in between the look and the write
  const head = end?.sequence ?? view.record.head
  const shift = view.envelopeAt === before?.envelopeAt ? 0 : head - view.record.head
  const placed = { ...view, envelopeAt: view.envelopeAt + shift, record: { ...view.record, head } }
  return { view: placed, events: written, replayed }
}
