import type { FileHandle } from 'node:fs/promises'
import { encodePiece, PIECE_BYTES, wholeCharacters } from './raw-source.ts'

/** A place in a file, at the beginning of a line. */
export interface LinePosition {
  readonly start: number
  /** Of the line that begins there, from 1. */
  readonly number: number
}

/** A line of a file. */
export interface Line extends LinePosition {
  /** Where its bytes end, without the line feed. */
  readonly end: number
  /** Absent if there are more than were to be held. */
  readonly bytes?: Buffer
  /** A line feed follows. Otherwise it may be in the midst of being written. */
  readonly isEnded: boolean
}

const NEWLINE = 0x0a
const CHUNK = 1024 * 1024
const BYTE_ORDER_MARK = Buffer.from('\u{feff}')

/** The lines from a place up to a byte of the file; of those longer than `longest` bytes only where they are. */
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

/** The byte order mark that some editors put at the beginning of a file is none of its text. */
function withoutByteOrderMark(line: Line): Line {
  const { start, bytes } = line
  if (start !== 0 || bytes?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) !== true) return line
  return { ...line, start: BYTE_ORDER_MARK.length, bytes: bytes.subarray(BYTE_ORDER_MARK.length) }
}

/** A line in pieces, however long it is. */
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

/** As many bytes as were asked for. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new Error('it was cut short while it was read')
    filled += bytesRead
  }
  return buffer
}
