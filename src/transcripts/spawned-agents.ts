import { isObject } from '../domain/json.ts'
import type { ParentLink } from '../domain/record.ts'
import type { Translation } from './format.ts'
import { hashPrompt } from './session-info.ts'
import type { PlacedEvent } from './transcript-log.ts'

/** The calls of a transcript that start sub-agents, and which sub-agent each started. */
export class SpawnedAgents {
  readonly #tools: ReadonlySet<string>
  readonly #calls = new Map<string, ParentLink>()
  readonly #callOf = new Map<string, string>()
  /** Calls whose sub-agent is known. */
  readonly #known = new Set<string>()
  /** `undefined` for a prompt of several calls. */
  readonly #callWith = new Map<string, string | undefined>()

  /** @param tools names of the tools that start sub-agents */
  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools
  }

  /** Adds an event, if it is such a call. */
  addEvent({ sessionId, event: { type, sequence, parts } }: PlacedEvent): void {
    if (type !== 'tool_call' || !isObject(parts)) return
    const { id, name, arguments: given } = parts
    if (typeof id !== 'string' || typeof name !== 'string' || !this.#tools.has(name)) return
    this.#calls.set(id, { sessionId, sequence })
    const { prompt, message } = isObject(given) ? given : {}
    const text = prompt ?? message
    if (typeof text !== 'string') return
    const key = hashPrompt(text)
    this.#callWith.set(key, this.#callWith.has(key) ? undefined : id)
  }

  /** Adds what a line says about the start of a sub-agent. */
  addStarted({ callId, agentId }: NonNullable<Translation['started']>): void {
    if (this.#callOf.has(agentId)) return
    this.#callOf.set(agentId, callId)
    this.#known.add(callId)
  }

  /** The event that started a sub-agent: the call named by the transcript, else the only one with its prompt. */
  find({ agentId, callId, promptHash = '' }: SoughtAgent): ParentLink | undefined {
    const named = callId ?? this.#callOf.get(agentId)
    if (named !== undefined) return this.#calls.get(named)
    const alike = this.#callWith.get(promptHash)
    return alike === undefined || this.#known.has(alike) ? undefined : this.#calls.get(alike)
  }
}

export interface SoughtAgent {
  readonly agentId: string
  readonly callId: string | undefined
  readonly promptHash: string | undefined
}
