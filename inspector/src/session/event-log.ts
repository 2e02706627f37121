import { signal } from '@preact/signals'
import { getEvents } from '../api/client.ts'
import { type Problem, toProblem } from '../api/problem.ts'
import type { SessionEvent } from '../api/types.ts'

/** Events in one read. */
export const PAGE = 100
/** Pages that are cached; the least recently used goes first. */
const KEPT = 60

/** The loaded part of a session's log. Sequences have no gaps, so an event's page follows from its sequence. */
export class EventLog {
  readonly #id: string
  readonly #signal: AbortSignal
  /** By number, the most recently used last. */
  readonly #pages = new Map<number, Map<number, SessionEvent>>()
  readonly #pending = new Map<number, Promise<void>>()
  /** Changes whenever there is something new to show. */
  readonly version = signal(0)
  /** Why the last read failed; `undefined` after one that succeeded. */
  readonly problem = signal<Problem | undefined>(undefined)

  /** Aborting the signal aborts all reads. */
  constructor(id: string, signal: AbortSignal) {
    this.#id = id
    this.#signal = signal
  }

  /** The event, if it is loaded. */
  peek(sequence: number): SessionEvent | undefined {
    return this.#pages.get(pageOf(sequence))?.get(sequence)
  }

  /** Loads missing events between two sequences, both included, of a log that ends at `head`. */
  prefetch(from: number, to: number, head: number): void {
    for (let page = pageOf(Math.max(1, from)); page <= pageOf(Math.min(to, head)); page++) {
      const known = this.#pages.get(page)
      if (known !== undefined && known.size >= Math.min(PAGE, head - page * PAGE)) this.#touch(page, known)
      else void this.#fetch(page, Math.min(head, (page + 1) * PAGE))
    }
  }

  /** The event, loaded if necessary; `undefined` if it does not exist or cannot be loaded. */
  async load(sequence: number): Promise<SessionEvent | undefined> {
    if (this.peek(sequence) === undefined) await this.#fetch(pageOf(sequence), sequence)
    return this.peek(sequence)
  }

  /** Adds events from the stream. */
  add(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const number = pageOf(event.sequence)
      const page = this.#pages.get(number) ?? new Map<number, SessionEvent>()
      page.set(event.sequence, event)
      this.#touch(number, page)
    }
    this.version.value++
  }

  /** Drops everything. */
  clear(): void {
    this.#pages.clear()
    this.version.value++
  }

  #touch(number: number, page: Map<number, SessionEvent>): void {
    this.#pages.delete(number)
    this.#pages.set(number, page)
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > KEPT && oldest !== undefined) this.#pages.delete(oldest)
  }

  #fetch(page: number, last: number): Promise<void> {
    const pending = this.#pending.get(page) ?? this.#read(page, last).finally(() => this.#pending.delete(page))
    this.#pending.set(page, pending)
    return pending
  }

  /** Loads a page at least up to the event `last`. A response with large events ends early. */
  async #read(page: number, last: number): Promise<void> {
    try {
      for (let after = page * PAGE; after < last; ) {
        const query = { after, limit: (page + 1) * PAGE - after }
        const items = await getEvents(this.#id, query, this.#signal)
        this.problem.value = undefined
        this.add(items)
        after = items.at(-1)?.sequence ?? last
      }
    } catch (error) {
      if (!this.#signal.aborted) this.problem.value = toProblem(error)
    }
  }
}

const pageOf = (sequence: number) => Math.floor((sequence - 1) / PAGE)
