/** A line of a file, or the problem with it. */
export interface Line {
  /** Counts from 1 and includes empty lines. */
  readonly number: number
  readonly text: string
  readonly problem?: string
}

const NEWLINE = 0x0a

/**
 * Reads lines from chunks of UTF-8. Drops lines longer than `limit` bytes. Splits at line feeds only: readline also
 * splits at U+2028, which JSON texts may contain.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  // also removes a byte order mark
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
