import { useState } from 'preact/hooks'
import { setQuery } from '../../route.ts'
import { EVENT_FILTERS, FILTER_NAMES, type FilterName } from './event-filters.ts'
import { eventNumber } from './event-number.ts'
import css from './timeline-view.module.css'

/** Filters of the log, and a form that goes to an event. */
export function Toolbar({ show, head, onGo }: { show: FilterName; head: number; onGo: (sequence: number) => void }) {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    const sequence = eventNumber(text, head)
    setWrong(sequence === undefined)
    if (sequence === undefined) return
    onGo(sequence)
    setText('')
  }
  return (
    <div class={css.toolbar}>
      <fieldset class={css.chips}>
        <legend class="hidden">Show</legend>
        {FILTER_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            class={css.chip}
            aria-pressed={name === show}
            title={EVENT_FILTERS[name].title}
            onClick={() => setQuery({ show: name === 'all' ? undefined : name })}
          >
            {EVENT_FILTERS[name].name}
          </button>
        ))}
      </fieldset>
      <form class={css.goto} onSubmit={submit}>
        <label class="hidden" for="go-to-event">
          Go to event
        </label>
        <input
          id="go-to-event"
          class="input small"
          inputMode="numeric"
          placeholder={`1 – ${head}`}
          value={text}
          aria-invalid={isWrong}
          aria-describedby="go-to-event-problem"
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setWrong(false)
          }}
        />
        <button type="submit" class="button small">
          Go to event
        </button>
        <span id="go-to-event-problem" class={css.wrong} aria-live="polite">
          {isWrong && `Enter a number from 1 to ${head.toLocaleString('en')}`}
        </span>
      </form>
    </div>
  )
}
