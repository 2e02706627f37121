import type { Json } from './json.ts'

/** Types that callers append. */
export const APPENDABLE_TYPES = [
  'user_message',
  'model_message',
  'tool_call',
  'tool_result',
  'validation_gate',
  'memory_recall',
  'system_event',
] as const

/** Types that only their own calls write, with the call that does. */
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
} as const

/** Who speaks in an event. */
export const ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** One of {@link APPENDABLE_TYPES}. */
export type AppendableType = (typeof APPENDABLE_TYPES)[number]
/** One of the keys of {@link RECORDED_TYPES}. */
export type RecordedType = keyof typeof RECORDED_TYPES
/** A type of the caller's own: kept, paged and windowed like any other, never interpreted. */
export type CustomType = `x.${string}`
/** Every type an event can have. */
export type EventType = AppendableType | RecordedType | CustomType
/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number]

/** One fact in a session's log. Never changed once written. */
export interface SessionEvent {
  id: string
  sessionId: string
  /** Place in the log: 1, 2, 3 … with no gap. The only order there is. */
  sequence: number
  type: EventType
  role: Role
  content: string
  parts?: Json
  agentId?: string
  /** When it happened, by the caller's account; kept verbatim. */
  occurredAt?: string
  /** When it was written. */
  createdAt: string
}

/** A tool call as events carry it: in the parts of a `tool_call`, or in `toolCalls` of a `model_message`. */
export interface ToolCallPart {
  id: string
  name: string
  arguments: Json
}

const CONVERSATION_TYPES: ReadonlySet<string> = new Set(APPENDABLE_TYPES)

/** Whether the event is part of what was said and done, rather than the session's own bookkeeping. */
export function isConversationType(type: string): boolean {
  return CONVERSATION_TYPES.has(type) || type.startsWith('x.')
}

/** Role an event has when the caller gives none. */
export function defaultRole(type: string): Role {
  if (type === 'user_message') return 'user'
  if (type === 'model_message' || type === 'tool_call') return 'assistant'
  return type === 'tool_result' ? 'tool' : 'system'
}

/** Types that begin a turn, for reading those events alone. */
export const TURN_TYPES = ['user_message'] as const satisfies readonly AppendableType[]

/** A turn begins at each user message. */
export function startsTurn(event: { type: string }): boolean {
  return (TURN_TYPES as readonly string[]).includes(event.type)
}

/** How many turns begin in these events. */
export function countTurns(events: readonly { type: string }[]): number {
  let turns = 0
  for (const event of events) if (startsTurn(event)) turns++
  return turns
}

/** Tool calls that the event makes. */
export function toolCallsOf(event: { type: string; parts?: Json }): ToolCallPart[] {
  const { parts } = event
  if (parts === null || typeof parts !== 'object' || Array.isArray(parts)) return []
  const { toolCalls } = parts as { toolCalls?: Json }
  if (event.type === 'tool_call') return isToolCall(parts) ? [parts] : []
  if (event.type === 'model_message' && Array.isArray(toolCalls)) return toolCalls.filter(isToolCall)
  return []
}

/** Id of the tool call that the event answers. */
export function answeredCallId(event: { type: string; parts?: Json }): string | undefined {
  if (event.type !== 'tool_result' || event.parts === null || typeof event.parts !== 'object') return undefined
  const { toolCallId } = event.parts as { toolCallId?: Json }
  return typeof toolCallId === 'string' ? toolCallId : undefined
}

function isToolCall(value: unknown): value is ToolCallPart {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}
