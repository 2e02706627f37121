import { useRef } from 'preact/hooks'
import { useSlashKey } from '../../parts/search-input.tsx'
import { navigate, sessionHref } from '../../route.ts'
import { idIn } from './search.ts'
import css from './toolbar.module.css'

/** Searches sessions; an id opens its session. `/` focuses the box. */
export function SearchBox({ value, onInput }: { value: string; onInput: (text: string) => void }) {
  const box = useRef<HTMLInputElement>(null)
  useSlashKey(box)
  const id = idIn(value)
  const submit = (event: Event) => {
    event.preventDefault()
    if (id !== undefined) navigate(sessionHref(id))
  }
  return (
    <search class={css.search}>
      <form class={css.form} onSubmit={submit}>
        <label class="field">
          <span>
            Search <kbd>/</kbd>
          </span>
          <input
            ref={box}
            class="input"
            type="search"
            placeholder="task, id, user, agent, conversation, metadata"
            autoComplete="off"
            spellcheck={false}
            value={value}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        </label>
        {id !== undefined && (
          <button class="button small" type="submit">
            Open session
          </button>
        )}
      </form>
    </search>
  )
}
