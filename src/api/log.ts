import type { EventType, Role } from '../domain/event.ts'
import type { Json, JsonObject } from '../domain/json.ts'
import type { HandoffContext, WellKnownKeys } from '../domain/scratchpad.ts'
import type { Usage } from '../domain/usage.ts'

/** An event to append. */
export interface EventInput {
  type: Extract<EventType, string>
  /** @default by type: user, assistant, tool, or system */
  role?: Role
  /** May be empty only for a tool call, a tool result, or a custom event with parts. */
  content?: string
  parts?: Json
  /** The speaker; free text. */
  agentId?: string
  /** When it happened (ISO 8601); stored verbatim. */
  occurredAt?: string
  /**
   * Tokens and cost of the model call, for a `model_message` or a `tool_call`. Stored as `parts.usage`. With the
   * `prices` given to `open()`, a missing `costUsd` is added.
   */
  usage?: Usage
}

/** Options of an append. */
export interface AppendOptions {
  /** Repeats with the same key and events write once and return the first result. Valid within the session. */
  idempotencyKey?: string
  /** Throws `SEQUENCE_CONFLICT` unless the last event has this sequence. */
  expectedSequence?: number
}

/** Options of a write. */
export interface WriteOptions {
  /**
   * Repeats with the same key and input write once and return the first result. Valid within the session; for memories,
   * within one user's memories.
   */
  idempotencyKey?: string
}

/** Filters of `messages`. */
export interface MessagesQuery {
  /**
   * Only what this agent should see: user messages, its own messages, calls and results, and whatever names no agent.
   */
  agent?: string
  /**
   * Only the last messages, 1 to 500; a few more where a result needs its call, and fewer if they are larger than a
   * window.
   */
  limit?: number
}

/** Where a rewind goes, and why. */
export interface RewindInput {
  /** Sequence of the event after which the session continues; it may be on an abandoned branch. */
  to: number
  reason?: string
}

/** Filters of `branches`. */
export interface BranchesQuery {
  /** Only branches whose last event has a smaller sequence: the `to` of the last branch of the page before. */
  before?: number
  /** 1 to 500. @default 100 */
  limit?: number
}

/** Events that a rewind took off the current line. `at(to)` and `fork({ at: to })` reach them. */
export interface Branch {
  /** Sequence of the event after which it left the current line. */
  from: number
  /** Sequence of its last event. */
  to: number
  /** When it was left. */
  at: string
  /** Why it was left. */
  reason?: string
}

/** A patch of the scratchpad: values to set, and `null` for keys to remove. */
export type StatePatch = { readonly [Key in keyof WellKnownKeys]?: WellKnownKeys[Key] | null } & JsonObject

/** Options of `setActiveAgent`. */
export interface SwitchOptions extends WriteOptions {
  /** With a reason the switch is recorded as a transition. */
  reason?: string
  /** Switches only if this agent is still the active one. */
  from?: string
}

/** The next agent and the reason. */
export interface TransitionInput {
  to: string
  reason: string
}

/** The next agent, the reason, and what that agent needs to know. */
export interface HandoffInput extends TransitionInput {
  /** `from_chatmode` defaults to the session's own, the lists to empty ones; other keys are stored as given. */
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

/** Filters and order of a page of events. */
export interface EventsQuery {
  /** Only events after this sequence. */
  after?: number
  /** Only events before this sequence. */
  before?: number
  /** 1 to 500. A page with large events holds fewer; an empty page is the end. @default 100 */
  limit?: number
  types?: readonly EventType[]
  /** @default 'asc' */
  order?: 'asc' | 'desc'
}

/** Size of a window, which is also limited to 16 MiB characters. */
export interface RecentOptions {
  /** @default 30 */
  maxTurns?: number
  /** Token budget, counted by the tokenizer given to `open()`. Without it nothing is counted. */
  maxTokens?: number
}

/** Start and end of a `tail`. */
export interface TailOptions {
  /** Last sequence already seen. @default 0: from the beginning */
  after?: number
  /** Ends the stream. */
  signal?: AbortSignal
}
