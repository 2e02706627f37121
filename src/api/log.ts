import type { EventType, Role } from '../domain/event.ts'
import type { Json, JsonObject } from '../domain/json.ts'
import type { HandoffContext, WellKnownKeys } from '../domain/scratchpad.ts'

/** A fact to append. */
export interface EventInput {
  type: Extract<EventType, string>
  /** @default by type: user, assistant, tool, or system */
  role?: Role
  /** May be empty or absent only beside a tool call, a tool result, or the parts of a custom event. */
  content?: string
  parts?: Json
  /** Who speaks; free text. */
  agentId?: string
  /** When it happened, ISO 8601; kept as written. */
  occurredAt?: string
}

/** Conditions of an append. */
export interface AppendOptions {
  /** The same key with the same events writes once, and gives the first result each time. Valid within the session. */
  idempotencyKey?: string
  /** Write only if the last event has this sequence; otherwise throw `SEQUENCE_CONFLICT`. */
  expectedSequence?: number
}

/** Conditions of a write. */
export interface WriteOptions {
  /**
   * The same key with the same input writes once, and gives the first result each time. Valid within the session or, on memories, for the
   * memories of one user.
   */
  idempotencyKey?: string
}

/** Which messages to read. */
export interface MessagesQuery {
  /**
   * Only what this agent should see: what users said, what it said and did itself with the results it got, and what
   * belongs to no agent.
   */
  agent?: string
  /** Only the last so many, 1 to 500, or a few more: results are never without the call they answer. */
  limit?: number
}

/** A patch of the scratchpad: what to set, and `null` for what to remove. */
export type StatePatch = { readonly [Key in keyof WellKnownKeys]?: WellKnownKeys[Key] | null } & JsonObject

/** Conditions of a switch. */
export interface SwitchOptions extends WriteOptions {
  /** With a reason the switch is a transition, and listed as one. */
  reason?: string
  /** Switch only if this agent is still the active one. */
  from?: string
}

/** To whom, and why. */
export interface TransitionInput {
  to: string
  reason: string
}

/** To whom, why, and what the next agent has to know. */
export interface HandoffInput extends TransitionInput {
  /** `from_chatmode` is the session's own if absent, the lists are empty; other keys are kept as given. */
  context?: HandoffContext & JsonObject
}

/** A change of the active agent, with its reason. */
export interface AgentTransition<Agent extends string = string> {
  from: Agent
  to: Agent
  reason: string
  /** When it was written. */
  timestamp: string
  /** Sequence of its event. */
  sequence: number
}

/** Which page of a log to read. */
export interface EventsQuery {
  /** Only events behind this sequence. */
  after?: number
  /** Only events before this sequence. */
  before?: number
  /** 1 to 500. @default 100 */
  limit?: number
  types?: readonly EventType[]
  /** @default 'asc' */
  order?: 'asc' | 'desc'
}

/** How large a window may be. */
export interface RecentOptions {
  /** @default 30 */
  maxTurns?: number
  /** Budget by the tokenizer given to `open()`. Without it nothing is counted. */
  maxTokens?: number
}

/** Where to begin following, and when to stop. */
export interface TailOptions {
  /** Last sequence already seen. @default 0: from the beginning */
  after?: number
  /** Ends the stream. */
  signal?: AbortSignal
}
