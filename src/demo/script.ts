import type { Json, JsonObject } from '../domain/json.ts'
import { defined } from '../domain/optional.ts'

/** Who takes part. A server with a fixed list of agents may have one agent play several parts. */
export interface Cast {
  readonly userId: string
  readonly conversationId: string
  readonly lead: string
  readonly planner: string
  readonly analyst: string
}

/** Sessions of the demo. */
export type SessionName = 'finished' | 'live' | 'aborted' | 'running'

/** What earlier steps returned. */
export interface Results {
  /** Id of a session or a memory, by the name of the step that created it. */
  id(step: string): string
  /** Sequence of the first event that a step wrote. */
  sequence(step: string): number
}

/** One call below `/v1`. */
export interface Step {
  /** Name by which later steps refer to its result. */
  readonly as?: string
  readonly method?: 'POST' | 'PATCH'
  readonly path: (results: Results) => string
  readonly body: (results: Results) => Json
}

/** An event that a caller appends. */
export type DemoEvent = { type: string; content: string; parts?: JsonObject; agentId?: string }

/** An observation of an agent's work. */
export type DemoObservation =
  | { kind: 'note' | 'plan'; text: string }
  | { kind: 'fileRead'; path: string }
  | { kind: 'fileWrite'; path: string; content: string }
  | { kind: 'command'; command: string; exitCode?: number; output?: string }
  | { kind: 'relations'; edges: DemoEdge[] }

type DemoEdge = { from: string; label: string; to: string; evidence?: JsonObject }

/** A tool call, as a message announces it. */
export type DemoCall = { id: string; name: string; arguments: JsonObject }

type Body = JsonObject | ((results: Results) => JsonObject)

/** Creates a session. */
export function create(session: SessionName, { userId, conversationId }: Cast, values: JsonObject): Step {
  return {
    as: session,
    path: () => '/sessions',
    body: () => ({ userId, conversationId, chatmode: CHATMODE, ...values }),
  }
}

/** All sessions of the demo share it, so that a message finds the live one. */
export const CHATMODE = 'engineering'

/** Calls `/sessions/{id}/{action}`. */
export function on(session: SessionName, action: string, body: Body = {}): Step {
  return {
    path: (results) => `/sessions/${results.id(session)}/${action}`,
    body: typeof body === 'function' ? body : () => body,
  }
}

/** Merges into the scratchpad or the envelope of a session. */
export function patch(session: SessionName, view: 'state' | 'envelope', body: JsonObject): Step {
  return { ...on(session, view, body), method: 'PATCH' }
}

/** Appends events. */
export function append(session: SessionName, events: readonly DemoEvent[]): Step {
  return { path: (results) => `/sessions/${results.id(session)}/events`, body: () => [...events] }
}

/** Appends events; `as` names the sequence of the first. */
export function appendAs(as: string, session: SessionName, events: readonly DemoEvent[]): Step {
  return { as, ...append(session, events) }
}

/** Commits work; observations may refer to earlier events. */
export function observe(
  session: SessionName,
  observations: readonly DemoObservation[] | ((results: Results) => readonly DemoObservation[]),
): Step {
  return on(session, 'steps', (results) => ({
    observations: [...(typeof observations === 'function' ? observations(results) : observations)],
  }))
}

/** Hands the session over and takes it; nothing where one agent plays both. */
export function handOver(session: SessionName, from: string, to: string, reason: string, context: JsonObject): Step[] {
  if (from === to) return []
  return [on(session, 'handoff', { to, reason, context }), on(session, 'handoff/take')]
}

/**
 * Stores a memory of the user. Each demo has a scope of its own, so that a second one does not corroborate the first.
 */
export function remember({ userId, conversationId }: Cast, as: string, body: (results: Results) => JsonObject): Step {
  return { as, path: () => '/memories', body: (results) => ({ userId, scope: conversationId, ...body(results) }) }
}

/** Events of a step, counted from 0, as the source of a memory. */
export function eventsOf(results: Results, session: SessionName, step: string, first: number, last = first) {
  const start = results.sequence(step)
  return { sessionId: results.id(session), from: start + first, to: start + last }
}

export const user = (content: string): DemoEvent => ({ type: 'user_message', content })

export function says(agentId: string, content: string, ...toolCalls: readonly DemoCall[]): DemoEvent {
  const calls = toolCalls.map((one) => ({ ...one, arguments: JSON.stringify(one.arguments) }))
  return { type: 'model_message', agentId, content, ...(calls.length > 0 && { parts: { toolCalls: calls } }) }
}

export const call = (id: string, name: string, args: JsonObject): DemoCall => ({ id, name, arguments: args })

/** Tool calls with their results, each an event of its own. */
export function runs(agentId: string, id: string, name: string, args: JsonObject, output: string): DemoEvent[] {
  return [calls(agentId, call(id, name, args)), result(id, output)]
}

/** A tool call in an event of its own. */
export function calls(agentId: string, toolCall: DemoCall): DemoEvent {
  return { type: 'tool_call', agentId, content: toolCall.name, parts: { ...toolCall } }
}

export function result(toolCallId: string, content: string, isError = false): DemoEvent {
  return { type: 'tool_result', content, parts: { toolCallId, ...(isError && { isError }) } }
}

export const read = (path: string): DemoObservation => ({ kind: 'fileRead', path })
export const wrote = (path: string, content: string): DemoObservation => ({ kind: 'fileWrite', path, content })
export const note = (text: string): DemoObservation => ({ kind: 'note', text })
export const plan = (text: string): DemoObservation => ({ kind: 'plan', text })

export function ran(command: string, exitCode?: number, output?: string): DemoObservation {
  return { kind: 'command', command, ...defined({ exitCode, output }) }
}

/** Relations as `[from, label, to]`, found by the compiler unless there is other evidence. */
export function relate(...edges: readonly [from: string, label: string, to: string, evidence?: JsonObject][]) {
  const relations: DemoObservation = {
    kind: 'relations',
    edges: edges.map(([from, label, to, evidence = { tool: 'tsc' }]) => ({ from, label, to, evidence })),
  }
  return relations
}
