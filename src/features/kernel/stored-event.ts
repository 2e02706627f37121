import type { EventType, Role, SessionEvent } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import type { StoredEvent } from '../../ports/session-store.ts'

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
