import type { ExportedEvent } from '../../api.ts'
import type { StartedParts } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import type { LineEvent } from './translate-line.ts'

/**
 * The log of one session as it grows. It numbers events and makes their ids, each from what the event is and from the id before it: they are
 * the same every time, and one id tells whether all lines up to there are the same.
 */
export class TranscriptLog {
  readonly sessionId: string
  #sequence = 0
  #at: string
  #lastId = ''

  /** @param at when it began */
  constructor(sessionId: string, at: string) {
    this.sessionId = sessionId
    this.#at = at
  }

  /** Sequence of the last event. */
  get head(): number {
    return this.#sequence
  }

  start(parts: StartedParts, occurredAt: string | undefined): ExportedEvent {
    const content = parts.task === undefined ? 'Session started' : `Session started: ${parts.task}`
    const event = { type: 'session_started', role: 'system', content, parts: parts as unknown as JsonObject } as const
    return this.#placed({ ...event, ...(occurredAt !== undefined && { occurredAt }) }, 'start')
  }

  /** @param part place among the events of the line; @param digest of the line */
  add(event: LineEvent, part: number, digest: string, at?: string): ExportedEvent {
    // times of a log never go back
    if (at !== undefined && at > this.#at) this.#at = at
    return this.#placed(event, String(event.parts['line']), String(part), digest)
  }

  #placed(event: Omit<ExportedEvent, 'id' | 'sequence' | 'createdAt'>, ...words: string[]): ExportedEvent {
    this.#sequence += 1
    this.#lastId = derivedId(this.sessionId, this.#lastId, ...words)
    return { sequence: this.#sequence, id: this.#lastId, ...event, createdAt: this.#at }
  }
}
