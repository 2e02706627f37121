import { signal } from '@preact/signals'
import { get, ofSession } from '../api/client.ts'
import { type Problem, problemOf } from '../api/problem.ts'
import { follow } from '../api/stream.ts'
import type { SessionEvent, SessionRecord } from '../api/types.ts'
import { EventLog } from './event-log.ts'

/** Milliseconds in which events that arrive are gathered, so that a burst of them is drawn once. */
const GATHER = 60
/** Milliseconds before a stream that broke is opened again, at first and at most. */
const RETRY = { first: 500, most: 15_000 }

/** Whether new events arrive: `away` while nobody looks at the tab. */
export type Live = 'connecting' | 'live' | 'away' | 'lost'

/** One session, as its views share it. */
export class SessionData {
  readonly id: string
  readonly record = signal<SessionRecord | undefined>(undefined)
  readonly problem = signal<Problem | undefined>(undefined)
  /** Sequence of the last event that is known of. */
  readonly head = signal(0)
  readonly live = signal<Live>('connecting')
  readonly log: EventLog
  readonly #listeners = new Set<(events: readonly SessionEvent[]) => void>()
  #gathered: SessionEvent[] = []
  #timer: number | undefined
  #stream: AbortController | undefined

  constructor(id: string) {
    this.id = id
    this.log = new EventLog(id)
  }

  /** Reads the record anew: after an action, or when something has happened. */
  async refresh(): Promise<void> {
    try {
      const record = await get<SessionRecord>(ofSession(this.id))
      this.problem.value = undefined
      this.record.value = record
      this.head.value = Math.max(this.head.peek(), record.head)
    } catch (error) {
      this.problem.value = problemOf(error)
    }
  }

  /** Calls back with what arrives from now on, in order. Returns the function that ends it. */
  onEvents(listener: (events: readonly SessionEvent[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the record and follows the log. Returns the function that ends it. */
  start(): () => void {
    // browsers allow few connections to one server: a tab that nobody sees gives its own back
    const look = () => {
      this.#stream?.abort()
      this.#stream = undefined
      if (document.visibilityState === 'hidden') this.live.value = 'away'
      else this.#follow()
    }
    void this.refresh().then(look)
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      this.#stream?.abort()
      clearTimeout(this.#timer)
      this.#listeners.clear()
    }
  }

  #follow(): void {
    if (this.record.peek() === undefined) return
    this.#stream = new AbortController()
    void this.#keepFollowing(this.#stream.signal)
  }

  async #keepFollowing(signal: AbortSignal): Promise<void> {
    for (let wait = RETRY.first; !signal.aborted; wait = Math.min(wait * 2, RETRY.most)) {
      try {
        this.live.value = 'live'
        for await (const event of follow(this.id, this.#last(), signal)) {
          wait = RETRY.first
          this.#gather(event)
        }
      } catch (error) {
        if (signal.aborted) return
        const problem = problemOf(error)
        if (problem.status === 401 || problem.status === 404) {
          this.problem.value = problem
          this.live.value = 'lost'
          return
        }
      }
      if (signal.aborted) return
      this.live.value = 'lost'
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }

  #last(): number {
    return this.#gathered.at(-1)?.sequence ?? this.head.peek()
  }

  #gather(event: SessionEvent): void {
    this.#gathered.push(event)
    this.#timer ??= window.setTimeout(() => this.#deliver(), GATHER)
  }

  #deliver(): void {
    this.#timer = undefined
    const events = this.#gathered
    this.#gathered = []
    this.log.add(events)
    this.head.value = events.at(-1)?.sequence ?? this.head.peek()
    for (const listener of this.#listeners) listener(events)
    void this.refresh()
  }
}
