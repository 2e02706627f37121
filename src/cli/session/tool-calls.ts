import { answeredCallId, type SessionEvent, type ToolCallPart, toolCallsOf } from '../../domain/event.ts'

/** An event, with what belongs to its tool calls. */
export interface EventWithCalls {
  event: SessionEvent
  /** Calls that it makes. */
  calls: CallWithResult[]
  /** Name of the tool whose result it is, where the call was seen. */
  tool?: string
}

/** A call, with its result if that is known already. */
export interface CallWithResult {
  call: ToolCallPart
  result?: SessionEvent
  /** Sequence of an earlier event that announced the same call. */
  announced?: number
  /** It has no result, and there is nothing behind it that could be one. */
  isDangling?: true
}

interface OpenCall {
  view: CallWithResult
  sequence: number
  name: string
}

/**
 * Events with each result at its call. All mentions of an id up to a result are one call: a message may announce it and a `tool_call` repeat
 * it. `toEnd`: these events reach to the end of the log.
 */
export function pairToolCalls(events: readonly SessionEvent[], toEnd: boolean): EventWithCalls[] {
  const open = new Map<string, OpenCall>()
  const told: EventWithCalls[] = []
  for (const event of events) {
    const answered = answeredCallId(event)
    const call = answered === undefined ? undefined : open.get(answered)
    if (answered !== undefined && call !== undefined) {
      call.view.result = event
      open.delete(answered)
    } else told.push(withCalls(event, open))
  }
  if (toEnd) for (const { view: call } of open.values()) call.isDangling = true
  return told
}

/** Events one at a time, as they come: a result stands by itself and names its tool. */
export function trackToolCalls(): (event: SessionEvent) => EventWithCalls {
  const open = new Map<string, OpenCall>()
  return (event) => {
    const answered = answeredCallId(event)
    const call = answered === undefined ? undefined : open.get(answered)
    if (answered !== undefined) open.delete(answered)
    return { ...withCalls(event, open), ...(call !== undefined && { tool: call.name }) }
  }
}

function withCalls(event: SessionEvent, open: Map<string, OpenCall>): EventWithCalls {
  const calls = toolCallsOf(event).map((call): CallWithResult => {
    const before = open.get(call.id)
    if (before !== undefined) return { call, announced: before.sequence }
    const told: CallWithResult = { call }
    open.set(call.id, { view: told, sequence: event.sequence, name: toolName(call) })
    return told
  })
  return { event, calls }
}

/** Only the id of a call is checked when it is written: its name may be absent, or no text. */
export function toolName({ name }: { name?: unknown }): string {
  return typeof name === 'string' && name !== '' ? name : 'a tool'
}
