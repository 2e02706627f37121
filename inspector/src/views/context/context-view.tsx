import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useQueryText } from '../../parts/use-query-text.ts'
import { memoryHref, query } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { RecallResults } from '../memory/recall-results.tsx'
import { parseBudget } from './budget.ts'
import { BudgetComparison } from './budget-comparison.tsx'
import { BudgetControl } from './budget-control.tsx'
import css from './context.module.css'
import { OmittedTable, PendingCalls } from './omitted-table.tsx'
import { RecallControl } from './recall-control.tsx'
import { SentMessages } from './sent-messages.tsx'
import { TokenUsage } from './token-usage.tsx'
import { type ContextPreview, useContextPreview } from './use-context-preview.ts'

/** Previews what a model would get under a budget, by part, and what would be left out. Records nothing. */
export function ContextView({ data }: { data: SessionData }) {
  const budgetText = useQueryText('budget')
  const recall = query.value.get('recall') === 'yes'
  const aboutText = useQueryText('about')
  const params = {
    budget: parseBudget(query.value.get('budget') ?? ''),
    recall,
    about: query.value.get('about') ?? '',
  }
  const { value, problem, isLoading, reload } = useContextPreview(data, params)
  return (
    <div class="stack view">
      <section class="card stack" aria-label="Options">
        <div class="columns">
          <BudgetControl text={budgetText} />
          <RecallControl isOn={recall} text={aboutText} />
        </div>
        <p class="muted small">
          This is a preview: nothing is recorded, and recalled memories do not count as used. The budget covers contents
          and tool calls, counted with the server's tokenizer.
        </p>
      </section>
      <ProblemNote problem={problem} onRetry={reload} />
      {value === undefined && isLoading && <Loading what="Building the context" />}
      {value !== undefined && (
        <>
          <StaleNote data={data} head={value.head} isLoading={isLoading} reload={reload} />
          <Preview data={data} preview={value} />
        </>
      )}
    </div>
  )
}

function Preview({ data, preview }: { data: SessionData; preview: ContextPreview }) {
  const { params, result } = preview
  const [isComparing, setComparing] = useState(false)
  const record = data.record.value
  return (
    <>
      <div class="columns even">
        <section class="card stack" aria-label="Tokens by part">
          <h2>Tokens by part</h2>
          <TokenUsage result={result} budget={params.budget} />
        </section>
        <section class="card stack" aria-label="Left out">
          <h2>Left out</h2>
          <OmittedTable omitted={result.omitted} budget={params.budget} />
          <PendingCalls ids={result.dangling} />
        </section>
      </div>
      <section class="card stack" aria-label="Budget comparison">
        <div class="row between">
          <h2>Budget comparison</h2>
          {!isComparing && <Button text="Compare budgets" onClick={() => setComparing(true)} />}
        </div>
        {isComparing ? (
          <BudgetComparison data={data} params={params} head={preview.head} />
        ) : (
          <p class="muted small">
            Builds the context for five budgets from 1k to 128k to show when a larger one no longer helps.
          </p>
        )}
      </section>
      {result.recalled !== undefined && record !== undefined && (
        <section class="card stack" aria-label="Recalled">
          <h2>Recalled</h2>
          {result.recalled.length === 0 ? (
            <p class="muted">Nothing recalled: no other session or memory of this user matches, or none fits.</p>
          ) : (
            <RecallResults
              items={result.recalled}
              hrefOf={(memory) => memoryHref({ user: record.userId, tenant: record.tenant, memory })}
              currentSession={data.id}
              label="Recalled"
            />
          )}
        </section>
      )}
      <section class="card stack" aria-label="What would be sent">
        {result.messages.length === 0 ? (
          <>
            <h2>What would be sent</h2>
            <Empty title="Nothing would be sent.">
              <p>The session has no messages yet, or none fits this budget.</p>
            </Empty>
          </>
        ) : (
          <SentMessages data={data} preview={preview} />
        )}
      </section>
    </>
  )
}

interface StaleNoteProps {
  readonly data: SessionData
  readonly head: number
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Announces new events without replacing what is being read. */
function StaleNote({ data, head, isLoading, reload }: StaleNoteProps) {
  const more = data.head.value - head
  return (
    <div role="status" class={css.since}>
      {more > 0 && (
        <div class="note row">
          <span>
            {more.toLocaleString('en')} new {more === 1 ? 'event' : 'events'} since this preview.
          </span>
          <Button look="small" text="Refresh" onClick={reload} disabled={isLoading} />
        </div>
      )}
    </div>
  )
}
