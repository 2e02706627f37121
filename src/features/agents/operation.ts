import type { AgentTransition, HandoffInput, SwitchOptions, TransitionInput, WriteOptions } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { SwitchedParts } from '../../domain/fold.ts'
import { isObject, type JsonObject, parseJsonInput } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { type HandoffContext, isChangeNeeded, SCRATCHPAD_DEPTH } from '../../domain/scratchpad.ts'
import { type Decided, type Draft, decideOn } from '../kernel/decide.ts'
import type { Deps } from '../kernel/deps.ts'
import { walkLog } from '../kernel/history.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { handoffInput, switchInput, transitionInput } from './schema.ts'

/** Makes an agent active, unless it is already. */
export async function setActiveAgent(
  deps: Deps,
  id: string,
  input: { agent: string } & SwitchOptions,
): Promise<SessionRecord> {
  const { agent: to, reason, from: expected, idempotencyKey } = parse(switchInput, input)
  requireAgent(deps, to, 'agent')
  const { view } = await decideOn(
    deps,
    id,
    ({ record: { activeAgent: from } }) => {
      if (from === to || (expected !== undefined && from !== expected)) return []
      if (reason !== undefined) return [switchDraft(from, to, reason)]
      return [{ type: 'agent_changed', content: `${to} replaces ${from}`, parts: { from, to } }]
    },
    { command: ['setActiveAgent', to, reason, expected], idempotencyKey },
  )
  return view.record
}

/** Makes an agent active and records why, as one event. */
export async function recordTransition(
  deps: Deps,
  id: string,
  input: TransitionInput,
  options: WriteOptions = {},
): Promise<AgentTransition> {
  const { to, reason } = parse(transitionInput, input)
  const { idempotencyKey } = parse(writeOptions, options)
  requireAgent(deps, to, 'to')
  const decided = await decideOn(deps, id, ({ record }) => [switchDraft(record.activeAgent, to, reason)], {
    command: ['recordTransition', to, reason],
    idempotencyKey,
  })
  return onlyTransition(decided)
}

/** Hands the session over: the switch, its reason and the context for the next agent, as one event. */
export async function handOff(
  deps: Deps,
  id: string,
  input: HandoffInput,
  options: WriteOptions = {},
): Promise<AgentTransition> {
  const { to, reason, context: given = {} } = parse(handoffInput, input)
  const { idempotencyKey } = parse(writeOptions, options)
  requireAgent(deps, to, 'to')
  // in the scratchpad it is nested one level deeper
  const context = parseJsonInput(given, 'context', LIMITS.scratchpad, SCRATCHPAD_DEPTH + 1)
  if (!isObject(context)) throw new ValidationError('context', 'must be a JSON object')
  const decided = await decideOn(
    deps,
    id,
    ({ record, state }) => {
      const whole = { from_chatmode: record.chatmode, artifacts_created: [], key_decisions: [], ...context }
      const after = { ...state.scratchpad, handoff_context: whole }
      isChangeNeeded(state.scratchpad, { op: 'replace', value: after }, () => 'context')
      return [switchDraft(record.activeAgent, to, reason, whole)]
    },
    { command: ['handoff', to, reason, context], idempotencyKey },
  )
  return onlyTransition(decided)
}

/** Takes the pending handoff. Of any number of takers exactly one gets it. */
export async function takeHandoff(
  deps: Deps,
  id: string,
  options: WriteOptions = {},
): Promise<(HandoffContext & JsonObject) | undefined> {
  const { idempotencyKey } = parse(writeOptions, options)
  const { events } = await decideOn(
    deps,
    id,
    ({ record, state }) => {
      const { handoff_context: context } = state.scratchpad
      if (context === undefined) return []
      const taken = { type: 'handoff_taken', content: 'Handoff taken', parts: { context } } as const
      return [{ ...taken, agentId: record.activeAgent }]
    },
    { command: ['takeHandoff'], idempotencyKey },
  )
  return (events[0]?.parts as { context: HandoffContext & JsonObject } | undefined)?.context
}

/** Every transition on the current line, oldest first. */
export async function transitionsOf(deps: Deps, id: string): Promise<AgentTransition[]> {
  const transitions: AgentTransition[] = []
  for await (const some of streamTransitions(deps, id)) transitions.push(...some)
  return transitions
}

/** Every transition on the current line, oldest first, page by page. */
export async function* streamTransitions(deps: Deps, id: string): AsyncGenerator<AgentTransition[]> {
  for await (const page of walkLog(deps, id, { types: ['agent_transition'], line: true })) {
    yield page.map(transitionOf)
  }
}

function requireAgent({ agents }: Deps, agent: string, field: string): void {
  if (agents.length === 0 || agents.includes(agent)) return
  throw new ValidationError(field, `'${agent.slice(0, 64)}' is not registered: use ${agents.join(', ').slice(0, 256)}`)
}

function switchDraft(from: string, to: string, reason: string, context?: HandoffContext & JsonObject): Draft {
  const parts: SwitchedParts = defined({ from, to, context })
  return { type: 'agent_transition', content: reason, parts: parts as unknown as JsonObject, agentId: from }
}

function onlyTransition({ events }: Decided): AgentTransition {
  return transitionOf(events[0] as SessionEvent)
}

function transitionOf({ parts, content: reason, createdAt: timestamp, sequence }: SessionEvent): AgentTransition {
  const { from, to } = parts as unknown as SwitchedParts
  return { from, to, reason, timestamp, sequence }
}
