import type { UsageSums } from '../api/types.ts'
import { formatCost, formatCount, formatTokens } from './amounts.ts'

/** Tokens and cost on one line. Shows nothing without usage. */
export function UsageFacts({ usage }: { usage: UsageSums }) {
  if (usage.messages === 0) return null
  return (
    <span class="nowrap" title={explain(usage)}>
      {formatTokens(usage.inputTokens)} in{cachedShare(usage)} · {formatTokens(usage.outputTokens)} out
      {usage.costUsd > 0 && ` · ${formatCost(usage.costUsd)}`}
    </span>
  )
}

/** All tokens, and the cost, in little room. */
export function ShortUsage({ usage }: { usage: UsageSums }) {
  return (
    <span class="nowrap" title={explain(usage)}>
      {formatTokens(usage.inputTokens + usage.outputTokens)}
      {usage.costUsd > 0 && ` · ${formatCost(usage.costUsd)}`}
    </span>
  )
}

function cachedShare({ inputTokens, cacheReadTokens }: UsageSums): string {
  if (cacheReadTokens === 0 || inputTokens === 0) return ''
  return ` (${Math.floor((cacheReadTokens / inputTokens) * 100)}% cached)`
}

function explain({ messages, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: UsageSums): string {
  const tokens = [
    `${formatCount(inputTokens)} input tokens`,
    `${formatCount(cacheReadTokens)} of them read from the cache`,
    `${formatCount(cacheWriteTokens)} written to it`,
    `${formatCount(outputTokens)} output tokens`,
  ]
  return `${tokens.join(', ')}, in ${formatCount(messages)} model ${messages === 1 ? 'call' : 'calls'}`
}
