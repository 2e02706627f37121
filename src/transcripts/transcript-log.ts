import type { ExportedEvent } from '../api.ts'
import type { StartedParts } from '../domain/fold.ts'
import type { JsonObject } from '../domain/json.ts'
import { defined } from '../domain/optional.ts'
import { derivedId } from '../features/kernel/derived-id.ts'
import type { LineEvent } from './translate-line.ts'

/** An event, and the session it belongs to. */
export interface PlacedEvent {
  readonly sessionId: string
  readonly event: ExportedEvent
}

/** The last imported event of a session that has ended in the store. */
export interface SessionEnd {
  readonly sequence: number
  readonly eventId: string
}

/** Returns the id of the session that takes the lines after the end of another. */
export function continuationId(sessionId: string, { eventId }: SessionEnd): string {
  return derivedId(sessionId, 'continued', eventId)
}

/**
 * Numbers the events of one session and derives each id from the event and the previous id. Ids are the same on every
 * import, and equal ids prove that all lines up to there are equal. After the end of a session the numbers go on in
 * another one, see {@link continuationId}.
 */
export class TranscriptLog {
  readonly #ends: ReadonlyMap<string, SessionEnd>
  #sessionId: string
  #sequence = 0
  #at: string
  #lastId = ''
  #continues: string | undefined

  /** @param at when the session started; @param ends sessions that have ended, by id */
  constructor(sessionId: string, at: string, ends: ReadonlyMap<string, SessionEnd>) {
    this.#sessionId = sessionId
    this.#at = at
    this.#ends = ends
  }

  /** Prepares for the next event; returns whether its session needs a `session_started` before it. */
  needsStart(): boolean {
    this.#continueAfterEnd()
    return this.#sequence === 0
  }

  /** The session that the current one continues. */
  get continues(): string | undefined {
    return this.#continues
  }

  /** @param at time of the first line */
  start(parts: StartedParts, occurredAt: string | undefined, at?: string): PlacedEvent {
    this.#moveTo(at)
    const content = parts.task === undefined ? 'Session started' : `Session started: ${parts.task}`
    const event = { type: 'session_started', role: 'system', content, parts: parts as unknown as JsonObject } as const
    return this.#placed(defined({ ...event, occurredAt }), 'start')
  }

  /** @param part index among the events of the line; @param digest hash of the line */
  add(event: LineEvent, part: number, digest: string, at?: string): PlacedEvent {
    this.#moveTo(at)
    return this.#placed(event, String(event.parts['line']), String(part), digest)
  }

  /** Times of a log never go back. */
  #moveTo(at: string | undefined): void {
    if (at !== undefined && at > this.#at) this.#at = at
  }

  /** The ids prove that the session ended after the same lines. */
  #continueAfterEnd(): void {
    const end = this.#ends.get(this.#sessionId)
    if (end === undefined || end.sequence !== this.#sequence || end.eventId !== this.#lastId) return
    this.#continues = this.#sessionId
    this.#sessionId = continuationId(this.#sessionId, end)
    this.#sequence = 0
  }

  #placed(event: Omit<ExportedEvent, 'id' | 'sequence' | 'createdAt'>, ...words: string[]): PlacedEvent {
    this.#sequence += 1
    this.#lastId = derivedId(this.#sessionId, this.#lastId, ...words)
    const placed = { sequence: this.#sequence, id: this.#lastId, ...event, createdAt: this.#at }
    return { sessionId: this.#sessionId, event: placed }
  }
}
