import { signal } from '@preact/signals'
import { get, getEvents, sessionPath } from '../../api/client.ts'
import { type Problem, toProblem } from '../../api/problem.ts'
import type { SessionEvent, Snapshot } from '../../api/types.ts'
import type { SessionData } from '../../session/session-data.ts'

/** Milliseconds without movement before the slider requests its moment: a long log takes the server up to a second. */
export const DEBOUNCE_MS = 120
/** Cached snapshots; each may hold a scratchpad of 1 MB. */
const CACHE_SIZE = 24

/** A session after an event, and the event itself. */
export interface Moment {
  readonly snapshot: Snapshot
  readonly event: SessionEvent | undefined
}

/** Loads moments of a session. The current one stays until the next arrives; overtaken responses are dropped. */
export class SnapshotLoader {
  readonly #data: SessionData
  readonly #snapshots = new Map<number, Snapshot>()
  readonly #events = new Map<number, SessionEvent>()
  #wanted = 0
  #timer: number | undefined
  #asking: AbortController | undefined
  #isFollowing = false
  /** The last moment that arrived. */
  readonly shown = signal<Moment | undefined>(undefined)
  readonly isLoading = signal(false)
  readonly problem = signal<Problem | undefined>(undefined)

  constructor(data: SessionData) {
    this.#data = data
  }

  /**
   * Shows the moment after an event once {@link DEBOUNCE_MS} pass without another request. While following the log it
   * loads one moment after the other instead: a steady flow of events would postpone the first one forever.
   */
  request(sequence: number, isFollowing: boolean): void {
    this.#wanted = sequence
    const isLoading = this.#timer !== undefined || this.#asking !== undefined
    if (isFollowing && this.#isFollowing && isLoading) return
    this.#isFollowing = isFollowing
    this.cancel()
    this.isLoading.value = true
    const isImmediate = this.shown.peek() === undefined || this.#snapshots.has(sequence)
    this.#timer = window.setTimeout(() => void this.#ask(), isImmediate ? 0 : DEBOUNCE_MS)
  }

  /** Repeats the last request. */
  retry(): void {
    this.request(this.#wanted, false)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#asking?.abort()
    this.#timer = undefined
    this.#asking = undefined
    this.isLoading.value = false
  }

  async #ask(): Promise<void> {
    const sequence = this.#wanted
    const control = new AbortController()
    this.#timer = undefined
    this.#asking = control
    try {
      const { signal } = control
      const [snapshot, event] = await Promise.all([this.snapshot(sequence, signal), this.#event(sequence, signal)])
      if (signal.aborted) return
      this.problem.value = undefined
      this.shown.value = { snapshot, event }
    } catch (error) {
      if (control.signal.aborted) return
      this.problem.value = toProblem(error)
    }
    this.#asking = undefined
    this.isLoading.value = false
    if (this.#wanted !== sequence) this.request(this.#wanted, true)
  }

  /** Every view of the session after an event. */
  async snapshot(sequence: number, signal: AbortSignal): Promise<Snapshot> {
    const path = sessionPath(this.#data.id, `/at/${sequence}`)
    return await cached(this.#snapshots, sequence, () => get<Snapshot>(path, {}, signal))
  }

  async #event(sequence: number, signal: AbortSignal): Promise<SessionEvent | undefined> {
    const known = this.#data.log.peek(sequence) ?? this.#events.get(sequence)
    if (known !== undefined) return known
    const [event] = await getEvents(this.#data.id, { after: sequence - 1, limit: 1 }, signal)
    return event === undefined ? undefined : await cached(this.#events, sequence, () => Promise.resolve(event))
  }
}

/** Reads through a least-recently-used cache. */
async function cached<T>(store: Map<number, T>, key: number, make: () => Promise<T>): Promise<T> {
  const value = store.get(key) ?? (await make())
  store.delete(key)
  store.set(key, value)
  const [oldest] = store.keys()
  if (store.size > CACHE_SIZE && oldest !== undefined) store.delete(oldest)
  return value
}
