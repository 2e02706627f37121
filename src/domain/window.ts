import { answeredCallId, isConversationType, type SessionEvent, startsTurn, toolCallsOf } from './event.ts'
import type { Json } from './json.ts'

/** The end of a conversation, valid for a model. */
export interface Window {
  /** Oldest first. Every tool result comes with its call. */
  events: SessionEvent[]
  /** Tokens by the tokenizer in use; absent without a budget. */
  tokens?: number
  /** Ids of tool calls in the window without a result. */
  dangling: string[]
  /** The first turn is not whole: of it, its user message and its end are there. Absent if it is whole. */
  partial?: true
}

/** The user message of the turn whose end is in the window, with its tokens. */
export interface TurnStart {
  readonly event: SessionEvent
  readonly tokens: number
}

/** Counts tokens of a text. Above `atMost` any greater number will do, so that a long text is not counted whole. */
export type CountTokens = (text: string, atMost: number) => number | Promise<number>

/** Counts an event: its content, and the name and arguments of each tool call. Stops above `atMost`. */
export async function tokensOf(
  event: Pick<SessionEvent, 'type' | 'content' | 'parts'>,
  count: CountTokens,
  atMost = Number.POSITIVE_INFINITY,
): Promise<number> {
  let tokens = 0
  for (const text of countedTexts(event)) {
    if (text !== '') tokens += await count(text, atMost - tokens)
    if (tokens > atMost) break
  }
  return tokens
}

function* countedTexts(event: Pick<SessionEvent, 'type' | 'content' | 'parts'>): Generator<string> {
  yield event.content
  for (const { name, arguments: given } of toolCallsOf(event)) {
    yield textOf(name)
    yield textOf(given)
  }
}

/** Only the id of a stored call is checked, so its name may be absent or not text. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/**
 * Removes results without a call among these events, and lists calls without a result. All mentions of an id up to a
 * result are one call: a message may announce it and a `tool_call` repeat it.
 */
export function pairCalls(events: readonly SessionEvent[]): { events: SessionEvent[]; dangling: string[] } {
  const called = new Set<string>()
  const open = new Set<string>()
  const kept = events.filter((event) => {
    for (const { id } of toolCallsOf(event)) {
      called.add(id)
      open.add(id)
    }
    if (event.type !== 'tool_result') return true
    const id = answeredCallId(event)
    if (id === undefined || !called.has(id)) return false
    open.delete(id)
    return true
  })
  return { events: kept, dangling: [...open] }
}

/** Builds a window from the newest event backwards. */
export interface WindowBuilder {
  /** Adds the next older event with its tokens. Returns false once the budget is spent. */
  add(event: SessionEvent, tokens?: number): boolean
  /** Tokens left in the budget: an event need not be counted further. */
  left(): number
  /** The oldest event in the window so far, if its turn begins before it. */
  cutAt(): SessionEvent | undefined
  /** Returns the window of everything that was added: the log or the last allowed turn begins with it. */
  whole(): Window
  /**
   * Returns the newest whole turns and the longest end of the turn before them that fits together with its user
   * message. A user message that takes more than half of the budget is left out.
   */
  cut(start?: TurnStart): Window
}

/** A result counts with its call, because without the call it is left out. */
export function windowBuilder(maxTokens?: number): WindowBuilder {
  const newestFirst: SessionEvent[] = []
  /** Tokens of the newest events, by their number. */
  const sums = [0]
  /** Tokens of results whose call is not reached yet, by call id. */
  const unclaimed = new Map<string, number>()
  let tokens = 0
  /** Number of events in the longest run of whole turns so far. */
  let turns = 0

  function addCost(event: SessionEvent, cost: number): void {
    if (maxTokens === undefined) return
    const answered = answeredCallId(event)
    if (event.type === 'tool_result') {
      if (answered !== undefined) unclaimed.set(answered, (unclaimed.get(answered) ?? 0) + cost)
      return
    }
    tokens += cost
    for (const { id } of toolCallsOf(event)) {
      tokens += unclaimed.get(id) ?? 0
      unclaimed.delete(id)
    }
  }

  function windowOf(size: number, start?: TurnStart): Window {
    const chosen = newestFirst.slice(0, size).reverse()
    const { events, dangling } = pairCalls(start === undefined ? chosen : [start.event, ...chosen])
    const spent = (sums[size] as number) + (start?.tokens ?? 0)
    return maxTokens === undefined ? { events, dangling } : { events, tokens: spent, dangling }
  }

  return {
    left: () => (maxTokens ?? Number.POSITIVE_INFINITY) - tokens,
    add(event, cost = 0) {
      if (!isConversationType(event.type)) return true
      addCost(event, cost)
      if (maxTokens !== undefined && tokens > maxTokens) return false
      newestFirst.push(event)
      sums.push(tokens)
      if (startsTurn(event)) turns = newestFirst.length
      return true
    },
    cutAt: () => (turns === newestFirst.length ? undefined : newestFirst.at(-1)),
    whole: () => windowOf(newestFirst.length),
    cut(start) {
      const room = (maxTokens ?? Number.POSITIVE_INFINITY) - (sums[turns] as number)
      const leader = start !== undefined && start.tokens <= (maxTokens ?? 0) / 2 ? start : undefined
      let size = newestFirst.length
      while (size > turns && (sums[size] as number) - (sums[turns] as number) + (leader?.tokens ?? 0) > room) size--
      // orphaned results alone are no end of a turn
      const isPartial = pairCalls(newestFirst.slice(turns, size).reverse()).events.length > 0
      return isPartial ? { ...windowOf(size, leader), partial: true } : windowOf(turns)
    },
  }
}
