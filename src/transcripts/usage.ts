import type { Json } from '../domain/json.ts'
import { type Usage, usageProblem } from '../domain/usage.ts'

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

/** Returns a number of tokens; 0 for anything else. */
export function tokenCount(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
