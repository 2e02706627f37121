import { signal } from '@preact/signals'
import { get, sessionPath } from '../api/client.ts'
import { type Problem, toProblem } from '../api/problem.ts'
import type { SessionEvent } from '../api/types.ts'

/** Events that are asked for at once. */
export const PAGE = 100
/** Pages that are kept; what was not looked at for longest goes first. */
const KEPT = 60

/**
 * The log of a session as far as somebody has looked at it. Sequences have no gaps, so an event is found by its place,
 * however long the log is.
 */
export class EventLog {
  readonly #id: string
  readonly #signal: AbortSignal
  /** By number, the one looked at last at the end. */
  readonly #pages = new Map<number, Map<number, SessionEvent>>()
  readonly #asked = new Map<number, Promise<void>>()
  /** Moves whenever there is something new to see. */
  readonly version = signal(0)
  /** What went wrong last, until something goes well. */
  readonly problem = signal<Problem | undefined>(undefined)

  /** The signal ends what it asks for. */
  constructor(id: string, signal: AbortSignal) {
    this.#id = id
    this.#signal = signal
  }

  /** The event, if it is here. */
  peek(sequence: number): SessionEvent | undefined {
    return this.#pages.get(pageOf(sequence))?.get(sequence)
  }

  /** Fetches what is missing between two sequences, both included, of a log that ends at `head`. */
  prefetch(from: number, to: number, head: number): void {
    for (let page = pageOf(Math.max(1, from)); page <= pageOf(Math.min(to, head)); page++) {
      const known = this.#pages.get(page)
      if (known !== undefined && known.size >= Math.min(PAGE, head - page * PAGE)) this.#touch(page, known)
      else void this.#fetch(page)
    }
  }

  /** The event, fetched if it has to be; `undefined` if there is none, or it cannot be had. */
  async load(sequence: number): Promise<SessionEvent | undefined> {
    if (this.peek(sequence) === undefined) await this.#fetch(pageOf(sequence))
    return this.peek(sequence)
  }

  /** Takes what came by another way. */
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

  #fetch(page: number): Promise<void> {
    const asked = this.#asked.get(page) ?? this.#ask(page).finally(() => this.#asked.delete(page))
    this.#asked.set(page, asked)
    return asked
  }

  async #ask(page: number): Promise<void> {
    try {
      const query = { after: page * PAGE, limit: PAGE }
      const { items } = await get<{ items: SessionEvent[] }>(sessionPath(this.#id, '/events'), query, this.#signal)
      this.problem.value = undefined
      this.add(items)
    } catch (error) {
      if (!this.#signal.aborted) this.problem.value = toProblem(error)
    }
  }
}

const pageOf = (sequence: number) => Math.floor((sequence - 1) / PAGE)
