import type { Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { ValidationError } from '../../domain/errors.ts'
import { type CheckedPart, checkedBlocks } from '../../features/transfer/checked-lines.ts'
import type { ExportCheck } from '../../features/transfer/checksum.ts'
import { headerOf } from '../../features/transfer/lines.ts'
import { openInput } from '../input-file.ts'
import { type Line, readLines } from '../read-lines.ts'

/** Bytes of one line: an event of the largest size, with each of its characters escaped. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024

/** What a file holds of an export. */
export interface PartialExport {
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
export async function readPartialExport(
  file: string,
  session: string | undefined,
  tell: (share: number | undefined) => void,
): Promise<PartialExport | undefined> {
  const there = await statFile(file)
  if (there === undefined || there.size === 0) return undefined
  await requireSameExport(file, session)
  const header = headerOf(session)
  if (there.size < header.length) return undefined
  const { chunks, fractionRead } = await openInput(file, 'out')
  let read = 0
  let begun: PartialExport = { size: header.length, isComplete: false }
  const measured = async function* (): AsyncGenerator<Line> {
    for await (const line of readLines(chunks, MAX_LINE_BYTES)) {
      read += Buffer.byteLength(line.text) + 1
      yield line
      tell(fractionRead())
    }
  }
  try {
    for await (const part of checkedBlocks(measured())) {
      // a line feed is missing: it broke off right before that
      if (read > there.size) break
      begun = advance(part, begun, read)
      if (begun.isComplete) break
    }
  } catch (error) {
    // from there on it is made anew
    if (!(error instanceof ValidationError)) throw error
  }
  if (!begun.isComplete || begun.size === there.size) return begun
  throw new ValidationError('out', 'holds more than one export, or something else behind its end')
}

function advance({ check }: CheckedPart, before: PartialExport, size: number): PartialExport {
  if (check === undefined) return { ...before, size, isComplete: true }
  return { size, check, isComplete: false }
}

async function statFile(file: string): Promise<Stats | undefined> {
  const there = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(error)
  })
  if (there === undefined || there.isFile()) return there
  throw new ValidationError('out', 'is no file that could be gone on with')
}

/** What is something else is not to be lost. */
async function requireSameExport(file: string, session: string | undefined): Promise<void> {
  const header = headerOf(session)
  const first = await readHeader(file)
  if (header.startsWith(first) || first.startsWith(header)) return
  const other = describeExport(first)
  if (other === undefined) {
    throw new ValidationError('out', 'is no export that could be gone on with; without --resume it is replaced')
  }
  const what = `holds an export of ${other}, and not of ${session?.toLowerCase() ?? ALL}`
  throw new ValidationError('out', `${what}: give another --out, or the same arguments as then`)
}

const ALL = 'all sessions'

/** What the first line of an export says that it is of; `undefined` where it is none of this version. */
function describeExport(text: string): string | undefined {
  const [line = ''] = text.split('\n')
  if (`${line}\n` === headerOf()) return ALL
  const id = /"session":"([^"]*)"\}$/.exec(line)?.[1]
  return id !== undefined && `${line}\n` === headerOf(id) ? id : undefined
}

/** More than any first line takes. */
const HEADER_BYTES = 256

async function readHeader(file: string): Promise<string> {
  try {
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw unreadable(error)
  }
}

function unreadable(cause: unknown): ValidationError {
  return new ValidationError('out', `cannot be read: ${(cause as Error).message}`, { cause })
}
