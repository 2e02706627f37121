import { Button } from '../../parts/button.tsx'
import type { QueryText } from '../../parts/use-query-text.ts'
import {
  DEFAULT_BUDGET,
  formatTokens,
  MAX_BUDGET,
  PRESETS,
  parseBudget,
  parseTokens,
  SLIDER_STEPS,
  sliderPosition,
  tokensAtPosition,
} from './budget.ts'
import css from './context.module.css'

/** The token budget: typed, set with the slider, or picked. */
export function BudgetControl({ text: [text, setText] }: { text: QueryText }) {
  const budget = parseBudget(text)
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
            max={MAX_BUDGET}
            step={1}
            placeholder={String(DEFAULT_BUDGET)}
            value={parseTokens(text) ?? ''}
            onInput={({ currentTarget }) => {
              const tokens = String(parseTokens(currentTarget.value) ?? '')
              // shows the parsed value even if the text did not change
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
          max={SLIDER_STEPS}
          step={1}
          value={sliderPosition(budget)}
          aria-label="Budget, from 0 to 200,000 tokens"
          aria-valuetext={`${budget.toLocaleString('en')} tokens`}
          onInput={({ currentTarget }) => setText(String(tokensAtPosition(Number(currentTarget.value))))}
        />
        <fieldset class="row single tight" aria-label="Common budgets">
          {PRESETS.map((tokens) => (
            <Button
              key={tokens}
              look="small"
              text={formatTokens(tokens)}
              aria-pressed={tokens === budget}
              onClick={() => setText(String(tokens), true)}
            />
          ))}
        </fieldset>
      </div>
    </fieldset>
  )
}
