import type { SessionEvent } from '../api/types.ts'
import { type EventFacts, factsOf } from './event-facts.ts'

/** Events of one page. */
export const PAGE = 100

/** The number of the page that holds an event. */
export const pageOf = (sequence: number) => Math.floor((sequence - 1) / PAGE)

/** A piece of the log: known events one by one, unknown ones as ranges that end with their page. */
export type OutlinePiece = EventFacts | { readonly kind: 'gap'; readonly from: number; readonly to: number }

/** Facts about every event that was ever loaded. */
export class Outline {
  readonly #pages = new Map<number, (EventFacts | undefined)[]>()
  /** Changes with every addition. */
  version = 0

  add(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const number = pageOf(event.sequence)
      const page = this.#pages.get(number) ?? []
      page[(event.sequence - 1) % PAGE] ??= factsOf(event)
      this.#pages.set(number, page)
    }
    this.version++
  }

  clear(): void {
    this.#pages.clear()
    this.version++
  }

  at(sequence: number): EventFacts | undefined {
    return this.#pages.get(pageOf(sequence))?.[(sequence - 1) % PAGE]
  }

  /** The log between two sequences, both included. */
  *pieces(from: number, to: number): Generator<OutlinePiece> {
    for (let sequence = from; sequence <= to; ) {
      const end = Math.min(to, (pageOf(sequence) + 1) * PAGE)
      const page = this.#pages.get(pageOf(sequence))
      if (page === undefined) {
        yield { kind: 'gap', from: sequence, to: end }
        sequence = end + 1
        continue
      }
      while (sequence <= end) {
        const facts = page[(sequence - 1) % PAGE]
        if (facts !== undefined) {
          yield facts
          sequence++
          continue
        }
        const first = sequence++
        while (sequence <= end && page[(sequence - 1) % PAGE] === undefined) sequence++
        yield { kind: 'gap', from: first, to: sequence - 1 }
      }
    }
  }
}
