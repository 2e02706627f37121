import { countOf, formatCount, formatSpan } from '../../parts/amounts.ts'
import { UsageFacts } from '../../parts/usage-facts.tsx'
import css from './turn-facts.module.css'
import type { TurnTotals } from './turn-totals.ts'

/** What a turn took: calls, tokens, cost and time. */
export function TurnFacts({ totals: { calls, failed, ms, usage } }: { totals: TurnTotals }) {
  if (calls === 0 && ms === 0 && usage.messages === 0) return null
  return (
    <span class={css.facts}>
      {calls > 0 && (
        <span>
          {countOf(calls, 'call')}
          {failed > 0 && <span class={css.failed}>, {formatCount(failed)} failed</span>}
        </span>
      )}
      <UsageFacts usage={usage} />
      {ms > 0 && <span title="From the message to the last event of the agent">{formatSpan(ms)}</span>}
    </span>
  )
}
