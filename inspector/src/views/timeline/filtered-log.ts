import { signal } from '@preact/signals'
import { get, sessionPath } from '../../api/client.ts'
import { type Problem, toProblem } from '../../api/problem.ts'
import type { SessionEvent } from '../../api/types.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { EventFilter } from './event-filters.ts'

/** Events that are asked for at once, and on the way back to one. */
const PAGE = 200
const LARGE = 500
/** Pages that one look back reads at most, and one that goes back to an event. */
const PAGES = 5
const WAY = 20
/** Events after which a look back is content. */
const ENOUGH = 60
/** Events that are kept; then it goes no further back. */
const MOST = 20_000

/** Events of one kind, from the end of the log back as far as somebody has looked, and each new one. */
export class FilteredLog {
  readonly #data: SessionData
  readonly #kind: EventFilter
  #arrived: SessionEvent[] = []
  #found = 0
  #control = new AbortController()
  /** Oldest first. */
  readonly events = signal<readonly SessionEvent[]>([])
  /** The first event that was looked at; 1 when all were. */
  readonly from = signal(Number.POSITIVE_INFINITY)
  readonly isLoading = signal(false)
  /** Whether the first look is over. */
  readonly isReady = signal(false)
  readonly problem = signal<Problem | undefined>(undefined)

  constructor(data: SessionData, kind: EventFilter) {
    this.#data = data
    this.#kind = kind
  }

  /** Reads the end of the log, back to that event if it is not too far, and follows it. Returns the function that ends it. */
  start(event?: number): () => void {
    this.#control = new AbortController()
    const stop = this.#data.onEvents((events) => this.#take(events.filter(this.#kind.isShown)))
    void this.#lookBack(event)
    return () => {
      stop()
      this.#control.abort()
    }
  }

  /** Whether it can look further back. */
  get hasMore(): boolean {
    return this.from.value > 1 && !this.isFull
  }

  get isFull(): boolean {
    return this.events.value.length >= MOST
  }

  /** The same, unless the last look found nothing, or too much would have to be read: then somebody has to ask for it. */
  async moreByItself(): Promise<void> {
    if (this.#kind.types !== undefined && this.#found > 0 && this.problem.peek() === undefined) await this.more()
  }

  /** Looks further back, until it has found enough or has read a few pages. */
  async more(): Promise<void> {
    await this.#lookBack()
  }

  async #lookBack(event?: number): Promise<void> {
    if (this.isLoading.peek() || !this.hasMore) return
    this.isLoading.value = true
    const { signal } = this.#control
    try {
      this.#found = 0
      const isEnough = () => (event === undefined ? this.#found >= ENOUGH : this.from.peek() <= event)
      const pages = event === undefined ? PAGES : WAY
      for (let page = 0; page < pages && !isEnough() && this.from.peek() > 1; page++) {
        this.#found += await this.#page(event === undefined ? PAGE : LARGE, signal)
      }
      this.problem.value = undefined
    } catch (error) {
      if (!signal.aborted) this.problem.value = toProblem(error)
    } finally {
      this.isLoading.value = false
      this.isReady.value = true
    }
  }

  async #page(limit: number, signal: AbortSignal): Promise<number> {
    const before = this.from.peek()
    const { types, isShown } = this.#kind
    const query = { types, order: 'desc', limit, before: Number.isFinite(before) ? before : undefined }
    const { items } = await get<{ items: SessionEvent[] }>(sessionPath(this.#data.id, '/events'), query, signal)
    const shown = items.filter(isShown).reverse()
    this.events.value = [...shown, ...this.events.peek()]
    this.from.value = items.length < limit ? 1 : (items.at(-1)?.sequence ?? 1)
    this.#take([])
    return shown.length
  }

  /** The stream may begin before what was read: an event is there once. */
  #take(events: readonly SessionEvent[]): void {
    this.#arrived.push(...events)
    if (!Number.isFinite(this.from.peek())) return
    const last = this.events.peek().at(-1)?.sequence ?? 0
    const fresh = this.#arrived.filter(({ sequence }) => sequence > last)
    this.#arrived = []
    if (fresh.length > 0) this.events.value = [...this.events.peek(), ...fresh]
  }
}
