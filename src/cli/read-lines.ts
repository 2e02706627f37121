/** One line of a file, or what is wrong with it. */
export interface Line {
  /** From 1, empty ones counted too. */
  readonly number: number
  readonly text: string
  readonly problem?: string
}

const NEWLINE = 0x0a

/**
 * The lines of a stream of UTF-8, whole whatever its pieces are; what is longer than `limit` bytes is not held. Only line feeds
 * end a line: readline also ends them at U+2028, which may stand in the texts of JSON.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  // takes a byte order mark away, too
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let number = 0
  let size = 0
  let parts: Uint8Array[] = []
  const hold = (part: Uint8Array) => {
    size += part.length
    if (size > limit) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const take = (): Line => {
    const bytes = Buffer.concat(parts)
    const long = size > limit
    number += 1
    size = 0
    parts = []
    if (long) return { number, text: '', problem: `is longer than ${limit.toLocaleString('en')} bytes` }
    try {
      return { number, text: decoder.decode(bytes) }
    } catch {
      return { number, text: '', problem: 'is not UTF-8' }
    }
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    hold(chunk.subarray(start))
  }
  if (size > 0) yield take()
}
