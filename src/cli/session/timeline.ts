import { type SessionEvent, startsTurn } from '../../domain/event.ts'
import { displayWidth } from '../display-width.ts'
import { formatUtc } from '../time-format.ts'
import { type EventStyle, formatEvent } from './event-text.ts'
import { pairToolCalls } from './tool-calls.ts'

/** Events that are looked at together to find the results of calls: more would not fit into memory in the worst case. */
const CHUNK_EVENTS = 2000
/** Columns that the line above a turn takes at most. */
const MAX_RULE_WIDTH = 78

/** Numbers the turns, as far as it is known how many there were before. */
export class TurnHeadings {
  #before: number | undefined

  constructor(before: number | undefined) {
    this.#before = before
  }

  /** The line above the event, if a turn begins with it. */
  above(event: SessionEvent, { width, paint }: EventStyle): string[] {
    if (!startsTurn(event)) return []
    if (this.#before !== undefined) this.#before++
    const name = this.#before === undefined ? 'turn' : `turn ${this.#before.toLocaleString('en')}`
    const line = `── ${name}, ${formatUtc(event.createdAt)} `
    return ['', paint('bold', line + '─'.repeat(Math.max(0, Math.min(MAX_RULE_WIDTH, width) - displayWidth(line))))]
  }
}

/** Events by turns, with each result at its call: blocks of lines, some at a time. `last` is the end of the log. */
export async function* renderTimeline(
  pages: AsyncIterable<readonly SessionEvent[]>,
  turns: TurnHeadings,
  last: number,
  look: EventStyle,
): AsyncGenerator<string[]> {
  let held: SessionEvent[] = []
  const drawn = () => {
    const toEnd = held.at(-1)?.sequence === last
    const lines = pairToolCalls(held, toEnd).flatMap((told) => [
      ...turns.above(told.event, look),
      ...formatEvent(told, look),
    ])
    held = []
    return lines
  }
  for await (const page of pages) {
    held.push(...page)
    if (held.length >= CHUNK_EVENTS) yield drawn()
  }
  if (held.length > 0) yield drawn()
}
