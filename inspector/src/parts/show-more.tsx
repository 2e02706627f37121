import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** The first items of a list, and a button for more of them where there are more. */
export function useShowMore<T>(items: readonly T[], first: number): { shown: readonly T[]; more: ComponentChildren } {
  const [most, setMost] = useState(first)
  const rest = items.length - most
  const step = Math.max(first, 100)
  const more = rest > 0 && (
    <button type="button" class="button small" onClick={() => setMost(most + step)}>
      Show {Math.min(rest, step).toLocaleString('en')} more of {rest.toLocaleString('en')}
    </button>
  )
  return { shown: items.slice(0, most), more }
}
