import { callsOf, isConversation, type SessionEvent } from '../domain/event.ts'
import { quoted, shortened } from './consult.ts'

/** Characters of the log that a model is shown at once, and that every event may have. */
const BUDGET = 60_000
const LEAST = 100
/** Characters that the number, the speaker and the mark of something left out may take. */
const AROUND = 100

/** Whether a model is shown the event: bookkeeping is not, and neither is what comes from memories already. */
export function isShown({ type, content }: SessionEvent): boolean {
  return isConversation(type) && type !== 'memory_recall' && content.trim() !== ''
}

/** What was said and done, each with its number, in 60,000 characters: short events are whole, long ones share what is left. */
export function transcriptOf(events: readonly SessionEvent[]): string {
  const shown = events.filter(isShown)
  // as they will be written: quoting makes a text of empty lines five times as long
  const lengths = shown.map(({ content }) => inset(shortened(content.trim(), BUDGET)).length)
  const limit = fairLimit(lengths, BUDGET - shown.length * AROUND)
  return shown.map((event) => entryOf(event, limit)).join('\n')
}

/** The most that each may have so that all together stay within the budget. */
function fairLimit(lengths: readonly number[], budget: number): number {
  let left = budget
  let waiting = lengths.length
  for (const length of lengths.toSorted((a, b) => a - b)) {
    const share = Math.floor(left / waiting)
    if (length > share) return Math.max(share, LEAST)
    left -= length
    waiting--
  }
  return Number.POSITIVE_INFINITY
}

function entryOf(event: SessionEvent, limit: number): string {
  const { sequence, role, content } = event
  const calls = callsOf(event).length > 0 ? ' (calls tools)' : ''
  const entry = inset(`${sequence} ${role}${calls}: ${shortened(content.trim(), limit)}`)
  return entry.slice(0, limit + AROUND - 1).toWellFormed()
}

/** Quoted, with lines after the first set in, so that no text can make up another event. */
function inset(text: string): string {
  return quoted(text).replaceAll('\n> ', '\n>   ')
}
