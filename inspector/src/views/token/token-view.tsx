import { useEffect, useRef, useState } from 'preact/hooks'
import { setToken, tokenProblem } from '../../api/token.ts'
import { visible } from '../../parts/visible.ts'

/** The server checks tokens: asks for one. It is kept for this tab alone. */
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
      <h1>This server asks for a token</h1>
      <p class="muted">
        Paste one that your issuer signed. It is kept for this tab alone, sent to this server alone, and gone when you
        close the tab. You stay at the place where you are.
      </p>
      {problem !== undefined && problem !== '' && (
        <p class="note problem" role="alert">
          It was not accepted: {visible(problem)}
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
          Look into the sessions
        </button>
      </div>
    </form>
  )
}
