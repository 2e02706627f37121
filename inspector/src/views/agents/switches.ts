import type { Json, SessionEvent } from '../../api/types.ts'
import { isObject } from '../../domain.ts'

/** Events that change the active agent or settle a handoff. */
export const SWITCH_TYPES: readonly string[] = ['session_started', 'agent_changed', 'agent_transition', 'handoff_taken']
/** Events that may remove a handoff from the scratchpad. */
export const REMOVAL_TYPES: readonly string[] = ['state_changed']

/** A change of the active agent. A handoff has a context; a plain switch has no reason. */
export interface Switch {
  readonly sequence: number
  readonly kind: 'handoff' | 'transition' | 'switch'
  readonly from: string
  readonly to: string
  readonly at: string
  readonly reason: string
  readonly context: Json | undefined
  /** Of a handoff: the event in which it was taken. */
  readonly takenBy: number | undefined
  /** Of a handoff that nobody took: the event that removed it from the scratchpad. */
  readonly removedBy: number | undefined
  /** Of a handoff that nobody took: the next handoff, which replaced it. */
  readonly replacedBy: number | undefined
}

/** The events between which an agent was active. */
export interface Span {
  readonly agent: string
  readonly from: number
  readonly to: number
}

/** When each agent was active, and the switches between them. */
export interface Switches {
  readonly switches: readonly Switch[]
  readonly spans: readonly Span[]
}

/** Reads {@link SWITCH_TYPES} and {@link REMOVAL_TYPES}, oldest first, up to `head`. Parts may have any shape. */
export function switchesOf(events: readonly SessionEvent[], head: number): Switches {
  const switches: Switch[] = []
  const spans: Span[] = []
  let active: { agent: string; from: number } | undefined
  let pending: number | undefined
  const close = (to: number) => {
    if (active !== undefined && to >= active.from) spans.push({ ...active, to })
  }
  for (const event of events) {
    const parts = fields(event.parts)
    if (event.type === 'session_started') active = { agent: text(parts['agent']), from: event.sequence }
    if (event.type === 'handoff_taken') {
      updateAt(switches, pending, { takenBy: event.sequence })
      pending = undefined
    }
    if (event.type === 'state_changed' && removesHandoff(parts)) {
      updateAt(switches, pending, { removedBy: event.sequence })
      pending = undefined
    }
    if (event.type !== 'agent_changed' && event.type !== 'agent_transition') continue
    const made = switchOf(event, parts)
    if (made.kind === 'handoff') {
      updateAt(switches, pending, { replacedBy: event.sequence })
      pending = switches.length
    }
    switches.push(made)
    close(event.sequence)
    active = { agent: made.to, from: event.sequence }
  }
  close(Math.max(head, active?.from ?? 0))
  return { switches, spans }
}

function switchOf({ type, sequence, content, createdAt: at }: SessionEvent, parts: Fields): Switch {
  const { context } = parts
  const isHandoff = type === 'agent_transition' && context !== undefined
  return {
    sequence,
    kind: type === 'agent_changed' ? 'switch' : isHandoff ? 'handoff' : 'transition',
    from: text(parts['from']),
    to: text(parts['to']),
    at,
    reason: type === 'agent_changed' ? '' : content,
    context: isHandoff ? context : undefined,
    takenBy: undefined,
    removedBy: undefined,
    replacedBy: undefined,
  }
}

function removesHandoff({ op, patch, value }: Fields): boolean {
  if (op === 'merge') return fields(patch)['handoff_context'] === null
  return op === 'replace' && fields(value)['handoff_context'] === undefined
}

function updateAt(switches: Switch[], index: number | undefined, what: Partial<Switch>): void {
  const old = index === undefined ? undefined : switches[index]
  if (index !== undefined && old !== undefined) switches[index] = { ...old, ...what }
}

type Fields = Readonly<Record<string, Json | undefined>>

const fields = (parts: Json | undefined): Fields => (isObject(parts) ? parts : {})

const text = (value: Json | undefined) => (typeof value === 'string' ? value : 'unknown')

/** The agent that was active right before an event, or started with it; `undefined` if unknown. */
export function activeAt(spans: readonly Span[], sequence: number): string | undefined {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.from ?? 0) < sequence) low = middle + 1
    else high = middle
  }
  return (spans[low - 1] ?? (spans[0]?.from === sequence ? spans[0] : undefined))?.agent
}
