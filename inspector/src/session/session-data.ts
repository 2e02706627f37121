import { signal } from '@preact/signals'
import { call, sessionPath } from '../api/client.ts'
import { type Problem, toProblem } from '../api/problem.ts'
import { followEvents } from '../api/stream.ts'
import type { SessionEvent, SessionRecord } from '../api/types.ts'
import { EventLog } from './event-log.ts'
import { SessionChildren } from './session-children.ts'

/** Milliseconds for which events are collected, so that a burst is drawn once. */
const BATCH = 60
/** Milliseconds before a broken stream is reopened, at first and at most. */
const RETRY = { first: 500, most: 15_000 }

/** Whether new events arrive; `away` while the tab is hidden. */
export type Live = 'connecting' | 'live' | 'away' | 'lost'

/** The data of one session that its views share. */
export class SessionData {
  readonly id: string
  readonly record = signal<SessionRecord | undefined>(undefined)
  readonly problem = signal<Problem | undefined>(undefined)
  /** Sequence of the last known event. */
  readonly head = signal(0)
  readonly live = signal<Live>('connecting')
  readonly log: EventLog
  readonly children: SessionChildren
  readonly #listeners = new Set<(events: readonly SessionEvent[]) => void>()
  #buffer: SessionEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #stream: AbortController | undefined
  /** Aborted when the session is no longer shown. */
  readonly #closed = new AbortController()
  /** Sequence of the last event from the stream, which starts after the first record. */
  #received: number | undefined

  constructor(id: string) {
    this.id = id
    this.log = new EventLog(id, this.#closed.signal)
    this.children = new SessionChildren(id, this.#closed.signal)
  }

  /** Reads the record again, after an action or new events. */
  async refresh(): Promise<void> {
    try {
      await this.read()
    } catch (error) {
      this.#fail(toProblem(error))
    }
  }

  /** Reads the current record and shows it. Throws a {@link Problem}. */
  async read(signal: AbortSignal = this.#closed.signal): Promise<SessionRecord> {
    const record = await call<SessionRecord>(sessionPath(this.id), { signal, hasTimeout: true })
    this.problem.value = undefined
    this.#received ??= record.head
    this.head.value = Math.max(this.head.peek(), record.head)
    // responses may arrive out of order
    if (record.head >= (this.record.peek()?.head ?? 0)) this.record.value = record
    return record
  }

  /** Subscribes to new events, in order. Returns the function that unsubscribes. */
  onEvents(listener: (events: readonly SessionEvent[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads and follows the session. Returns the function that stops it for good. */
  start(): () => void {
    document.addEventListener('visibilitychange', this.#followIfVisible)
    void this.begin()
    return () => {
      document.removeEventListener('visibilitychange', this.#followIfVisible)
      this.#closed.abort()
      this.#stream?.abort()
      clearTimeout(this.#timer)
      this.#listeners.clear()
    }
  }

  /** Reads the record and follows the log from there. Called again to retry. */
  async begin(): Promise<void> {
    await this.refresh()
    if (this.record.peek() !== undefined) void this.children.load()
    this.#followIfVisible()
  }

  /** Browsers allow few connections to one server, so a hidden tab closes its own. */
  readonly #followIfVisible = (): void => {
    this.#stream?.abort()
    this.#stream = undefined
    if (this.#closed.signal.aborted || this.record.peek() === undefined) return
    if (document.visibilityState === 'hidden') this.live.value = 'away'
    else void this.#follow()
  }

  async #follow(): Promise<void> {
    this.#stream = new AbortController()
    const { signal } = this.#stream
    for (let wait = RETRY.first; !signal.aborted; wait = Math.min(wait * 2, RETRY.most)) {
      try {
        const events = await followEvents(this.id, this.#received ?? this.head.peek(), signal)
        // clears a problem of the time without a connection
        if (this.live.peek() !== 'connecting') void this.refresh()
        this.live.value = 'live'
        for await (const event of events) {
          wait = RETRY.first
          this.#enqueue(event)
        }
      } catch (error) {
        if (signal.aborted) return
        const problem = toProblem(error)
        if (problem.status === 401 || problem.status === 404) {
          this.live.value = 'lost'
          return this.#fail(problem)
        }
      }
      if (signal.aborted) return
      this.live.value = 'lost'
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }

  /** Shows the problem. A session that no longer exists disappears. */
  #fail(problem: Problem): void {
    if (this.#closed.signal.aborted) return
    this.problem.value = problem
    if (problem.status !== 404) return
    this.#stream?.abort()
    this.record.value = undefined
    this.log.clear()
  }

  #enqueue(event: SessionEvent): void {
    this.#received = event.sequence
    this.#buffer.push(event)
    this.#timer ??= setTimeout(() => this.#deliver(), BATCH)
  }

  #deliver(): void {
    this.#timer = undefined
    const events = this.#buffer
    this.#buffer = []
    this.log.add(events)
    this.head.value = Math.max(this.head.peek(), events.at(-1)?.sequence ?? 0)
    for (const listener of this.#listeners) listener(events)
    void this.refresh()
    this.children.loadSoon()
  }
}
