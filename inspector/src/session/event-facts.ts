import type { SessionEvent, Usage } from '../api/types.ts'
import { answeredCallId, isObject, startsTurn, toolCallsOf, usageOf } from '../domain.ts'

/**
 * What an event is to its turn: `mark` events, such as a handoff, always have a row of their own. The `step` of a run
 * may be among the calls of its turn.
 */
export type FactKind = 'turn' | 'text' | 'call' | 'result' | 'step' | 'noise' | 'mark'

/** The little of an event that groups and totals need. It stays when the event itself is dropped from memory. */
export interface EventFacts {
  readonly sequence: number
  readonly kind: FactKind
  readonly type: string
  /** When it happened, in milliseconds; `NaN` if unknown. */
  readonly at: number
  /** Its tool calls. */
  readonly calls: readonly { readonly id: string | undefined; readonly name: string }[]
  /** The call that it is the result of. */
  readonly resultOf: string | undefined
  readonly hasFailed: boolean
  readonly usage: Usage | undefined
}

/** Characters of the name of a tool that are kept. */
const NAME = 60

/** Whether callers made up the type. */
export const isCustomType = (type: string) => type.startsWith('x.')

export function factsOf(event: SessionEvent): EventFacts {
  const { sequence, type, occurredAt, createdAt, parts } = event
  const calls = callsOf(event)
  const happened = Date.parse(occurredAt ?? '')
  return {
    sequence,
    type,
    kind: kindOf(event),
    at: Number.isNaN(happened) ? Date.parse(createdAt) : happened,
    calls,
    resultOf: answeredCallId(event),
    hasFailed: isObject(parts) && parts['isError'] === true,
    usage: usageOf(event),
  }
}

/** A malformed call has no id, and so no result. */
function callsOf(event: SessionEvent): EventFacts['calls'] {
  const calls = toolCallsOf(event).map(({ id, name }) => ({ id, name: nameOf(name) }))
  if (event.type !== 'tool_call' || calls.length > 0) return calls
  return [{ id: undefined, name: nameOf(event.content) }]
}

const nameOf = (name: unknown) => (typeof name === 'string' && name !== '' ? name.slice(0, NAME) : 'unnamed')

function kindOf(event: SessionEvent): FactKind {
  if (startsTurn(event)) return 'turn'
  switch (event.type) {
    case 'model_message':
      return isEmpty(event) ? 'noise' : 'text'
    case 'system_event':
    case 'memory_recall':
      return 'text'
    case 'tool_call':
      return 'call'
    case 'tool_result':
      return 'result'
    case 'step_completed':
      return 'step'
    default:
      return isCustomType(event.type) ? 'noise' : 'mark'
  }
}

/** Some agents write a blank message before their first call. */
function isEmpty(event: SessionEvent): boolean {
  return event.content.length < 10 && event.content.trim() === '' && toolCallsOf(event).length === 0
}
