import { randomHex } from '../../parts/random-hex.ts'

/**
 * Keys for writes that may be sent again. The same write has the same key until it succeeds, so a lost response does
 * not make it happen twice. Every other write has a new key.
 */
export class IdempotencyKeys {
  readonly #newKey: () => string
  readonly #open = new Map<string, Attempt>()

  constructor(newKey = () => `inspector ${randomHex(16)}`) {
    this.#newKey = newKey
  }

  /** The attempt to send this body to this path: the earlier one, or a new one at `head`, the end of the log. */
  keyFor(path: string, body: unknown, head: number): Attempt {
    const text = JSON.stringify(body)
    const before = this.#open.get(path)
    if (before?.body === text) return before
    const attempt = { body: text, key: this.#newKey(), since: head }
    this.#open.set(path, attempt)
    return attempt
  }

  /** Ends an attempt: it succeeded, or the session has moved on. */
  done(path: string): void {
    this.#open.delete(path)
  }
}

/** A write that was sent and may not have arrived. */
export interface Attempt {
  readonly body: string
  readonly key: string
  /** End of the log when it was first sent. */
  readonly since: number
}
