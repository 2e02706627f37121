import type { SessionEvent } from '../../domain/event.ts'
import { type HiddenRanges, isSameLine } from '../../domain/rewind.ts'

/** An event with its size: the characters of its content and parts. */
export interface SizedEvent {
  readonly event: SessionEvent
  readonly size: number
}

/** The messages at the end of a session's log. Shared and never changed: copy parts before returning them. */
export interface LogEnd {
  /** When the session started: another session of the same id, after a purge, has another time. */
  readonly startedAt: string
  /** The line that it is of. */
  readonly hidden?: HiddenRanges | undefined
  /** The log is known from after `before - 1` … */
  readonly before: number
  /** … up to here. */
  readonly head: number
  readonly newestFirst: readonly SizedEvent[]
  /** The last answer of older turns, by the sequence of their request; `undefined` if there is none. */
  readonly answers: Map<number, SizedEvent | undefined>
}

/**
 * Keeps the ends of the logs that were read last, up to a number of characters. Events never change, so only what was
 * appended since must be read again. Callers check first that the session exists and that the reader may see it.
 */
export class LogCache {
  readonly #limit: number
  /** In the order of their last use. */
  readonly #ends = new Map<string, { end: LogEnd; size: number }>()
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get(sessionId: string, { startedAt, hidden }: Pick<LogEnd, 'startedAt' | 'hidden'>): LogEnd | undefined {
    const end = this.#ends.get(sessionId)?.end
    return end?.startedAt === startedAt && isSameLine(end.hidden, hidden) ? end : undefined
  }

  set(sessionId: string, end: LogEnd): void {
    this.delete(sessionId)
    let size = 0
    for (const one of end.newestFirst) size += one.size
    for (const one of end.answers.values()) size += one?.size ?? 0
    this.#ends.set(sessionId, { end, size })
    this.#size += size
    for (const [oldest] of this.#ends) {
      if (this.#size <= this.#limit) return
      this.delete(oldest)
    }
  }

  delete(sessionId: string): void {
    this.#size -= this.#ends.get(sessionId)?.size ?? 0
    this.#ends.delete(sessionId)
  }
}
