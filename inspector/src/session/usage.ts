import type { SessionEvent, SessionRecord } from '../api/types.ts'
import { isObject } from '../domain.ts'

/** Tokens and cost of a model call, as the event names them. */
export interface Usage {
  readonly model?: string
  /** All input tokens, cached ones included. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly costUsd: number
}

/** Sums over the model calls of a turn or a session. */
export interface UsageSums extends Omit<Usage, 'model'> {
  /** Messages that carried usage. */
  readonly messages: number
}

export const NO_USAGE: UsageSums = {
  messages: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
}

/** The usage that an event carries. */
export function usageOf({ type, parts }: SessionEvent): Usage | undefined {
  if ((type !== 'model_message' && type !== 'tool_call') || !isObject(parts)) return undefined
  const { usage } = parts
  if (!isObject(usage)) return undefined
  const { model } = usage
  return {
    ...(typeof model === 'string' && { model }),
    inputTokens: amount(usage['inputTokens']),
    outputTokens: amount(usage['outputTokens']),
    cacheReadTokens: amount(usage['cacheReadTokens']),
    cacheWriteTokens: amount(usage['cacheWriteTokens']),
    costUsd: amount(usage['costUsd']),
  }
}

const amount = (value: unknown) => (typeof value === 'number' && value > 0 ? value : 0)

/** The usage of a whole session, if any of its events carried it. */
export function usageOfSession(record: SessionRecord): UsageSums | undefined {
  return (record as { usage?: { total: UsageSums } }).usage?.total
}

/** Sums with one more call. */
export function withUsage(sums: UsageSums, usage: Usage | undefined): UsageSums {
  return usage === undefined ? sums : sumOf(sums, { ...usage, messages: 1 })
}

export function sumOf(a: UsageSums, b: UsageSums): UsageSums {
  return {
    messages: a.messages + b.messages,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd + b.costUsd,
  }
}
