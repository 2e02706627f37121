import type { Json } from '../domain/json.ts'

/** The usage of a model call, as `parts.usage` holds it. */
export type Usage = {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly costUsd?: number
}

/** Numbers of a model call as transcripts state them. `input` includes what was read from and written to a cache. */
export interface UsageNumbers {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly read: number
  readonly write: number
  readonly cost?: number
}

/** Limits of a usage. */
const MAX = { model: 128, tokens: 1_000_000_000, cost: 1000 } as const

/** Returns the usage; `undefined` if it is empty, or no usage at all. */
export function validUsage({ model, input, output, read, write, cost = 0 }: UsageNumbers): Usage | undefined {
  const isEmpty = input + output === 0 && cost === 0
  const isNamed = model !== '' && model.length <= MAX.model && model.isWellFormed() && !model.includes('\0')
  if (isEmpty || !isNamed || input > MAX.tokens || output > MAX.tokens || cost > MAX.cost) return undefined
  return {
    model,
    inputTokens: input,
    outputTokens: output,
    ...(read > 0 && { cacheReadTokens: read }),
    ...(write > 0 && { cacheWriteTokens: write }),
    ...(cost > 0 && { costUsd: cost }),
  }
}

/** Returns a number of tokens; 0 for anything else. */
export function tokenCount(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
