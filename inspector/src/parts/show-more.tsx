import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** The `first` items of a list, or at least `least`, and a button that shows more. */
export function useShowMore<T>(
  items: readonly T[],
  first: number,
  least = 0,
): { shown: readonly T[]; more: ComponentChildren } {
  const [requested, setRequested] = useState(first)
  const most = Math.max(requested, least)
  const rest = items.length - most
  const step = Math.max(first, 100)
  const more = rest > 0 && (
    <Button
      look="small"
      text={`Show ${Math.min(rest, step).toLocaleString('en')} more of ${rest.toLocaleString('en')}`}
      onClick={() => setRequested(most + step)}
    />
  )
  return { shown: items.slice(0, most), more }
}
