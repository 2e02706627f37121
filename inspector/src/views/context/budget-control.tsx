import type { QueryText } from '../../parts/use-query-text.ts'
import { budgetOf, MOST, PLACES, PRESETS, placeOf, shortTokens, tokensAt, tokensIn, USUAL } from './budget.ts'
import css from './context.module.css'

/** How many tokens there are: typed, slid or picked. */
export function BudgetControl({ text: [text, setText] }: { text: QueryText }) {
  const budget = budgetOf(text)
  return (
    <fieldset>
      <legend>Budget</legend>
      <div class="toolbar">
        <label class={`row single ${css.number}`}>
          <span class="hidden">Tokens</span>
          <input
            class="input mono"
            type="number"
            min={0}
            max={MOST}
            step={1}
            placeholder={String(USUAL)}
            value={tokensIn(text) ?? ''}
            onInput={({ currentTarget }) => {
              const tokens = String(tokensIn(currentTarget.value) ?? '')
              // the box shows what counts, also where the text is the same as before
              if (currentTarget.value !== tokens) currentTarget.value = tokens
              setText(tokens)
            }}
          />
          <span class="muted small" aria-hidden="true">
            tokens
          </span>
        </label>
        <input
          class={css.slider}
          type="range"
          min={0}
          max={PLACES}
          step={1}
          value={placeOf(budget)}
          aria-label="Budget, from 0 to 200,000 tokens"
          aria-valuetext={`${budget.toLocaleString('en')} tokens`}
          onInput={({ currentTarget }) => setText(String(tokensAt(Number(currentTarget.value))))}
        />
        <fieldset class="row single tight" aria-label="Usual budgets">
          {PRESETS.map((tokens) => (
            <button
              key={tokens}
              type="button"
              class="button small"
              aria-pressed={tokens === budget}
              onClick={() => setText(String(tokens), true)}
            >
              {shortTokens(tokens)}
            </button>
          ))}
        </fieldset>
      </div>
    </fieldset>
  )
}
