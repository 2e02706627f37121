import { answeredCallId, defaultRole, type EventType, type Role, type SessionEvent, toolCallsOf } from './event.ts'
import { isObject, type JsonObject } from './json.ts'
import { joinUsage, type Usage, usageOf } from './usage.ts'

/** A tool call of a message. */
export interface ToolCall {
  id: string
  name: string
  /** JSON text as the model wrote it; stored verbatim, even if it is not JSON. */
  arguments: string
}

/** One message of a conversation. */
export interface Message {
  role: Role
  /** May be empty only with tool calls, or in a tool result. */
  content: string
  /** Id of the answered call; only for role `tool`. */
  toolCallId?: string
  /** Tool calls; only for role `assistant`. */
  toolCalls?: ToolCall[]
  /** When it was said (ISO 8601) according to the caller; stored verbatim. */
  timestamp?: string
  /** The speaker; free text. */
  agentId?: string
  /** Anything else, for example images or provider-specific fields; stored verbatim. */
  parts?: JsonObject
  /** Tokens and cost of the model call that wrote it; only for role `assistant`. No format sends it to a model. */
  usage?: Usage
}

/** Event types that become messages. */
export const MESSAGE_TYPES = ['user_message', 'model_message', 'tool_call', 'tool_result', 'system_event'] as const

const TYPE_OF = {
  user: 'user_message',
  assistant: 'model_message',
  tool: 'tool_result',
  system: 'system_event',
} as const satisfies Record<Role, EventType>

/** Converts a message to the event that stores it. */
export function toMessageEvent({
  role,
  content,
  toolCallId,
  toolCalls,
  timestamp,
  agentId,
  parts,
  usage,
}: Message): MessageEvent {
  const all = {
    ...(toolCallId !== undefined && { toolCallId }),
    ...(toolCalls !== undefined && role === 'assistant' && { toolCalls: toolCalls.map((call) => ({ ...call })) }),
    ...parts,
    ...(usage !== undefined && role === 'assistant' && { usage: { ...usage } }),
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

/** Converts events to messages, in order. */
export function toMessages(events: Iterable<MessageEvent>): Message[] {
  const messages: Message[] = []
  const builder = messageBuilder()
  for (const event of events) messages.push(...builder.add(event))
  return [...messages, ...builder.end()]
}

/**
 * Converts events to messages one by one. A `tool_call` joins the assistant's message right before it, so that parallel
 * calls are one message, as models expect. So a message is returned when the next one begins.
 */
export function messageBuilder() {
  let last: Message | undefined

  function end(): Message[] {
    const done = last === undefined ? [] : [last]
    last = undefined
    return done
  }

  return {
    /** Adds the next event and returns the message that is complete now, if any. */
    add(event: MessageEvent): Message[] {
      if (event.type === 'tool_call' && last?.role === 'assistant' && last.agentId === event.agentId) {
        joinCall(last, event)
        return []
      }
      if (!isMessageType(event.type)) return []
      const done = end()
      last = toMessage(event)
      return done
    },
    /** Returns the last message. */
    end,
  }
}

/**
 * Whether one agent should see the next event: user messages, its own events, and events without an agent. A result
 * without an agent belongs to the agent that made the call.
 */
export function visibility(agent: string): (event: MessageEvent) => boolean {
  const hiddenCalls = new Set<string>()
  return (event) => {
    const { type, agentId } = event
    const answered = answeredCallId(event)
    const seen =
      type === 'user_message' || (agentId === undefined ? !hiddenCalls.has(answered ?? '') : agentId === agent)
    for (const { id } of toolCallsOf(event)) seen ? hiddenCalls.delete(id) : hiddenCalls.add(id)
    return seen
  }
}

/** Removes results whose call is not among the messages. */
export function dropOrphanResults(messages: readonly Message[]): Message[] {
  return messages.filter(callChecker())
}

/** Whether the next message is no result, or one whose call came before it. */
export function callChecker(): (message: Message) => boolean {
  const calls = new Set<string>()
  return ({ toolCallId, toolCalls = [] }) => {
    for (const { id } of toolCalls) calls.add(id)
    return toolCallId === undefined || calls.has(toolCallId)
  }
}

/** Returns the last `limit` messages, or more so that every result has its call. */
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

/** The message as a model may get it: its usage is only for whoever pays. */
export function withoutUsage({ usage: _usage, ...message }: Message): Message {
  return message
}

/** Whether events of this type become messages. */
export const isMessageType = (type: string) => (MESSAGE_TYPES as readonly string[]).includes(type)

function joinCall(message: Message, event: MessageEvent): void {
  const { content, toolCalls = [], usage } = toMessage(event)
  if (usage !== undefined) message.usage = message.usage === undefined ? usage : joinUsage(message.usage, usage)
  message.toolCalls ??= []
  message.toolCalls.push(...toolCalls)
  if (content !== '') message.content = message.content === '' ? content : `${message.content}\n${content}`
}

function toMessage({ type, content, parts, agentId, occurredAt }: MessageEvent): Message {
  const all = isObject(parts) ? parts : {}
  const usage = usageOf({ type, ...(parts !== undefined && { parts }) })
  const toolCallId = type === 'tool_result' ? all['toolCallId'] : undefined
  const { toolCallId: _answered, ...results } = all
  const { toolCalls: _calls, ...answers } = all
  const { usage: _usage, ...plainAnswers } = answers
  const said = usage === undefined ? answers : plainAnswers
  const ownParts = { tool_call: {}, tool_result: results, model_message: said }[type as string] ?? all
  const calls = toolCallsOf({ type, ...(parts !== undefined && { parts }) }).map(({ id, name, arguments: given }) => ({
    id,
    name: name ?? '',
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
  }))
  const hasCalls = type === 'tool_call' || (type === 'model_message' && Array.isArray(all['toolCalls']))
  return {
    role: defaultRole(type),
    content,
    ...(typeof toolCallId === 'string' && { toolCallId }),
    ...(hasCalls && { toolCalls: calls }),
    ...(occurredAt !== undefined && { timestamp: occurredAt }),
    ...(agentId !== undefined && { agentId }),
    ...(Object.keys(ownParts).length > 0 && { parts: ownParts }),
    ...(usage !== undefined && { usage }),
  }
}
