import { createWriteStream } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ThroughlineError, ValidationError } from '../domain/errors.ts'
import { toSafeJson } from './text.ts'

/** Writes values as JSON Lines to the file of `--out`, or to stdout. Waits for a slow reader instead of buffering. */
export async function writeJsonLines(
  values: AsyncIterable<unknown>,
  out: string | undefined,
  onLine: () => void,
): Promise<void> {
  const lines = toJsonLines(values, onLine)
  await (out === undefined ? writeToStdout(lines) : writeToFile(lines, out))
}

/** Writes texts to stdout, no faster than they are read. */
export async function writeToStdout(texts: AsyncIterable<string>): Promise<void> {
  await pipeline(texts, process.stdout, { end: false })
}

/**
 * Writes texts to a file: after its first `size` bytes, or from the start. Replaces a file only once there is a text.
 * Only its owner can read a new file; an existing one keeps its mode.
 */
export async function writeToFile(texts: AsyncIterable<string>, file: string, size?: number): Promise<void> {
  const rest = texts[Symbol.asyncIterator]()
  // before the file is opened: an early failure keeps the existing file
  const first = await rest.next()
  try {
    if (size !== undefined) await truncate(file, size)
    // flush: on disk when the command reports success
    const stream = createWriteStream(file, { flags: size === undefined ? 'w' : 'a', flush: true, mode: 0o600 })
    await pipeline(prepend(first, { [Symbol.asyncIterator]: () => rest }), stream)
  } catch (error) {
    if (error instanceof ThroughlineError) throw error
    throw new ValidationError('out', `cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

/** An iterable that starts with a result already read from it. */
export async function* prepend<T>(first: IteratorResult<T, unknown>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}

async function* toJsonLines(values: AsyncIterable<unknown>, onLine: () => void): AsyncGenerator<string> {
  for await (const value of values) {
    yield `${toSafeJson(value)}\n`
    onLine()
  }
}
