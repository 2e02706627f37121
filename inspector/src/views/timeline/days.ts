import type { SessionEvent } from '../../api/types.ts'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/**
 * The day that stands above an event: where another day begins, and at each turn that was not today. `before` is the event above it,
 * `undefined` while it was not loaded, `null` if there is none.
 */
export function dayAbove(
  event: SessionEvent,
  before: SessionEvent | null | undefined,
  now: number,
): string | undefined {
  const here = dayOf(event.createdAt)
  if (before === null || (before !== undefined && dayOf(before.createdAt) !== here)) return here
  return event.type === 'user_message' && day.format(now) !== here ? here : undefined
}

function dayOf(iso: string): string | undefined {
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? undefined : day.format(ms)
}
