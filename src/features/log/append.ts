import type { AppendOptions, EventInput } from '../../api.ts'
import { TooLargeError, ValidationError } from '../../domain/errors.ts'
import { checkCallCount, defaultRole, type SessionEvent, toolCallsOf } from '../../domain/event.ts'
import { encodeJson, type Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { incrementOf } from '../../domain/usage.ts'
import type { AppendRequest, NewEvent } from '../../ports/session-store.ts'
import { fingerprint, isMilestone } from '../kernel/decide.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { checksumOf } from '../kernel/event-checksum.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { appendOptions, eventInput } from './schema.ts'
import { type WithUsage, withUsage } from './usage.ts'

/** The events of an append that carry usage. */
type Carriers = Map<NewEvent, WithUsage>

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Appends facts to the log, without a read before the write. `list` is the caller's name for them in error messages.
 */
export async function appendEvents(
  deps: Deps,
  sessionId: string,
  input: EventInput | readonly EventInput[],
  options?: AppendOptions,
  list = 'events',
): Promise<SessionEvent[]> {
  const { idempotencyKey: key, expectedSequence } = options === undefined ? {} : parse(appendOptions, options)
  const carriers: Carriers = new Map()
  const events = newEvents(deps, input, list, carriers)
  const request: Mutable<AppendRequest> = { ...keyOf(deps, sessionId), events, at: now(deps) }
  if (key !== undefined) request.idempotency = { key, fingerprint: fingerprint(asGiven(events, carriers)) }
  if (carriers.size > 0) {
    request.usage = incrementOf(events.map((event) => ({ type: event.type, usage: carriers.get(event)?.usage })))
  }
  if (expectedSequence !== undefined) request.expectedSequence = expectedSequence
  const written = await deps.store.append(request)
  deps.background.wrote(sessionId, events.some(isMilestone))
  return written.events.map((event) => sessionEvent(sessionId, event))
}

/** The events without costs that were added to them: a repeat under other prices has the same content. */
function asGiven(events: readonly NewEvent[], carriers: Carriers): readonly NewEvent[] {
  if (carriers.size === 0) return events
  return events.map((event) => {
    const given = carriers.get(event)?.unpriced
    return given === undefined ? event : { ...event, parts: encodeJson(given, 'parts', LIMITS.parts) }
  })
}

/** An event as decisions write it, checked like one of an append. */
export function checkedAppend(deps: Deps, input: EventInput, at: string): NewEvent {
  return checkedEvent(deps, input, at, new Map())
}

function newEvents(deps: Deps, input: unknown, list: string, carriers: Carriers): NewEvent[] {
  if (!Array.isArray(input)) return [checkedEvent(deps, input, '', carriers)]
  if (input.length === 0) throw new ValidationError(list, 'must not be empty')
  if (input.length > LIMITS.events) {
    throw new TooLargeError({ field: list, limit: LIMITS.events, actual: input.length })
  }
  const events = Array.from(input, (event, i) => checkedEvent(deps, event, `${list}[${i}]`, carriers))
  const size = events.reduce((sum, { content, parts = '' }) => sum + content.length + parts.length, 0)
  if (size > LIMITS.append) throw new TooLargeError({ field: list, limit: LIMITS.append, actual: size })
  return events
}

/** `at` is the path of the event in the input, for error messages. */
function checkedEvent(deps: Deps, input: unknown, at: string, carriers: Carriers): NewEvent {
  const field = (name: string) => (at === '' ? name : `${at}.${name}`)
  const given = parse(eventInput, input, at)
  const { type, content = '', agentId, occurredAt } = given
  const role = given.role ?? defaultRole(type)
  const carrier = withUsage(given, deps.prices, field)
  const parts = carrier === undefined ? given.parts : carrier.parts
  const encoded = parts === undefined ? undefined : encodeJson(parts, field('parts'), LIMITS.parts)
  checkCalls(type, parts, field('parts'))
  if (content === '' && !mayBeEmpty(type, parts)) throw new ValidationError(field('content'), 'must not be empty')
  const checksum = checksumOf({ type, role, content, parts: encoded, agentId, occurredAt })
  // assigned one by one: spreads took as long as all checks
  const event: Mutable<NewEvent> = { id: deps.newId(), type, role, content, checksum }
  if (encoded !== undefined) event.parts = encoded
  if (agentId !== undefined) event.agentId = agentId
  if (occurredAt !== undefined) event.occurredAt = occurredAt
  if (carrier !== undefined) carriers.set(event, carrier)
  return event
}

/** Whether an event may have empty content: a tool call, an empty tool result, or a custom event with parts. */
function mayBeEmpty(type: string, parts: Json | undefined): boolean {
  if (parts === undefined) return false
  return type === 'tool_result' || type.startsWith('x.') || toolCallsOf({ type, parts }).length > 0
}

/** Ids pair calls with results, so an id that is given must be usable. */
function checkCalls(type: string, parts: Json | undefined, field: string): void {
  if (parts === null || typeof parts !== 'object' || Array.isArray(parts)) return
  const { id, toolCallId, toolCalls } = parts as Record<string, Json | undefined>
  const check = (value: Json | undefined, name: string) => {
    if (typeof value !== 'string' || value === '') throw new ValidationError(name, 'must be the id of the tool call')
  }
  if (type === 'tool_call' && id !== undefined) check(id, `${field}.id`)
  if (type === 'tool_result' && toolCallId !== undefined) check(toolCallId, `${field}.toolCallId`)
  if (type !== 'model_message' || toolCalls === undefined) return
  if (!Array.isArray(toolCalls)) throw new ValidationError(`${field}.toolCalls`, 'must be a list of tool calls')
  checkCallCount({ type, parts }, field)
  toolCalls.forEach((call, i) => {
    check((call as { id?: Json } | null)?.id, `${field}.toolCalls[${i}].id`)
  })
}
