import type { Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { ValidationError } from '../../domain/errors.ts'
import { type CheckedPart, checkedBlocks } from '../../features/transfer/checked-lines.ts'
import type { ExportCheck } from '../../features/transfer/checksum.ts'
import { headerOf } from '../../features/transfer/lines.ts'
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

/**
 * Looks how far an export of a session, or of all, has come in a file, line by line; `undefined` where there is nothing of one. Throws
 * `ValidationError` for a file of anything else.
 */
export async function begunIn(
  file: string,
  session: string | undefined,
  tell: (share: number | undefined) => void,
): Promise<Begun | undefined> {
  const there = await fileAt(file)
  if (there === undefined || there.size === 0) return undefined
  await requireSame(file, session)
  const header = headerOf(session)
  if (there.size < header.length) return undefined
  const { chunks, done } = await inputFile(file, 'out')
  let read = 0
  let begun: Begun = { size: header.length, isComplete: false }
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

async function fileAt(file: string): Promise<Stats | undefined> {
  const there = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw notReadable(error)
  })
  if (there === undefined || there.isFile()) return there
  throw new ValidationError('out', 'is no file that could be gone on with')
}

/** What is something else is not to be lost. */
async function requireSame(file: string, session: string | undefined): Promise<void> {
  const header = headerOf(session)
  const first = await beginningOf(file)
  if (header.startsWith(first) || first.startsWith(header)) return
  const other = sessionIn(first)
  if (other === undefined) {
    throw new ValidationError('out', 'is no export that could be gone on with; without --resume it is replaced')
  }
  const what = `holds an export of ${other}, and not of ${session?.toLowerCase() ?? ALL}`
  throw new ValidationError('out', `${what}: give another --out, or the same arguments as then`)
}

const ALL = 'all sessions'

/** What the first line of an export says that it is of; `undefined` where it is none of this version. */
function sessionIn(text: string): string | undefined {
  const [line = ''] = text.split('\n')
  if (`${line}\n` === headerOf()) return ALL
  const id = /"session":"([^"]*)"\}$/.exec(line)?.[1]
  return id !== undefined && `${line}\n` === headerOf(id) ? id : undefined
}

/** More than any first line takes. */
const BEGINNING = 256

async function beginningOf(file: string): Promise<string> {
  try {
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw notReadable(error)
  }
}

function notReadable(cause: unknown): ValidationError {
  return new ValidationError('out', `cannot be read: ${(cause as Error).message}`, { cause })
}
