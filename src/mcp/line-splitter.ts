import { TooLargeError } from '../domain/errors.ts'

/** The longest message: as long as a request to a server may be. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

const NEWLINE = 0x0a

/** Joins chunks and splits them into lines. */
export class LineSplitter {
  #parts: Buffer[] = []
  #size = 0

  #add(part: Buffer): void {
    this.#size += part.length
    if (this.#size > MAX_MESSAGE_BYTES) {
      const actual = this.#size
      this.#takeLine()
      throw new TooLargeError({ field: 'message (bytes)', limit: MAX_MESSAGE_BYTES, actual })
    }
    if (part.length > 0) this.#parts.push(part)
  }

  #takeLine(): string {
    const text = Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#size = 0
    return text
  }

  /** Yields the lines that end in this chunk. Throws on a line that is too long; the input is unusable afterwards. */
  *split(chunk: Buffer): Generator<string> {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end))
      from = end + 1
      yield this.#takeLine()
    }
    this.#add(chunk.subarray(from))
  }
}
