import { answeredCallId, type SessionEvent, type ToolCallPart, toolCallsOf } from '../../domain/event.ts'
import { defined } from '../../domain/optional.ts'

/** An event with its tool calls. */
export interface EventWithCalls {
  event: SessionEvent
  calls: CallWithResult[]
  /** For a result: the name of its tool, if the call was seen. */
  tool?: string
}

/** A tool call with its result, if it has one yet. */
export interface CallWithResult {
  call: ToolCallPart
  result?: SessionEvent
  /** Sequence of the earlier event that announced the same call. */
  announced?: number
  /** It has no result, and the log ends. */
  isDangling?: true
}

interface OpenCall {
  view: CallWithResult
  sequence: number
  name: string
}

/**
 * Moves each result to its call. All mentions of an id up to the result are one call: a message may announce it and a
 * `tool_call` repeat it. `toEnd`: the events reach the end of the log.
 */
export function pairToolCalls(events: readonly SessionEvent[], toEnd: boolean): EventWithCalls[] {
  const open = new Map<string, OpenCall>()
  const folded: EventWithCalls[] = []
  for (const event of events) {
    const answered = answeredCallId(event)
    const call = answered === undefined ? undefined : open.get(answered)
    if (answered !== undefined && call !== undefined) {
      call.view.result = event
      open.delete(answered)
    } else folded.push(withCalls(event, open))
  }
  if (toEnd) for (const { view: call } of open.values()) call.isDangling = true
  return folded
}

/** For live events: keeps results separate and names their tool. */
export function trackToolCalls(): (event: SessionEvent) => EventWithCalls {
  const open = new Map<string, OpenCall>()
  return (event) => {
    const answered = answeredCallId(event)
    const call = answered === undefined ? undefined : open.get(answered)
    if (answered !== undefined) open.delete(answered)
    return { ...withCalls(event, open), ...defined({ tool: call?.name }) }
  }
}

function withCalls(event: SessionEvent, open: Map<string, OpenCall>): EventWithCalls {
  const calls = toolCallsOf(event).map((call): CallWithResult => {
    const before = open.get(call.id)
    if (before !== undefined) return { call, announced: before.sequence }
    const view: CallWithResult = { call }
    open.set(call.id, { view, sequence: event.sequence, name: toolName(call) })
    return view
  })
  return { event, calls }
}

/** Only the id of a call is validated on write: its name may be missing or not a text. */
export function toolName({ name }: { name?: unknown }): string {
  return typeof name === 'string' && name !== '' ? name : 'a tool'
}
