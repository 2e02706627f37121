import type { Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { ValidationError } from '../../domain/errors.ts'
import { type CheckedPart, checkedBlocks } from '../../features/transfer/checked-lines.ts'
import type { ExportCheck } from '../../features/transfer/checksum.ts'
import { headerOf } from '../../features/transfer/lines.ts'
import { openInput } from '../input-file.ts'
import { type Line, readLines } from '../read-lines.ts'

/** The largest event with every character escaped. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024

/** The intact part of an export file. */
export interface PartialExport {
  /** Size of the intact part in bytes. */
  readonly size: number
  /** Position where it ends; absent if there is only the header line. */
  readonly check?: ExportCheck
  readonly isComplete: boolean
}

/**
 * Reads how far an earlier export of a session, or of all sessions, got; `undefined` if there is no file or it is
 * empty. Throws `ValidationError` if the file is not such an export.
 */
export async function readPartialExport(
  file: string,
  session: string | undefined,
  onProgress: (fraction: number | undefined) => void,
): Promise<PartialExport | undefined> {
  const there = await statFile(file)
  if (there === undefined || there.size === 0) return undefined
  await requireSameExport(file, session)
  const header = headerOf(session)
  if (there.size < header.length) return undefined
  const { chunks, fractionRead } = await openInput(file, 'out')
  let read = 0
  let partial: PartialExport = { size: header.length, isComplete: false }
  const measured = async function* (): AsyncGenerator<Line> {
    for await (const line of readLines(chunks, MAX_LINE_BYTES)) {
      read += Buffer.byteLength(line.text) + 1
      yield line
      onProgress(fractionRead())
    }
  }
  try {
    for await (const part of checkedBlocks(measured())) {
      // the line feed is missing: the export stopped right before it
      if (read > there.size) break
      partial = advance(part, partial, read)
      if (partial.isComplete) break
    }
  } catch (error) {
    // the export continues before the damaged line
    if (!(error instanceof ValidationError)) throw error
  }
  if (!partial.isComplete || partial.size === there.size) return partial
  throw new ValidationError('out', 'has data after the end of the export')
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
  throw new ValidationError('out', 'is not a regular file')
}

/** Refuses to overwrite anything but an export of the same sessions. */
async function requireSameExport(file: string, session: string | undefined): Promise<void> {
  const header = headerOf(session)
  const first = await readHeader(file)
  if (header.startsWith(first) || first.startsWith(header)) return
  const other = describeExport(first)
  if (other === undefined) {
    throw new ValidationError('out', 'is not an export of this version; omit --resume to replace it')
  }
  const what = `is an export of ${other}, not of ${session?.toLowerCase() ?? ALL}`
  throw new ValidationError('out', `${what}: choose another --out, or repeat the earlier arguments`)
}

const ALL = 'all sessions'

/** Sessions that the header line names; `undefined` if it is not a header of this version. */
function describeExport(text: string): string | undefined {
  const [line = ''] = text.split('\n')
  if (`${line}\n` === headerOf()) return ALL
  const id = /"session":"([^"]*)"\}$/.exec(line)?.[1]
  return id !== undefined && `${line}\n` === headerOf(id) ? id : undefined
}

/** Longer than any header line. */
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
