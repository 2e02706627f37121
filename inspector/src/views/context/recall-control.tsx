import type { QueryText } from '../../parts/use-query-text.ts'
import { setQuery } from '../../route.ts'
import css from './context.module.css'

/** Turns recall from other sessions and memories on, with an optional query. */
export function RecallControl({ isOn, text: [text, setText] }: { isOn: boolean; text: QueryText }) {
  return (
    <fieldset>
      <legend>Recall</legend>
      <div class={`row ${css.recall}`}>
        <label class="check">
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ currentTarget }) => setQuery({ recall: currentTarget.checked ? 'yes' : undefined })}
          />
          <span>Include other sessions and memories</span>
        </label>
        {isOn && (
          <input
            class="input"
            type="search"
            dir="auto"
            maxLength={2000}
            aria-label="What to recall"
            placeholder="Default: the last message"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </div>
    </fieldset>
  )
}
