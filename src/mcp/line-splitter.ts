import { TooLargeError } from '../domain/errors.ts'

/** Bytes of the longest message: as many as a server takes in one request. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

const NEWLINE = 0x0a

/** Puts lines together from what comes in. */
export class LineSplitter {
  #begun: Buffer[] = []
  #size = 0

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > MAX_MESSAGE_BYTES) {
      const actual = this.#size
      this.#whole()
      throw new TooLargeError({ field: 'message (bytes)', limit: MAX_MESSAGE_BYTES, actual })
    }
    if (part.length > 0) this.#begun.push(part)
  }

  #whole(): string {
    const text = Buffer.concat(this.#begun).toString('utf8')
    this.#begun = []
    this.#size = 0
    return text
  }

  /** The lines that end in this piece. Throws where one is too long: the next begins nobody knows where. */
  *split(piece: Buffer): Generator<string> {
    let from = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, end))
      from = end + 1
      yield this.#whole()
    }
    this.#keep(piece.subarray(from))
  }
}
