import { randomHex } from '../../parts/random-hex.ts'

/**
 * Keys for writes that may have to be sent again. What is sent again unchanged has the same key until it went well, so that
 * an answer which got lost on the way does not make it happen twice. Anything else has a key of its own.
 */
export class IdempotencyKeys {
  readonly #newKey: () => string
  readonly #open = new Map<string, Attempt>()

  constructor(newKey = () => `inspector ${randomHex(16)}`) {
    this.#newKey = newKey
  }

  /** The key to send this body to this path with, now that the log ends at `head`; and where it ended when that was first tried. */
  keyFor(path: string, body: unknown, head: number): Attempt {
    const text = JSON.stringify(body)
    const before = this.#open.get(path)
    if (before?.body === text) return before
    const attempt = { body: text, key: this.#newKey(), since: head }
    this.#open.set(path, attempt)
    return attempt
  }

  /** It went well, or the session has moved on: the same again is another wish. */
  done(path: string): void {
    this.#open.delete(path)
  }
}

/** Something that was sent, and may not have arrived. */
export interface Attempt {
  readonly body: string
  readonly key: string
  /** The end of the log before it. */
  readonly since: number
}
