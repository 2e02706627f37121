import { answeredCallId, isConversationType, type SessionEvent, startsTurn, toolCallsOf } from './event.ts'
import type { Json } from './json.ts'

/** The end of a conversation, cut so that a model can take it. */
export interface Window {
  /** Oldest first. Every tool result in it has its call in it. */
  events: SessionEvent[]
  /** What they cost by the tokenizer in use; absent when no budget was asked for. */
  tokens?: number
  /** Ids of tool calls in the window that never got a result. */
  dangling: string[]
}

/** Counts tokens of a text. */
export type CountTokens = (text: string) => number

/** What an event costs: its content, and the name and arguments of each tool call it makes. */
export function tokensOf(event: SessionEvent, count: CountTokens): number {
  let tokens = event.content === '' ? 0 : count(event.content)
  for (const { name, arguments: given } of toolCallsOf(event)) {
    for (const text of [textOf(name), textOf(given)]) tokens += text === '' ? 0 : count(text)
  }
  return tokens
}

/** What a caller wrote there: only the id of a call is checked, so its name may be absent or no text. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/**
 * Leaves out results whose call is not among these events, and names the calls that have no result. All mentions of
 * an id up to a result are one call: a message may announce it and a `tool_call` repeat it.
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

/** Gathers a window from the newest event backwards, and says when older ones can no longer be part of it. */
export interface WindowBuilder {
  /** Takes the next older event. False: the budget is spent, reading on is of no use. */
  add(event: SessionEvent): boolean
  /** The window; `complete` when the oldest event of the log, or of the last allowed turn, was added. */
  finish(complete: boolean): Window
}

/**
 * Whole turns that fit the budget, newest first; if not even the last turn fits, the longest end of it that does. A
 * result is paid for together with its call, since without it the result is left out. What precedes the first turn
 * belongs to it.
 */
export function windowBuilder(budget?: { maxTokens: number; count: CountTokens }): WindowBuilder {
  const newestFirst: SessionEvent[] = []
  /** Cost of results met whose call was not met yet, by call id. */
  const unclaimed = new Map<string, number>()
  let tokens = 0
  /** Events and tokens of the longest run of whole turns so far, and of the longest end of the last turn. */
  let turns = { size: 0, tokens: 0 }
  let end = { size: 0, tokens: 0 }

  function pay(event: SessionEvent): void {
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
      pay(event)
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
