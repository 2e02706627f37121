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
}

/** Counts tokens of a text. */
export type CountTokens = (text: string) => number

/** Counts an event: its content, and the name and arguments of each tool call. */
export function tokensOf(event: SessionEvent, count: CountTokens): number {
  let tokens = event.content === '' ? 0 : count(event.content)
  for (const { name, arguments: given } of toolCallsOf(event)) {
    for (const text of [textOf(name), textOf(given)]) tokens += text === '' ? 0 : count(text)
  }
  return tokens
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
  /** Adds the next older event. Returns false once the budget is spent. */
  add(event: SessionEvent): boolean
  /** Returns the window. `complete`: the oldest event of the log or of the last allowed turn was added. */
  finish(complete: boolean): Window
}

/**
 * Keeps the newest whole turns that fit the budget; if not even the last turn fits, its longest end. A result counts
 * with its call, because without the call it is left out. Events before the first turn belong to it.
 */
export function windowBuilder(budget?: { maxTokens: number; count: CountTokens }): WindowBuilder {
  const newestFirst: SessionEvent[] = []
  /** Tokens of results whose call is not reached yet, by call id. */
  const unclaimed = new Map<string, number>()
  let tokens = 0
  /** Size of the longest run of whole turns so far, and of the longest end of the last turn. */
  let turns = { size: 0, tokens: 0 }
  let end = { size: 0, tokens: 0 }

  function addCost(event: SessionEvent): void {
    if (budget === undefined) return
    const cost = tokensOf(event, budget.count)
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

  return {
    add(event) {
      if (!isConversationType(event.type)) return true
      addCost(event)
      if (budget !== undefined && tokens > budget.maxTokens) return false
      newestFirst.push(event)
      end = { size: newestFirst.length, tokens }
      if (startsTurn(event)) turns = end
      return true
    },
    finish(complete) {
      const size = complete || turns.size === 0 ? end.size : turns.size
      const chosen = newestFirst.slice(0, size).reverse()
      const { events, dangling } = pairCalls(chosen)
      const spent = size === end.size ? end.tokens : turns.tokens
      return budget === undefined ? { events, dangling } : { events, tokens: spent, dangling }
    },
  }
}
