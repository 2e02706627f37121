import { hash } from 'node:crypto'
import { defaultRole, type EventType, type Role, type SessionEvent } from '../domain/event.ts'
import { evolve, type SessionView } from '../domain/fold.ts'
import { encodeJson, type Json, type JsonObject } from '../domain/json.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Decision, NewEvent, StoredEvent } from '../ports/session-store.ts'
import { type Deps, keyOf, now } from './deps.ts'

/** An event that one of our own calls writes. */
export interface Draft {
  type: EventType
  content: string
  parts?: Json | JsonObject
}

/** The event as callers see it. */
export function sessionEvent(sessionId: string, stored: StoredEvent): SessionEvent {
  const event: SessionEvent = {
    id: stored.id,
    sessionId,
    sequence: stored.sequence,
    type: stored.type as EventType,
    role: stored.role as Role,
    content: stored.content,
    createdAt: stored.createdAt,
  }
  if (stored.parts !== undefined) event.parts = JSON.parse(stored.parts) as Json
  if (stored.agentId !== undefined) event.agentId = stored.agentId
  if (stored.occurredAt !== undefined) event.occurredAt = stored.occurredAt
  return event
}

/** The draft as a store takes it. */
export function newEvent(deps: Deps, { type, content, parts }: Draft): NewEvent {
  const body = parts === undefined ? {} : { parts: encodeJson(parts, 'parts', LIMITS.parts) }
  return { id: deps.newId(), type, role: defaultRole(type), content, ...body }
}

/** Equal for events of equal content, whatever ids they were given. */
export function fingerprint(events: readonly NewEvent[]): string {
  const content = events.map((e) => [e.type, e.role, e.content, e.parts, e.agentId, e.occurredAt])
  return hash('sha256', JSON.stringify(content), 'base64url')
}

/**
 * Writes what depends on the state: `decide` sees the views as they are, and refuses by throwing or gives the events;
 * the store keeps them together with the views they lead to.
 */
export async function decideOn(
  deps: Deps,
  sessionId: string,
  decide: (view: SessionView, at: string) => readonly Draft[],
): Promise<SessionView> {
  const at = now(deps)
  let after: SessionView | undefined
  await deps.store.decide({
    ...keyOf(deps, sessionId),
    at,
    decide(view): Decision {
      const events = decide(view, at).map((draft) => newEvent(deps, draft))
      after = events.reduce((folded, event, i) => {
        const stored = { ...event, sequence: view.record.head + i + 1, createdAt: at }
        return evolve(folded, sessionEvent(sessionId, stored))
      }, view)
      return { events, view: after }
    },
  })
  return after as SessionView
}
