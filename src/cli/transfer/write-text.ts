import { createWriteStream } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ThroughlineError, ValidationError } from '../../domain/errors.ts'

/** Characters of one write: a call of the system for each line took longer than the export. */
const PIECE = 256 * 1024

/** Writes lines to stdout, no faster than they are taken there. */
export async function writeToStdout(lines: AsyncIterable<string>): Promise<void> {
  await pipeline(pieces(lines), process.stdout, { end: false })
}

/** Writes lines to a file behind `size` bytes of it. Without, it takes the place of one that is there, once there is something to write. */
export async function writeToFile(lines: AsyncIterable<string>, file: string, size?: number): Promise<void> {
  const text = pieces(lines)
  // before the file is opened: what fails at once leaves one that is there as it is
  const first = await text.next()
  try {
    if (size !== undefined) await truncate(file, size)
    // on disk when it says that it is written
    const stream = createWriteStream(file, { flags: size === undefined ? 'w' : 'a', flush: true })
    await pipeline(joined(first, text), stream)
  } catch (error) {
    if (error instanceof ThroughlineError) throw error
    throw new ValidationError('out', `cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

async function* pieces(lines: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
  return undefined
}

async function* joined(first: IteratorResult<string, undefined>, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}
