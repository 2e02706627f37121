import { type SessionEvent, startsTurn } from '../../domain/event.ts'
import { momentOf } from '../age.ts'
import { displayWidth } from '../display-width.ts'
import { foldedCalls } from './calls.ts'
import { eventLines, type Look } from './event-lines.ts'

/** Events that are looked at together to find the results of calls: more would not fit into memory in the worst case. */
const CHUNK = 2000
/** Columns that the line above a turn takes at most. */
const RULE = 78

/** Numbers the turns, as far as it is known how many there were before. */
export class Turns {
  #before: number | undefined

  constructor(before: number | undefined) {
    this.#before = before
  }

  /** The line above the event, if a turn begins with it. */
  above(event: SessionEvent, { width, paint }: Look): string[] {
    if (!startsTurn(event)) return []
    if (this.#before !== undefined) this.#before++
    const name = this.#before === undefined ? 'turn' : `turn ${this.#before.toLocaleString('en')}`
    const line = `── ${name}, ${momentOf(event.createdAt)} `
    return ['', paint('bold', line + '─'.repeat(Math.max(0, Math.min(RULE, width) - displayWidth(line))))]
  }
}

/** Events by turns, with each result at its call: blocks of lines, some at a time. `last` is the end of the log. */
export async function* timeline(
  pages: AsyncIterable<readonly SessionEvent[]>,
  turns: Turns,
  last: number,
  look: Look,
): AsyncGenerator<string[]> {
  let held: SessionEvent[] = []
  const drawn = () => {
    const toEnd = held.at(-1)?.sequence === last
    const lines = foldedCalls(held, toEnd).flatMap((told) => [
      ...turns.above(told.event, look),
      ...eventLines(told, look),
    ])
    held = []
    return lines
  }
  for await (const page of pages) {
    held.push(...page)
    if (held.length >= CHUNK) yield drawn()
  }
  if (held.length > 0) yield drawn()
}
