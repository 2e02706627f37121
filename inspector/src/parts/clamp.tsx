import { useState } from 'preact/hooks'
import { visible } from './visible.ts'

/** Text as it was written, in a box; of a long one the beginning, and the rest when it is asked for. */
export function Clamp({ text, most = 2000, class: name = 'plain' }: { text: string; most?: number; class?: string }) {
  const [shown, setShown] = useState(most)
  const end = text.length - shown < LITTLE ? text.length : shown
  const rest = text.length - end
  return (
    <>
      <pre class={name} dir="auto">
        {visible(text.slice(0, end))}
      </pre>
      {rest > 0 && (
        <button type="button" class="button small" onClick={() => setShown(shown + MORE)}>
          Show {Math.min(rest, MORE).toLocaleString('en')} more of {rest.toLocaleString('en')} characters
        </button>
      )}
    </>
  )
}

/** What is less than this is not worth a click. */
const LITTLE = 200
/** Characters that one more click shows: what a browser lays out without a stutter. */
const MORE = 50_000
