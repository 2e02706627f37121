import { useState } from 'preact/hooks'
import { onUserChange } from '../../api/token.ts'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { useRequest } from '../../parts/use-request.ts'
import type { SessionData } from '../../session/session-data.ts'
import { formatTokens, PRESETS } from './budget.ts'
import { type BudgetResult, describeBenefit, partTokens, toBudgetResult, usedParts } from './budget-results.ts'
import { ColumnChart } from './column-chart.tsx'
import css from './context.module.css'
import { PART_NAMES } from './context-parts.ts'
import { type ContextParams, previewContext } from './use-context-preview.ts'

/** Compares five budgets in a chart and a table. */
export function BudgetComparison({ data, params, head }: { data: SessionData; params: ContextParams; head: number }) {
  const { value, done, problem, reload } = useBudgetResults(data, params, head)
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      {done < PRESETS.length && problem === undefined && (
        <Loading what={`Built ${done} of ${PRESETS.length} contexts`} />
      )}
      {value !== undefined && (
        <>
          <p role="status">{describeBenefit(value)}</p>
          <div class="columns even">
            <ColumnChart all={value} />
            <ResultsTable all={value} />
          </div>
        </>
      )}
    </>
  )
}

/** Cached results: each budget is requested once per state of the log. */
const cache = new Map<string, BudgetResult>()
onUserChange(() => cache.clear())
const CACHE_SIZE = 100

function useBudgetResults(data: SessionData, { recall, about }: ContextParams, head: number) {
  const [done, setDone] = useState(0)
  const request = useRequest(
    async (signal) => {
      const all: BudgetResult[] = []
      setDone(0)
      // one after the other: five at once would slow down everyone else
      for (const budget of PRESETS) {
        const name = JSON.stringify([data.id, head, recall, about, budget])
        const known =
          cache.get(name) ?? toBudgetResult(budget, await previewContext(data.id, { budget, recall, about }, signal))
        if (cache.size >= CACHE_SIZE) cache.clear()
        cache.set(name, known)
        all.push(known)
        if (!signal.aborted) setDone(all.length)
      }
      return all
    },
    [data, recall, about, head],
  )
  return { ...request, done }
}

function ResultsTable({ all }: { all: readonly BudgetResult[] }) {
  const parts = usedParts(all)
  return (
    <ScrollBox label="Tokens by part and budget">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Budget</th>
            {parts.map((part) => (
              <th key={part} scope="col" class="number">
                <span class={css.swatch} data-part={part} aria-hidden="true" />
                {PART_NAMES[part]}
              </th>
            ))}
            <th scope="col" class="number">
              Used
            </th>
            <th scope="col" class="number">
              Did not fit
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => (
            <tr key={one.budget}>
              <th scope="row">{formatTokens(one.budget)}</th>
              {parts.map((part) => (
                <td key={part} class="number">
                  {partTokens(one, part).toLocaleString('en')}
                </td>
              ))}
              <td class="number">{one.tokens.toLocaleString('en')}</td>
              <td class="number">{one.over.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
