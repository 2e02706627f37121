import type { SessionEvent } from '../../api/types.ts'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/**
 * The day to show above an event: where a new day starts, and at each turn that was not today. `before` is the event
 * above, `undefined` while it is not loaded, `null` if there is none.
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
