import { type SessionEvent, startsTurn } from '../../domain/event.ts'
import { formatUtc } from '../time-format.ts'
import { type EventStyle, formatGroup } from './event-text.ts'
import { groupNoise } from './noise.ts'
import { pairToolCalls } from './tool-calls.ts'

/** Events searched together for the results of calls; bounds memory in the worst case. */
const CHUNK_EVENTS = 2000
const MAX_RULE_WIDTH = 78

/** Numbers the turns if the number of earlier turns is known. */
export class TurnHeadings {
  #before: number | undefined

  constructor(before: number | undefined) {
    this.#before = before
  }

  /** The heading above the event, if it starts a turn. */
  above(event: SessionEvent, { width, paint }: EventStyle): string[] {
    if (!startsTurn(event)) return []
    if (this.#before !== undefined) this.#before++
    const name = this.#before === undefined ? 'turn' : `turn ${this.#before.toLocaleString('en')}`
    const line = `── ${name}, ${formatUtc(event.createdAt)} `
    return ['', paint('bold', line + '─'.repeat(Math.max(0, Math.min(MAX_RULE_WIDTH, width) - line.length)))]
  }
}

/** Renders events by turn, with results at their calls, in blocks of lines. `last` is the end of the log. */
export async function* renderTimeline(
  pages: AsyncIterable<readonly SessionEvent[]>,
  turns: TurnHeadings,
  last: number,
  style: EventStyle,
): AsyncGenerator<string[]> {
  let held: SessionEvent[] = []
  const render = () => {
    const toEnd = held.at(-1)?.sequence === last
    const lines = groupNoise(pairToolCalls(held, toEnd)).flatMap((group) => [
      ...group.flatMap(({ event }) => turns.above(event, style)),
      ...formatGroup(group, style),
    ])
    held = []
    return lines
  }
  for await (const page of pages) {
    held.push(...page)
    if (held.length >= CHUNK_EVENTS) yield render()
  }
  if (held.length > 0) yield render()
}
