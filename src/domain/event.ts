import { ValidationError } from './errors.ts'
import { isObject, type Json } from './json.ts'
import { LIMITS } from './limits.ts'

/** Types that callers may append. */
export const APPENDABLE_TYPES = [
  'user_message',
  'model_message',
  'tool_call',
  'tool_result',
  'validation_gate',
  'memory_recall',
  'system_event',
] as const

/** Types that only the library writes, with the call that writes each. */
export const RECORDED_TYPES = {
  session_started: 'sessions.create()',
  session_forked: 'fork()',
  status_changed: 'ask(), answer() … end()',
  messages_cleared: 'clear()',
  state_changed: 'updateState()',
  agent_changed: 'setActiveAgent()',
  agent_transition: 'recordTransition()',
  handoff_taken: 'takeHandoff()',
  work_committed: 'flushStep()',
  session_compacted: 'compact()',
  context_summarized: 'reduce()',
  envelope_updated: 'updateEnvelope()',
  run_started: 'run()',
  run_finished: 'finish()',
  cancel_requested: 'cancel()',
  step_completed: 'step()',
  wake_scheduled: 'wakeAt()',
  wake_fired: 'wakeAt()',
  request_opened: 'request()',
  request_resolved: 'resolve()',
  rewound: 'rewind()',
} as const

/** Speakers of events. */
export const ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** One of {@link APPENDABLE_TYPES}. */
export type AppendableType = (typeof APPENDABLE_TYPES)[number]
/** One of the keys of {@link RECORDED_TYPES}. */
export type RecordedType = keyof typeof RECORDED_TYPES
/** A caller's own type: stored, paged and windowed like any other, never interpreted. */
export type CustomType = `x.${string}`
/** Every event type. */
export type EventType = AppendableType | RecordedType | CustomType
/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number]

/** One event of a session's log. Never changes once written. */
export interface SessionEvent {
  id: string
  sessionId: string
  /** Position in the log: 1, 2, 3 … without gaps. Events are ordered by it alone. */
  sequence: number
  type: EventType
  role: Role
  content: string
  parts?: Json
  agentId?: string
  /** When it happened according to the caller; stored verbatim. */
  occurredAt?: string
  /** When it was written. */
  createdAt: string
}

/** A tool call: the parts of a `tool_call`, or an item of `toolCalls` in a `model_message`. */
export interface ToolCallPart {
  id: string
  name: string
  arguments: Json
}

const CONVERSATION_TYPES: ReadonlySet<string> = new Set(APPENDABLE_TYPES)

/** Whether the type belongs to the conversation rather than to the session's bookkeeping. */
export function isConversationType(type: string): boolean {
  return CONVERSATION_TYPES.has(type) || type.startsWith('x.')
}

/** Returns the role of an event without one. */
export function defaultRole(type: string): Role {
  if (type === 'user_message') return 'user'
  if (type === 'model_message' || type === 'tool_call') return 'assistant'
  return type === 'tool_result' ? 'tool' : 'system'
}

/** Types that start a turn, for reading only those events. */
export const TURN_TYPES = ['user_message'] as const satisfies readonly AppendableType[]

/** Whether the event starts a turn: every user message does. */
export function startsTurn(event: { type: string }): boolean {
  return (TURN_TYPES as readonly string[]).includes(event.type)
}

/** Counts the turns that start in these events. */
export function countTurns(events: readonly { type: string }[]): number {
  let turns = 0
  for (const event of events) if (startsTurn(event)) turns++
  return turns
}

/** Returns the tool calls of an event. */
export function toolCallsOf(event: { type: string; parts?: Json }): ToolCallPart[] {
  const { parts } = event
  if (parts === null || typeof parts !== 'object' || Array.isArray(parts)) return []
  const { toolCalls } = parts as { toolCalls?: Json }
  if (event.type === 'tool_call') return isToolCall(parts) ? [parts] : []
  if (event.type === 'model_message' && Array.isArray(toolCalls)) return toolCalls.filter(isToolCall)
  return []
}

/** Refuses a message with more than {@link LIMITS.calls} tool calls; stored ones may have more. */
export function checkCallCount({ type, parts }: { type: string; parts?: Json | undefined }, field: string): void {
  const calls = type === 'model_message' && isObject(parts) ? parts['toolCalls'] : undefined
  if (Array.isArray(calls) && calls.length > LIMITS.calls) {
    throw new ValidationError(`${field}.toolCalls`, `must have at most ${LIMITS.calls} tool calls`)
  }
}

/** Returns the id of the tool call that the event answers. */
export function answeredCallId(event: { type: string; parts?: Json }): string | undefined {
  if (event.type !== 'tool_result' || event.parts === null || typeof event.parts !== 'object') return undefined
  const { toolCallId } = event.parts as { toolCallId?: Json }
  return typeof toolCallId === 'string' ? toolCallId : undefined
}

function isToolCall(value: unknown): value is ToolCallPart {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}
