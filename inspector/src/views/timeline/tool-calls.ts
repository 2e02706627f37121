import type { Json, SessionEvent } from '../../api/types.ts'
import { answeredCallId, isObject, toolCallsOf } from '../../domain.ts'
import { shortText } from '../../parts/short-json.ts'
import type { Peek } from './turn-numbers.ts'

/** Events that are searched for the matching call or result. */
export const LOOK = 300

/** A tool call. A malformed one has no id, and so no result. */
export interface Call {
  readonly id: string | undefined
  readonly name: string
  readonly arguments: Json | undefined
}

/** The outcome of a call. */
export type Outcome =
  | { readonly is: 'result'; readonly event: SessionEvent }
  /** A later event of the same turn repeats the call and has the result. */
  | { readonly is: 'again'; readonly at: number }
  | { readonly is: 'loading'; readonly missing: number }
  /** No result yet, but the session is live and the turn goes on. */
  | { readonly is: 'waiting' }
  /** No result. `looked`: how many events were searched, if not all. */
  | { readonly is: 'none'; readonly looked?: number }

/** The call that a result belongs to. */
export type Origin =
  | { readonly is: 'call'; readonly at: number }
  /** The call already has another result. */
  | { readonly is: 'another'; readonly at: number }
  | { readonly is: 'loading'; readonly missing: number }
  | { readonly is: 'nowhere'; readonly looked?: number }

/** The loaded part of a log, its end, and whether it may grow. */
export interface LogView {
  readonly peek: Peek
  readonly head: number
  readonly isLive: boolean
}

/** The calls of an event. Never throws, whatever its parts are. */
export function callsIn(event: SessionEvent): readonly Call[] {
  const calls = toolCallsOf(event).map((call) => ({ ...call, name: typeof call.name === 'string' ? call.name : '' }))
  if (event.type !== 'tool_call' || calls.length > 0) return calls
  return [{ id: undefined, name: event.content, arguments: event.parts }]
}

/** The outcome of a call in the event at `place`. */
export function outcomeOf(id: string | undefined, place: number, { peek, head, isLive }: LogView): Outcome {
  if (id === undefined) return { is: 'none' }
  const end = Math.min(head, place + LOOK)
  let isPast = false
  for (let sequence = place + 1; sequence <= end; sequence++) {
    const event = peek(sequence)
    if (event === undefined) return { is: 'loading', missing: sequence }
    if (answeredCallId(event) === id) return { is: 'result', event }
    // ids are unique only within a turn: some models restart their numbering
    if (makes(event, id)) return isPast ? { is: 'none' } : { is: 'again', at: sequence }
    if (event.type === 'user_message') isPast = true
  }
  if (end < head) return { is: 'none', looked: LOOK }
  return isLive && !isPast ? { is: 'waiting' } : { is: 'none' }
}

/** Finds the call that a result belongs to. */
export function originOf(event: SessionEvent, peek: Peek): Origin {
  const id = answeredCallId(event)
  if (id === undefined) return { is: 'nowhere' }
  const first = Math.max(1, event.sequence - LOOK)
  for (let sequence = event.sequence - 1; sequence >= first; sequence--) {
    const before = peek(sequence)
    if (before === undefined) return { is: 'loading', missing: sequence }
    if (answeredCallId(before) === id) return { is: 'another', at: sequence }
    if (makes(before, id)) return { is: 'call', at: sequence }
  }
  return first > 1 ? { is: 'nowhere', looked: LOOK } : { is: 'nowhere' }
}

/** Whether the result says that the tool failed. */
export function hasFailed({ parts }: SessionEvent): boolean {
  return isObject(parts) && parts['isError'] === true
}

/** Milliseconds between a call and its result; `undefined` if both were written at once. */
export function callDuration(call: SessionEvent, result: SessionEvent): number | undefined {
  const ms = Date.parse(result.occurredAt ?? result.createdAt) - Date.parse(call.occurredAt ?? call.createdAt)
  return ms > 0 ? ms : undefined
}

function makes(event: SessionEvent, id: string): boolean {
  return callsIn(event).some((call) => call.id === id)
}

/** Arguments that say best what a call does, the best first. */
const TELLING = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'prompt', 'description', 'skill']
/** Longest text that is parsed. */
const PARSED = 20_000

/** The arguments of a call in a few words: the one that says what it does, else all as JSON. */
export function callSummary({ arguments: given }: Call): string {
  const values = typeof given === 'string' ? parsed(given) : given
  if (isObject(values)) {
    for (const key of TELLING) {
      const value = values[key]
      if (typeof value === 'string' && value !== '') return shortText(value)
    }
  }
  return shortText(given)
}

function parsed(text: string): Json | undefined {
  try {
    return text.length > PARSED ? undefined : (JSON.parse(text) as Json)
  } catch {
    return undefined
  }
}
