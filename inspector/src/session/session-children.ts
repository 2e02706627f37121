import { signal } from '@preact/signals'
import { get } from '../api/client.ts'
import { type Problem, toProblem } from '../api/problem.ts'
import type { Page, SessionRecord } from '../api/types.ts'
import { LIMITS } from '../domain.ts'

/** Milliseconds between two reads while the parent gets new events. */
const PAUSE = 3000

/** The sessions of the sub-agents that a session called, in the order of their start. */
export class SessionChildren {
  readonly items = signal<readonly SessionRecord[]>([])
  /** Whether there are more than one page. */
  readonly hasMore = signal(false)
  readonly problem = signal<Problem | undefined>(undefined)
  readonly #id: string
  readonly #signal: AbortSignal
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Aborting the signal aborts the read. */
  constructor(id: string, signal: AbortSignal) {
    this.#id = id
    this.#signal = signal
    signal.addEventListener('abort', () => clearTimeout(this.#timer))
  }

  async load(): Promise<void> {
    try {
      const query = { parent: this.#id, limit: LIMITS.page }
      const { items, nextCursor } = await get<Page<SessionRecord>>('/sessions', query, this.#signal)
      this.items.value = items.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
      this.hasMore.value = nextCursor !== undefined
      this.problem.value = undefined
    } catch (error) {
      if (!this.#signal.aborted) this.problem.value = toProblem(error)
    }
  }

  /** Loads soon, once however often it is called until then. */
  loadSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.load()
    }, PAUSE)
  }
}
