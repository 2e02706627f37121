/**
 * Keys for writes that may have to be sent again. What is sent again unchanged has the same key until it went well, so that
 * an answer which got lost on the way does not make it happen twice. Anything else has a key of its own.
 */
export class Attempts {
  readonly #newKey: () => string
  readonly #open = new Map<string, { readonly body: string; readonly key: string }>()

  constructor(newKey: () => string = randomKey) {
    this.#newKey = newKey
  }

  /** The key to send this body to this path with. */
  keyFor(path: string, body: unknown): string {
    const text = JSON.stringify(body)
    const before = this.#open.get(path)
    if (before?.body === text) return before.key
    const key = this.#newKey()
    this.#open.set(path, { body: text, key })
    return key
  }

  /** It went well: the same again is another wish. */
  done(path: string): void {
    this.#open.delete(path)
  }
}

/** Not `crypto.randomUUID()`: a page that came by plain HTTP from another machine has none. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `inspector ${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
