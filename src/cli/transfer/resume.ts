import { open, stat } from 'node:fs/promises'
import { ValidationError } from '../../domain/errors.ts'
import { type CheckedPart, checkedBlocks } from '../../features/transfer/checked-lines.ts'
import { HEADER } from '../../features/transfer/lines.ts'
import type { ExportCheck } from '../../features/transfer/tally.ts'
import { inputFile } from '../input-file.ts'
import { type Line, linesOf } from '../lines.ts'

/** Bytes of one line: an event of the largest size, with each of its characters escaped. */
export const LONGEST_LINE = 128 * 1024 * 1024

/** What a file holds of an export. */
export interface Begun {
  /** Bytes of what is whole. */
  readonly size: number
  /** Where it ends; absent where it has only its first line. */
  readonly check?: ExportCheck
  /** It lacks nothing. */
  readonly isComplete: boolean
}

/** Looks how far an export has come in a file, line by line; `undefined` where there is nothing of one. */
export async function begunIn(file: string, tell: (share: number | undefined) => void): Promise<Begun | undefined> {
  const there = await stat(file).catch(() => undefined)
  if (there === undefined || there.size === 0) return undefined
  await requireExport(file, there.size)
  if (there.size < HEADER.length) return undefined
  const { chunks, done } = await inputFile(file, 'out')
  let read = 0
  let begun: Begun = { size: Buffer.byteLength(HEADER), isComplete: false }
  const measured = async function* (): AsyncGenerator<Line> {
    for await (const line of linesOf(chunks, LONGEST_LINE)) {
      read += Buffer.byteLength(line.text) + 1
      yield line
      tell(done())
    }
  }
  try {
    for await (const part of checkedBlocks(measured())) {
      // a line feed is missing: it broke off right before that
      if (read > there.size) break
      begun = after(part, begun, read)
      if (begun.isComplete) break
    }
  } catch (error) {
    // from there on it is made anew
    if (!(error instanceof ValidationError)) throw error
  }
  if (!begun.isComplete || begun.size === there.size) return begun
  throw new ValidationError('out', 'holds more than one export, or something else behind its end')
}

function after({ check }: CheckedPart, before: Begun, size: number): Begun {
  if (check === undefined) return { ...before, size, isComplete: true }
  return { size, check, isComplete: false }
}

/** What is something else is not to be lost. */
async function requireExport(file: string, size: number): Promise<void> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(Math.min(size, HEADER.length)))
    if (HEADER.startsWith(buffer.toString())) return
  } finally {
    await handle.close()
  }
  throw new ValidationError('out', 'is no export that could be gone on with; without --resume it is replaced')
}
