import { fromNano, NO_USAGE, type SessionUsage, toNano, type UsageSums } from '../domain/usage.ts'

const FIELDS = ['messages', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** Sums as a database adds them: whole numbers, the cost in billionths of a dollar. */
export function sumNumbers(sums: UsageSums): number[] {
  return [...FIELDS.map((field) => sums[field]), toNano(sums.costUsd)]
}

/** Reverses {@link sumNumbers}. Postgres returns large numbers as text. */
export function sumsOf(numbers: readonly (number | string)[]): UsageSums {
  const [messages = 0, inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, cost = 0] =
    numbers.map(Number)
  return { messages, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd: fromNano(cost) }
}

/** The usage of a record as one column: the number of its turn, the sums in total, the sums of the turn. */
export function usageNumbers({ usage, turns }: { usage?: SessionUsage; turns: number }): number[] | null {
  return usage === undefined ? null : [turns, ...sumNumbers(usage.total), ...sumNumbers(usage.turn)]
}

/**
 * Reverses {@link usageNumbers}. Sums of an earlier turn count as zero, so that a user message need not write the
 * column.
 */
export function usageFrom(numbers: readonly (number | string)[], turns: number): SessionUsage {
  const isCurrent = Number(numbers[0]) === turns
  return { total: sumsOf(numbers.slice(1, 7)), turn: isCurrent ? sumsOf(numbers.slice(7)) : NO_USAGE }
}
