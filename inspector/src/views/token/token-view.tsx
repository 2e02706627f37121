import { useEffect, useRef, useState } from 'preact/hooks'
import { setToken, tokenProblem } from '../../api/token.ts'
import { visible } from '../../parts/visible.ts'

/** Asks for a token, which is kept for this tab only. */
export function TokenView() {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const problem = tokenProblem.value
  useEffect(() => field.current?.focus(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== '') setToken(text)
  }
  return (
    <form class="card narrow stack" onSubmit={submit}>
      <h1>This server requires a token</h1>
      <p class="muted">
        Paste a token signed by your issuer. It is kept in this tab only, sent to this server only, and deleted when you
        close the tab.
      </p>
      {problem !== undefined && problem !== '' && (
        <p class="note problem" role="alert">
          Token rejected: {visible(problem)}
        </p>
      )}
      <label class="field">
        <span>Token</span>
        <input
          ref={field}
          class="input mono"
          type="password"
          autoComplete="off"
          spellcheck={false}
          required
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div>
        <button class="button primary" type="submit">
          Continue
        </button>
      </div>
    </form>
  )
}
