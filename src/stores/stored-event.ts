import type { NewEvent, StoredEvent } from '../ports/session-store.ts'

/** The event as reads return it: at its place, without its checksum. */
export function storedEvent(event: NewEvent, sequence: number, createdAt: string): StoredEvent {
  const { id, type, role, content, parts, agentId, occurredAt } = event
  // assigned one by one: a spread took twice as long
  const stored: { -readonly [K in keyof StoredEvent]: StoredEvent[K] } = {
    id,
    sequence,
    type,
    role,
    content,
    createdAt,
  }
  if (parts !== undefined) stored.parts = parts
  if (agentId !== undefined) stored.agentId = agentId
  if (occurredAt !== undefined) stored.occurredAt = occurredAt
  return stored
}
