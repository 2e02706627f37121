import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ThroughlineError, ValidationError } from '../domain/errors.ts'
import { toSafeJson } from './text.ts'

/**
 * Writes values as JSON Lines, to a file that `--out` names or to stdout. By pipeline and not by `print`: what a slow reader has not taken yet
 * must not wait in this process.
 */
export async function writeLines(
  values: AsyncIterable<unknown>,
  out: string | undefined,
  onLine: () => void,
): Promise<void> {
  const lines = linesOf(values, onLine)
  if (out === undefined) return await pipeline(lines, process.stdout, { end: false })
  // before the file is opened: what fails at once leaves one that is there as it is
  const first = await lines.next()
  try {
    await pipeline(joined(first, lines), createWriteStream(out))
  } catch (error) {
    if (error instanceof ThroughlineError) throw error
    throw new ValidationError('out', `cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

async function* linesOf(values: AsyncIterable<unknown>, onLine: () => void): AsyncGenerator<string, undefined> {
  for await (const value of values) {
    yield `${toSafeJson(value)}\n`
    onLine()
  }
  return undefined
}

async function* joined(first: IteratorResult<string, undefined>, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}
