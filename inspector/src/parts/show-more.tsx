import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** `Show 20 more`, or `Show 100 of 380 more` if one click does not show all. */
export function moreLabel(rest: number, step: number): string {
  const [all, some] = [rest.toLocaleString('en'), step.toLocaleString('en')]
  return rest <= step ? `Show ${all} more` : `Show ${some} of ${all} more`
}

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
    <Button look="small" text={moreLabel(rest, step)} onClick={() => setRequested(most + step)} />
  )
  return { shown: items.slice(0, most), more }
}
