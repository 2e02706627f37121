import type { NumberedEvent } from './line-events.ts'
import type { UsageParts } from './usage.ts'

/** A file that was not written for this long has no more usage of its last response. */
export const QUIET_MS = 60_000

/** Maximum events to hold. */
const MAX_HELD = 200

/**
 * Adds the usage of a response, which follows it in a line of its own, to the last event of the response that can carry
 * it. Holds that event, and those after it, until the usage comes or the response is over.
 */
export class LateUsage {
  #held: NumberedEvent[] = []
  /** Usage that came before an event that can carry it. */
  #early: UsageParts | undefined

  /** Whether events are held. */
  get isHolding(): boolean {
    return this.#held.length > 0
  }

  /** Adds an event and returns those that are ready. */
  add(event: NumberedEvent): NumberedEvent[] {
    const { type } = event.event
    if (type === 'model_message' || type === 'tool_call') {
      const ready = this.end()
      if (this.#early === undefined) this.#held = [event]
      else ready.push(withUsage(event, this.#early))
      this.#early = undefined
      return ready
    }
    const [first, ...others] = this.#held
    if (event.usage !== undefined) {
      this.#held = []
      if (first !== undefined) return [withUsage(first, event.usage), ...others, event]
      this.#early = event.usage
      return [event]
    }
    if (first === undefined) return [event]
    this.#held.push(event)
    return event.endsResponse === true || this.#held.length > MAX_HELD ? this.end() : []
  }

  /** Returns all events: their usage will not come. */
  end(): NumberedEvent[] {
    const ready = this.#held
    this.#held = []
    return ready
  }
}

function withUsage(numbered: NumberedEvent, usage: UsageParts): NumberedEvent {
  const { event } = numbered
  return { ...numbered, event: { ...event, parts: { ...event.parts, usage } } }
}
