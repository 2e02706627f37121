import { answeredCallId, defaultRole, type EventType, type Role, type SessionEvent, toolCallsOf } from './event.ts'
import { isObject, type JsonObject } from './json.ts'

/** A tool call that a message makes. */
export interface ToolCall {
  id: string
  name: string
  /** JSON text as the model wrote it; kept as given, also where it is no JSON. */
  arguments: string
}

/** One message of a conversation. */
export interface Message {
  role: Role
  /** May be empty only beside tool calls, or in the result of one. */
  content: string
  /** Which call this is the result of; for role `tool`. */
  toolCallId?: string
  /** Calls that the assistant makes. */
  toolCalls?: ToolCall[]
  /** When it was said, ISO 8601, by the caller's account; kept as given. */
  timestamp?: string
  /** Who speaks; free text. */
  agentId?: string
  /** Whatever else belongs to the message, such as images or what one provider alone knows; kept as given. */
  parts?: JsonObject
}

/** Types of the events that messages are made of. */
export const MESSAGE_TYPES = ['user_message', 'model_message', 'tool_call', 'tool_result', 'system_event'] as const

const TYPE_OF = {
  user: 'user_message',
  assistant: 'model_message',
  tool: 'tool_result',
  system: 'system_event',
} as const satisfies Record<Role, EventType>

/** The event that keeps a message. */
export function toMessageEvent({
  role,
  content,
  toolCallId,
  toolCalls,
  timestamp,
  agentId,
  parts,
}: Message): MessageEvent {
  const all = {
    ...(toolCallId !== undefined && { toolCallId }),
    ...(toolCalls !== undefined && role === 'assistant' && { toolCalls: toolCalls.map((call) => ({ ...call })) }),
    ...parts,
  }
  return {
    type: TYPE_OF[role],
    content,
    ...(Object.keys(all).length > 0 && { parts: all }),
    ...(agentId !== undefined && { agentId }),
    ...(timestamp !== undefined && { occurredAt: timestamp }),
  }
}

type MessageEvent = Pick<SessionEvent, 'type' | 'content' | 'parts' | 'agentId' | 'occurredAt'>

/**
 * The messages that these events make, in their order. A `tool_call` joins the assistant's message right before it, so
 * that calls made side by side are one message, as models want it.
 */
export function toMessages(events: Iterable<MessageEvent>): Message[] {
  const messages: Message[] = []
  for (const event of events) {
    const last = messages.at(-1)
    if (event.type === 'tool_call' && last?.role === 'assistant' && last.agentId === event.agentId)
      joinCall(last, event)
    else if (isMessageType(event.type)) messages.push(toMessage(event))
  }
  return messages
}

/**
 * What one agent should see: what users said, what it said and did itself, and what belongs to no agent. A result
 * belongs to whoever made the call, if it does not say otherwise.
 */
export function visibleTo<Event extends MessageEvent>(agent: string, events: readonly Event[]): Event[] {
  const hiddenCalls = new Set<string>()
  return events.filter((event) => {
    const { type, agentId } = event
    const answered = answeredCallId(event)
    const seen =
      type === 'user_message' || (agentId === undefined ? !hiddenCalls.has(answered ?? '') : agentId === agent)
    for (const { id } of toolCallsOf(event)) seen ? hiddenCalls.delete(id) : hiddenCalls.add(id)
    return seen
  })
}

/** The messages without results whose call is not among them. */
export function dropOrphanResults(messages: readonly Message[]): Message[] {
  const calls = new Set<string>()
  return messages.filter(({ toolCallId, toolCalls = [] }) => {
    for (const { id } of toolCalls) calls.add(id)
    return toolCallId === undefined || calls.has(toolCallId)
  })
}

/** The last `limit` messages, or more: it begins early enough that every result has its call. */
export function takeLastMessages(messages: readonly Message[], limit: number): Message[] {
  const callAt = new Map<string, number>()
  const needs = messages.map(({ toolCallId, toolCalls = [] }, place) => {
    for (const { id } of toolCalls) callAt.set(id, place)
    return toolCallId === undefined ? place : (callAt.get(toolCallId) ?? place)
  })
  let first = Math.max(0, messages.length - limit)
  for (let place = messages.length - 1; place >= first; place--) first = Math.min(first, needs[place] ?? place)
  return messages.slice(first)
}

/** Whether messages are made of events of this type. */
export const isMessageType = (type: string) => (MESSAGE_TYPES as readonly string[]).includes(type)

function joinCall(message: Message, event: MessageEvent): void {
  const { content, toolCalls = [] } = toMessage(event)
  message.toolCalls = [...(message.toolCalls ?? []), ...toolCalls]
  if (content !== '') message.content = message.content === '' ? content : `${message.content}\n${content}`
}

function toMessage({ type, content, parts, agentId, occurredAt }: MessageEvent): Message {
  const all = isObject(parts) ? parts : {}
  const { toolCallId: answered, ...results } = all
  const { toolCalls, ...answers } = all
  const toolCallId = type === 'tool_result' ? answered : undefined
  const ownParts = { tool_call: {}, tool_result: results, model_message: answers }[type as string] ?? all
  const calls = toolCallsOf({ type, ...(parts !== undefined && { parts }) }).map(({ id, name, arguments: given }) => ({
    id,
    name: name ?? '',
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
  }))
  return {
    role: defaultRole(type),
    content,
    ...(typeof toolCallId === 'string' && { toolCallId }),
    ...((type === 'tool_call' || (type === 'model_message' && Array.isArray(toolCalls))) && { toolCalls: calls }),
    ...(occurredAt !== undefined && { timestamp: occurredAt }),
    ...(agentId !== undefined && { agentId }),
    ...(Object.keys(ownParts).length > 0 && { parts: ownParts }),
  }
}
