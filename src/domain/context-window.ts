import type { Message, ToolCall } from './message.ts'
import { type CountTokens, tokensOf } from './window.ts'

/** What a context leaves out. */
export interface Omission {
  /** `calls`: tool calls removed from included messages. */
  section: 'task' | 'scratchpad' | 'earlier' | 'memories' | 'reduced' | 'window' | 'calls'
  count: number
  /** Over budget; a result without its call; a call without its result. */
  reason: 'budget' | 'no_call' | 'no_result'
}

/** Returns no entry for a count of 0. */
export function omission(section: Omission['section'], reason: Omission['reason'], count: number): Omission[] {
  return count === 0 ? [] : [{ section, count, reason }]
}

/** Counts a message: its content, and the name and arguments of each call. Stops above `atMost`. */
export function messageTokens(
  { content, toolCalls = [] }: Message,
  count: CountTokens,
  atMost?: number,
): Promise<number> {
  const parts = { toolCalls: toolCalls.map((call) => ({ ...call })) }
  return tokensOf({ type: 'model_message', content, parts }, count, atMost)
}

/** The end of a conversation, valid for a model. */
export interface FittedWindow {
  messages: Message[]
  tokens: number
  omitted: Omission[]
  /** Ids of the last message's calls that still wait for a result. */
  dangling: string[]
}

/**
 * Keeps the newest whole turns that fit; if not even the last turn fits, its longest end. A result counts and goes with
 * its call. A call without a result is removed from its message, since no model accepts it there, unless it is at the
 * very end: then it is the next work to do.
 */
export async function fitWindow(
  messages: readonly Message[],
  limit: number,
  count: CountTokens,
): Promise<FittedWindow> {
  const slots = pairCallsAndResults(messages)
  const { start, tokens } = await newestTurns(slots, limit, count)
  const end = slots.slice(start)
  const there = end.filter(({ omitted }) => omitted === undefined)
  const fitting = dropOrphans(there)
  const left = (reason: Slot['omitted']) => end.filter(({ omitted }) => omitted === reason).length
  return {
    messages: fitting.map(({ message }) => message),
    tokens,
    omitted: [
      ...omission('window', 'budget', start + there.length - fitting.length),
      ...omission('window', 'no_call', left('no_call')),
      ...omission('window', 'no_result', left('no_result')),
      ...omission(
        'calls',
        'no_result',
        fitting.reduce((sum, { cut }) => sum + cut, 0),
      ),
    ],
    dangling: fitting.flatMap(({ dangling }) => dangling),
  }
}

/** A message as it would go to the model. */
interface Slot {
  message: Message
  /** Why it is left out, whatever the budget. */
  omitted?: 'no_call' | 'no_result'
  /** Number of calls removed from it. */
  cut: number
  dangling: string[]
}

const isResult = ({ role }: Message) => role === 'tool'

/** Pairs each result with the nearest earlier call of its id. */
function pairCallsAndResults(messages: readonly Message[]): Slot[] {
  const paired = new Set(dropOrphans(messages.map((message, place) => ({ message, place }))).map(({ place }) => place))
  const last = messages.findLastIndex((message) => !isResult(message))
  const answered = new Set<string>()
  const newestFirst = [...messages.entries()].reverse().map(([place, message]): Slot => {
    if (isResult(message)) {
      if (!paired.has(place)) return { message, omitted: 'no_call', cut: 0, dangling: [] }
      answered.add(message.toolCallId as string)
      return { message, cut: 0, dangling: [] }
    }
    const slot = dropUnansweredCalls(message, answered, place === last)
    for (const { id } of message.toolCalls ?? []) answered.delete(id)
    return slot
  })
  return newestFirst.reverse()
}

/** Removes duplicate calls, and unanswered calls except in the conversation's last message. */
function dropUnansweredCalls(message: Message, answered: ReadonlySet<string>, isLast: boolean): Slot {
  const { toolCalls, ...rest } = message
  if (toolCalls === undefined || toolCalls.length === 0) return { message, cut: 0, dangling: [] }
  // a message may announce a call that a `tool_call` repeats
  const calls = firstOfEachId(toolCalls)
  const open = calls.filter(({ id }) => !answered.has(id)).map(({ id }) => id)
  if (isLast) return { message: { ...message, toolCalls: calls }, cut: 0, dangling: open }
  const kept = calls.filter(({ id }) => answered.has(id))
  if (kept.length > 0) return { message: { ...message, toolCalls: kept }, cut: open.length, dangling: [] }
  if (rest.content === '') return { message, omitted: 'no_result', cut: 0, dangling: [] }
  return { message: rest, cut: open.length, dangling: [] }
}

function firstOfEachId(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>()
  return calls.filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** Removes results without an earlier call. */
function dropOrphans<S extends { message: Message }>(slots: readonly S[]): S[] {
  const called = new Set<string | undefined>()
  return slots.filter(({ message }) => {
    for (const { id } of message.toolCalls ?? []) called.add(id)
    return !isResult(message) || called.has(message.toolCallId)
  })
}

/** Returns the start and tokens of the window. Events before the first turn belong to it. */
async function newestTurns(
  slots: readonly Slot[],
  limit: number,
  count: CountTokens,
): Promise<{ start: number; tokens: number }> {
  /** Tokens of results whose call is not reached yet, by call id. */
  const unclaimed = new Map<string | undefined, number>()
  let tokens = 0
  let turns: { start: number; tokens: number } | undefined
  let end = { start: slots.length, tokens }
  for (const [start, { message, omitted }] of [...slots.entries()].reverse()) {
    if (omitted === undefined) {
      const cost = await messageTokens(message, count, limit - tokens)
      if (isResult(message)) unclaimed.set(message.toolCallId, (unclaimed.get(message.toolCallId) ?? 0) + cost)
      else tokens += cost
      for (const { id } of message.toolCalls ?? []) {
        tokens += unclaimed.get(id) ?? 0
        unclaimed.delete(id)
      }
    }
    if (tokens > limit) break
    end = { start, tokens }
    if (start === 0 || message.role === 'user') turns = end
  }
  return turns ?? end
}
