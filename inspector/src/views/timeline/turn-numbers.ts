import type { SessionEvent } from '../../api/types.ts'

/** An event of the log, if it was loaded. */
export type Peek = (sequence: number) => SessionEvent | undefined

/** Events that are looked at to get from a number that is known to one that is not. */
const FAR = 2000

/**
 * Numbers of turns. A turn begins at each user message; its number follows from any place in the log where the turns so far are known, if
 * all that lies between was loaded.
 */
export class TurnNumbers {
  /** Turns so far, by sequence. */
  readonly #known = new Map([[0, 0]])

  /** That so many turns had begun when the event was written. */
  note(sequence: number, turns: number): void {
    this.#known.set(sequence, turns)
  }

  /** The number of the turn that begins at the event; `undefined` while it cannot be told. */
  at(sequence: number, peek: Peek): number | undefined {
    const known = this.#known.get(sequence)
    if (known !== undefined) return known
    const found = this.#fromBefore(sequence, peek) ?? this.#fromBehind(sequence, peek)
    if (found !== undefined) this.note(sequence, found)
    return found
  }

  #fromBefore(sequence: number, peek: Peek): number | undefined {
    let begun = 0
    for (let place = sequence; place >= Math.max(0, sequence - FAR); place--) {
      const known = this.#known.get(place)
      if (known !== undefined) return known + begun
      const event = peek(place)
      if (event === undefined) return undefined
      if (event.type === 'user_message') begun++
    }
    return undefined
  }

  #fromBehind(sequence: number, peek: Peek): number | undefined {
    let begun = 0
    for (let place = sequence + 1; place <= sequence + FAR; place++) {
      const event = peek(place)
      if (event === undefined) return undefined
      if (event.type === 'user_message') begun++
      const known = this.#known.get(place)
      if (known !== undefined) return known - begun
    }
    return undefined
  }
}
