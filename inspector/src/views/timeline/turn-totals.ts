import type { UsageSums } from '../../api/types.ts'
import { addSums, NO_USAGE, sumsOf } from '../../domain.ts'
import type { Outline } from '../../session/outline.ts'
import { countCalls, type StepsEntry } from './grouped-rows.ts'

/** What a turn took, by the events of it that are loaded. */
export interface TurnTotals extends Pick<StepsEntry, 'tools' | 'calls' | 'failed'> {
  /** Sequence of its last event. */
  readonly to: number
  /** Milliseconds from the user's message to the last event of the agent. */
  readonly ms: number
  readonly usage: UsageSums
}

/** Events after which a turn is too long to count. */
const LONGEST = 20_000

/** Totals of turns. Equal totals are the same object. */
export class TurnTotalsCache {
  readonly #found = new Map<number, { readonly version: number; readonly totals: TurnTotals | undefined }>()

  /** Totals of the turn that starts at the event; `undefined` until all of it is loaded. */
  of(sequence: number, outline: Outline, head: number): TurnTotals | undefined {
    const before = this.#found.get(sequence)
    if (before?.version === outline.version) return before.totals
    const next = totalsOf(sequence, outline, head)
    const totals = JSON.stringify(next) === JSON.stringify(before?.totals) ? before?.totals : next
    this.#found.set(sequence, { version: outline.version, totals })
    return totals
  }
}

/** Totals of the turn that starts at the event, of a log that ends at `head`. */
export function totalsOf(sequence: number, outline: Outline, head: number): TurnTotals | undefined {
  const events = []
  for (const piece of outline.pieces(sequence, head)) {
    if (piece.kind === 'gap' || events.length > LONGEST) return undefined
    if (piece.kind === 'turn' && piece.sequence !== sequence) break
    events.push(piece)
  }
  const [start] = events
  if (start === undefined) return undefined
  const { tools, calls, failed } = countCalls(events)
  let end = start.at
  let usage = NO_USAGE
  for (const event of events) {
    if (event.usage !== undefined) usage = addSums(usage, sumsOf(event.usage))
    const isOfAgent = event.kind === 'call' || event.kind === 'result' || event.type === 'model_message'
    if (isOfAgent && event.at > end) end = event.at
  }
  return { tools, calls, failed, to: events.at(-1)?.sequence ?? sequence, ms: end - start.at || 0, usage }
}
