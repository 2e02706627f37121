import type { FileHandle } from 'node:fs/promises'
import { encodePiece, PIECE_BYTES, wholeCharacters } from './raw-source.ts'

/** The start of a line in a file. */
export interface LinePosition {
  readonly start: number
  /** Line number, from 1. */
  readonly number: number
}

/** A line of a file. */
export interface Line extends LinePosition {
  /** End of its bytes, without the line feed. */
  readonly end: number
  /** Absent if the line is longer than the limit. */
  readonly bytes?: Buffer
  /** A line feed follows. Otherwise the line may still be being written. */
  readonly isEnded: boolean
}

const NEWLINE = 0x0a
const CHUNK = 1024 * 1024
const BYTE_ORDER_MARK = Buffer.from('\u{feff}')

/** Yields the lines between two positions; lines longer than `longest` bytes come without bytes. */
export async function* readLines(
  file: FileHandle,
  from: LinePosition,
  end: number,
  longest: number,
): AsyncGenerator<Line, undefined> {
  let { start, number } = from
  let size = 0
  let held: Buffer[] = []
  const hold = (piece: Buffer) => {
    size += piece.length
    if (size > longest) held = []
    else if (piece.length > 0) held.push(piece)
  }
  const take = (isEnded: boolean): Line => {
    const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
    const line = { start, number, end: start + size, isEnded, ...(size <= longest && { bytes }) }
    start += size + 1
    number += 1
    size = 0
    held = []
    return withoutByteOrderMark(line)
  }

  for (let position = start; position < end; ) {
    const chunk = await readAt(file, position, Math.min(CHUNK, end - position))
    position += chunk.length
    let next = 0
    for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, next)) {
      hold(chunk.subarray(next, stop))
      yield take(true)
      next = stop + 1
    }
    hold(chunk.subarray(next))
  }
  if (size > 0) yield take(false)
  return undefined
}

/** Skips the byte order mark that some editors write at the start of a file. */
function withoutByteOrderMark(line: Line): Line {
  const { start, bytes } = line
  if (start !== 0 || bytes?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) !== true) return line
  return { ...line, start: BYTE_ORDER_MARK.length, bytes: bytes.subarray(BYTE_ORDER_MARK.length) }
}

/** Yields a line of any length in pieces. */
export async function* readPieces(
  file: FileHandle,
  { start, end }: Line,
): AsyncGenerator<ReturnType<typeof encodePiece>> {
  for (let position = start; position < end; ) {
    const bytes = await readAt(file, position, Math.min(PIECE_BYTES + 4, end - position))
    const size = wholeCharacters(bytes, PIECE_BYTES)
    yield encodePiece(bytes.subarray(0, size))
    position += size
  }
}

/** Reads exactly `length` bytes. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new Error('the file was truncated while it was read')
    filled += bytesRead
  }
  return buffer
}
