import { isConversationType, type SessionEvent, toolCallsOf } from '../domain/event.ts'
import { quoteLines, truncateMiddle } from './ask.ts'

/** Maximum characters of a transcript, and minimum per event. */
const BUDGET = 60_000
const MIN_PER_EVENT = 100
/** Characters for the number, the speaker and an omission mark. */
const OVERHEAD = 100

/** Whether the transcript includes the event: no bookkeeping and no recalled memories. */
export function isInTranscript({ type, content }: SessionEvent): boolean {
  return isConversationType(type) && type !== 'memory_recall' && content.trim() !== ''
}

/** Formats events with their numbers in 60,000 characters: short events stay whole, long ones share the rest. */
export function formatTranscript(events: readonly SessionEvent[]): string {
  const shown = events.filter(isInTranscript)
  // measures the quoted text: quoting makes a text of empty lines five times as long
  const lengths = shown.map(({ content }) => quoteIndented(truncateMiddle(content.trim(), BUDGET)).length)
  const limit = fairLimit(lengths, BUDGET - shown.length * OVERHEAD)
  return shown.map((event) => formatEntry(event, limit)).join('\n')
}

/** Returns the limit per event that keeps the total within the budget. */
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

/** Quotes and indents lines after the first, so that no text can fake another event. */
function quoteIndented(text: string): string {
  return quoteLines(text).replaceAll('\n> ', '\n>   ')
}
