import { isConversationType, type SessionEvent, toolCallsOf } from '../domain/event.ts'
import { quoteLines, truncateMiddle } from './ask.ts'

/** Characters of the log that a model is shown at once, and that every event may have. */
const BUDGET = 60_000
const MIN_PER_EVENT = 100
/** Characters that the number, the speaker and the mark of something left out may take. */
const OVERHEAD = 100

/** Whether a model is shown the event: bookkeeping is not, and neither is what comes from memories already. */
export function isInTranscript({ type, content }: SessionEvent): boolean {
  return isConversationType(type) && type !== 'memory_recall' && content.trim() !== ''
}

/** What was said and done, each with its number, in 60,000 characters: short events are whole, long ones share what is left. */
export function formatTranscript(events: readonly SessionEvent[]): string {
  const shown = events.filter(isInTranscript)
  // as they will be written: quoting makes a text of empty lines five times as long
  const lengths = shown.map(({ content }) => quoteIndented(truncateMiddle(content.trim(), BUDGET)).length)
  const limit = fairLimit(lengths, BUDGET - shown.length * OVERHEAD)
  return shown.map((event) => formatEntry(event, limit)).join('\n')
}

/** The most that each may have so that all together stay within the budget. */
function fairLimit(lengths: readonly number[], budget: number): number {
  let left = budget
  let waiting = lengths.length
  for (const length of lengths.toSorted((a, b) => a - b)) {
    const share = Math.floor(left / waiting)
    if (length > share) return Math.max(share, MIN_PER_EVENT)
    left -= length
    waiting--
  }
  return Number.POSITIVE_INFINITY
}

function formatEntry(event: SessionEvent, limit: number): string {
  const { sequence, role, content } = event
  const calls = toolCallsOf(event).length > 0 ? ' (calls tools)' : ''
  const entry = quoteIndented(`${sequence} ${role}${calls}: ${truncateMiddle(content.trim(), limit)}`)
  return entry.slice(0, limit + OVERHEAD - 1).toWellFormed()
}

/** Quoted, with lines after the first set in, so that no text can make up another event. */
function quoteIndented(text: string): string {
  return quoteLines(text).replaceAll('\n> ', '\n>   ')
}
