import type { ExportedEvent } from '../../api.ts'
import type { StartedParts } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import type { LineEvent } from './translate-line.ts'

/**
 * Numbers the events of one session and derives each id from the event and the previous id. Ids are the same on every
 * import, and equal ids prove that all lines up to there are equal.
 */
export class TranscriptLog {
  readonly sessionId: string
  #sequence = 0
  #at: string
  #lastId = ''

  /** @param at when the session started */
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
    return this.#placed(defined({ ...event, occurredAt }), 'start')
  }

  /** @param part index among the events of the line; @param digest hash of the line */
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
