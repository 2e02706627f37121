import type { SessionEvent } from '../../domain/event.ts'
import { pluralize } from '../text.ts'
import type { EventDescription } from './describe-event.ts'
import type { EventWithCalls } from './tool-calls.ts'

/** Types named for a run of noise. */
const MAX_TYPES = 3

/** Whether an event is noise to a reader: a caller's own type without a text, such as the progress of a hook. */
export function isNoise({ type, content }: Pick<SessionEvent, 'type' | 'content'>): boolean {
  return type.startsWith('x.') && content === ''
}

/** Groups neighbouring events of noise; every other event is a group of its own. */
export function groupNoise(entries: readonly EventWithCalls[]): EventWithCalls[][] {
  const groups: EventWithCalls[][] = []
  let last: EventWithCalls[] = []
  for (const entry of entries) {
    const [first] = last
    if (first !== undefined && isNoise(first.event) && isNoise(entry.event)) {
      last.push(entry)
      continue
    }
    last = [entry]
    groups.push(last)
  }
  return groups
}

/** Describes a group of noise by the number of events of each type. */
export function describeNoise(group: readonly EventWithCalls[]): EventDescription {
  const counts = new Map<string, number>()
  for (const { event } of group) counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
  const types = [...counts].toSorted(([, a], [, b]) => b - a)
  const named = types.slice(0, MAX_TYPES).map(([type, count]) => `${count.toLocaleString('en')} × ${type.slice(2)}`)
  const more = types.length - named.length
  const text = [...named, ...(more > 0 ? [pluralize(more, 'other type')] : [])].join(', ')
  return { label: 'x', text: `${text}, to ${group.at(-1)?.event.sequence ?? ''}`, textStyle: 'dim' }
}
