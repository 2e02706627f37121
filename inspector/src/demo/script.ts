import type { Json, JsonObject } from '../api/types.ts'

/** Sessions of the demo. */
export type SessionName = 'finished' | 'live' | 'aborted' | 'running'

/** Who plays. Agents are those that the server knows: with few of them one plays several parts. */
export interface Cast {
  readonly userId: string
  readonly conversationId: string
  readonly lead: string
  readonly planner: string
  readonly analyst: string
}

/** What earlier steps were answered. */
export interface Told {
  /** Id of a session, once it was created, or of a memory by the name of its step. */
  id(name: string): string
  /** Sequence of the first event that a step wrote. */
  sequence(step: string): number
}

/** One call of the demo. */
export interface Step {
  /** Name by which later steps refer to it. */
  readonly as?: string
  readonly method?: 'POST' | 'PATCH'
  readonly path: (told: Told) => string
  readonly body: (told: Told) => Json
}

/** What a caller appends. */
export type DemoEvent = {
  type: string
  content: string
  parts?: JsonObject
  agentId?: string
}

/** A tool call, as a message announces it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** Begins a session. */
export function create(session: SessionName, { userId, conversationId }: Cast, values: JsonObject): Step {
  return { as: session, path: () => '/sessions', body: () => ({ userId, conversationId, ...values }) }
}

/** One call below `/sessions/{id}`. */
export function on(session: SessionName, rest: string, body: JsonObject | ((told: Told) => JsonObject) = {}): Step {
  return {
    path: (told) => `/sessions/${told.id(session)}/${rest}`,
    body: typeof body === 'function' ? body : () => body,
  }
}

/** Merges into the scratchpad, or the envelope, of a session. */
export function patch(session: SessionName, what: 'state' | 'envelope', body: JsonObject): Step {
  return { ...on(session, what, body), method: 'PATCH' }
}

/** Appends events to a session; the first has the sequence that `as` stands for. */
export function append(session: SessionName, events: readonly DemoEvent[], as?: string): Step {
  return {
    ...(as !== undefined && { as }),
    path: (told) => `/sessions/${told.id(session)}/events`,
    body: () => [...events],
  }
}

/** Hands the session over and takes it; nothing where one agent plays both. */
export function handOver(session: SessionName, from: string, to: string, reason: string, context: JsonObject): Step[] {
  if (from === to) return []
  return [on(session, 'handoff', { to, reason, context }), on(session, 'handoff/take')]
}

/** Keeps a memory of the user. */
export function remember({ userId, conversationId }: Cast, as: string, body: (told: Told) => JsonObject): Step {
  // a scope of its own: a second demo is no evidence for the first
  return { as, path: () => '/memories', body: (told) => ({ userId, scope: conversationId, ...body(told) }) }
}

/** Events of a step, counted from 0, as the source of a memory. */
export function eventsOf(told: Told, session: SessionName, step: string, first: number, last = first): JsonObject {
  const start = told.sequence(step)
  return { sessionId: told.id(session), from: start + first, to: start + last }
}

export const user = (content: string): DemoEvent => ({ type: 'user_message', content })

export function says(agentId: string, content: string, toolCalls?: readonly Call[]): DemoEvent {
  const parts = toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call })) }
  return { type: 'model_message', agentId, content, ...(parts && { parts }) }
}

export const call = (id: string, name: string, given: JsonObject): Call => ({
  id,
  name,
  arguments: JSON.stringify(given),
})

/** A call that stands by itself. */
export function calls(agentId: string, { id, name, arguments: given }: Call): DemoEvent {
  return { type: 'tool_call', agentId, content: name, parts: { id, name, arguments: JSON.parse(given) as JsonObject } }
}

export function result(toolCallId: string, content: string, isError = false): DemoEvent {
  return { type: 'tool_result', content, parts: { toolCallId, ...(isError && { isError }) } }
}
