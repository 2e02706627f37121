import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { moreLabel } from './show-more.tsx'
import { visible } from './visible.ts'

/** Plain text in a box. A long text shows its start, and more on demand. */
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
        <Button look="small" text={`${moreLabel(rest, MORE)} characters`} onClick={() => setShown(shown + MORE)} />
      )}
    </>
  )
}

/** A remainder shorter than this is shown at once. */
const LITTLE = 200
/** Characters that one click shows: as many as a browser lays out without a stutter. */
const MORE = 50_000
