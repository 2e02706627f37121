import type { Json } from '../domain/json.ts'
import { costOf, type Prices } from '../domain/price.ts'
import { type Usage, usageOf, usageProblem } from '../domain/usage.ts'
import type { LineEvent } from './translate-line.ts'

/** A usage as a member of `parts`. */
export type UsageParts = { readonly [field in keyof Usage]: Usage[field] }

/** Numbers of a model call as transcripts state them. `input` includes what was read from and written to a cache. */
export interface UsageNumbers {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly read: number
  readonly write: number
  readonly cost?: number
}

/** Returns the usage; `undefined` if it is empty, or none that a store accepts. */
export function validUsage({ model, input, output, read, write, cost = 0 }: UsageNumbers): UsageParts | undefined {
  if (input + output === 0 && cost === 0) return undefined
  const usage = {
    model,
    inputTokens: input,
    outputTokens: output,
    ...(read > 0 && { cacheReadTokens: read }),
    ...(write > 0 && { cacheWriteTokens: write }),
    ...(cost > 0 && { costUsd: cost }),
  }
  return usageProblem(usage) === undefined ? usage : undefined
}

/** Returns the event with the cost of its usage, if the prices name the model and the transcript states no cost. */
export function withCost(event: LineEvent, prices: Prices | undefined): LineEvent {
  const usage = prices === undefined ? undefined : usageOf(event)
  if (usage === undefined || usage.costUsd !== undefined) return event
  const costUsd = costOf(usage, prices as Prices)
  return costUsd === undefined ? event : { ...event, parts: { ...event.parts, usage: { ...usage, costUsd } } }
}

/** Returns a number of tokens; 0 for anything else. */
export function tokenCount(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
