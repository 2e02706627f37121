import type { SessionEvent } from '../../api/types.ts'

/** Returns an event if it is loaded. */
export type Peek = (sequence: number) => SessionEvent | undefined

/** Most events that are counted from a known turn number to an unknown one. */
const FAR = 2000

/**
 * Numbers of turns. A turn starts at each user message; its number follows from any event whose number is known, if all
 * events between are loaded.
 */
export class TurnNumbers {
  /** Number of turns so far, by sequence. */
  readonly #known = new Map([[0, 0]])

  /** Stores how many turns had started when the event was written. */
  note(sequence: number, turns: number): void {
    this.#known.set(sequence, turns)
  }

  /** The number of the turn that starts at the event; `undefined` while unknown. */
  at(sequence: number, peek: Peek): number | undefined {
    const known = this.#known.get(sequence)
    if (known !== undefined) return known
    const found = this.#fromBefore(sequence, peek) ?? this.#fromAfter(sequence, peek)
    if (found !== undefined) this.note(sequence, found)
    return found
  }

  #fromBefore(sequence: number, peek: Peek): number | undefined {
    let started = 0
    for (let place = sequence; place >= Math.max(0, sequence - FAR); place--) {
      const known = this.#known.get(place)
      if (known !== undefined) return known + started
      const event = peek(place)
      if (event === undefined) return undefined
      if (event.type === 'user_message') started++
    }
    return undefined
  }

  #fromAfter(sequence: number, peek: Peek): number | undefined {
    let started = 0
    for (let place = sequence + 1; place <= sequence + FAR; place++) {
      const event = peek(place)
      if (event === undefined) return undefined
      if (event.type === 'user_message') started++
      const known = this.#known.get(place)
      if (known !== undefined) return known - started
    }
    return undefined
  }
}
