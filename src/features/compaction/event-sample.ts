import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'

/** Events that a summarizer gets: the first and the last ones, since a log may not fit into memory. */
const FIRST = 50
const LAST = 1000
/** Characters of the first and of the last events. */
const MOST = LIMITS.windowSize / 2

/** The first and the last events of those added. A single last event may be larger than its share. */
export class EventSample {
  readonly #first: SessionEvent[] = []
  readonly #last: { event: SessionEvent; size: number }[] = []
  #firstSize = 0
  #lastSize = 0

  /** `size` is the number of characters of the stored event. */
  add(event: SessionEvent, size: number): void {
    const isFirst = this.#last.length === 0 && this.#first.length < FIRST && this.#firstSize + size <= MOST
    if (isFirst) {
      this.#first.push(event)
      this.#firstSize += size
      return
    }
    this.#last.push({ event, size })
    this.#lastSize += size
    while (this.#last.length > 1 && (this.#last.length > LAST || this.#lastSize > MOST)) {
      this.#lastSize -= this.#last.shift()?.size ?? 0
    }
  }

  get events(): SessionEvent[] {
    return [...this.#first, ...this.#last.map(({ event }) => event)]
  }
}
