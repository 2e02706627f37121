import { answeredCallId, type SessionEvent, type ToolCallPart, toolCallsOf } from '../event.ts'

/** What a context includes or leaves out together: a text, or a tool call with its results. */
export interface Unit {
  readonly event: SessionEvent
  /** Absent for a text. */
  readonly call?: ToolCallPart
  /** Place of the call in its event, from 0; the text has none. */
  readonly place?: number
  readonly results: readonly SessionEvent[]
}

/**
 * Pairs each result with the nearest earlier call of its id, newest event first. A call without a result is left out
 * unless it belongs to the last message: then it is the next work to do. A message may announce a call that a
 * `tool_call` repeats: both are one call.
 */
export class HistoryPairing {
  /** Newest first. */
  readonly units: Unit[] = []
  /** Calls without a result that other messages follow. */
  readonly unanswered: SessionEvent[] = []
  /** Results whose call is not reached yet, by its id; newest first. */
  readonly #waiting = new Map<string, SessionEvent[]>()
  /** Ids of calls in the message that is being read. */
  readonly #inMessage = new Set<string>()
  #newer: SessionEvent | undefined
  #messages = 0

  /** Adds the next older event. */
  add(event: SessionEvent): void {
    if (event.type === 'tool_result') {
      const id = answeredCallId(event) ?? ''
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) this.#waiting.set(id, [event])
      else waiting.push(event)
    } else {
      this.#enterMessage(event)
      for (const [place, call] of [...toolCallsOf(event).entries()].reverse()) this.#addCall(event, call, place)
      if (hasText(event)) this.units.push({ event, results: [] })
    }
    this.#newer = event
  }

  /** Results whose call was not among the events, oldest first. */
  orphans(): SessionEvent[] {
    return [...this.#waiting.values()].flat().toSorted((a, b) => a.sequence - b.sequence)
  }

  #enterMessage(event: SessionEvent): void {
    if (this.#messages > 0 && this.#newer !== undefined && joins(this.#newer, event)) return
    this.#messages++
    this.#inMessage.clear()
  }

  #addCall(event: SessionEvent, call: ToolCallPart, place: number): void {
    const results = this.#waiting.get(call.id)
    this.#waiting.delete(call.id)
    if (results === undefined && this.#inMessage.has(call.id)) return
    this.#inMessage.add(call.id)
    if (results === undefined && this.#messages > 1) {
      this.unanswered.push(event)
      return
    }
    this.units.push({ event, call, place, results: results?.toReversed() ?? [] })
  }
}

/** Ids of calls that still wait for a result, in order. Units are newest first. */
export function danglingCalls(units: readonly Unit[]): string[] {
  return units.flatMap(({ call, results }) => (call !== undefined && results.length === 0 ? [call.id] : [])).reverse()
}

/** Whether the event has a unit for its text. */
export function hasText(event: SessionEvent): boolean {
  return event.content !== '' || toolCallsOf(event).length === 0
}

/** Whether the event adds calls to the message that ends with `last`. */
function joins(event: SessionEvent, last: SessionEvent): boolean {
  const isAssistant = last.type === 'model_message' || last.type === 'tool_call'
  return event.type === 'tool_call' && isAssistant && event.agentId === last.agentId
}
