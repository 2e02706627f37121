import { useState } from 'preact/hooks'
import { onUserChange } from '../../api/token.ts'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import type { SessionData } from '../../session/session-data.ts'
import { PRESETS, shortTokens } from './budget.ts'
import { Columns } from './columns.tsx'
import { type Compared, comparedOf, partsIn, tokensOf, verdict } from './compared.ts'
import css from './context.module.css'
import { PART_NAMES } from './shares.ts'
import { lookAt, type Question } from './use-context.ts'

/** What five budgets come to: as columns, and in numbers. */
export function Comparison({ data, question, head }: { data: SessionData; question: Question; head: number }) {
  const { value, done, problem, reload } = useCompared(data, question, head)
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      {done < PRESETS.length && problem === undefined && (
        <Loading what={`Asked for ${done} of ${PRESETS.length} budgets`} />
      )}
      {value !== undefined && (
        <>
          <p role="status">{verdict(value)}</p>
          <div class="columns even">
            <Columns all={value} />
            <Numbers all={value} />
          </div>
        </>
      )}
    </>
  )
}

/** Answers that are at hand: a budget is asked for once, as long as nothing happens. */
const kept = new Map<string, Compared>()
onUserChange(() => kept.clear())
const KEPT = 100

function useCompared(data: SessionData, { recall, about }: Question, head: number) {
  const [done, setDone] = useState(0)
  const asked = useRequest(
    async (signal) => {
      const all: Compared[] = []
      setDone(0)
      // one after the other: five at once would hold up everyone else
      for (const budget of PRESETS) {
        const name = JSON.stringify([data.id, head, recall, about, budget])
        const known = kept.get(name) ?? comparedOf(budget, await lookAt(data.id, { budget, recall, about }, signal))
        if (kept.size >= KEPT) kept.clear()
        kept.set(name, known)
        all.push(known)
        if (!signal.aborted) setDone(all.length)
      }
      return all
    },
    [data, recall, about, head],
  )
  return { ...asked, done }
}

function Numbers({ all }: { all: readonly Compared[] }) {
  const parts = partsIn(all)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
    <section class="scroll" tabIndex={0} aria-label="Tokens by part and budget">
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
              <th scope="row">{shortTokens(one.budget)}</th>
              {parts.map((part) => (
                <td key={part} class="number">
                  {tokensOf(one, part).toLocaleString('en')}
                </td>
              ))}
              <td class="number">{one.tokens.toLocaleString('en')}</td>
              <td class="number">{one.over.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
