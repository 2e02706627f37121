import { stat } from 'node:fs/promises'
import type { SessionBlock } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { blocksIn } from '../../features/transfer/lines.ts'
import { type InputFile, openInput } from '../input-file.ts'
import { readLines } from '../read-lines.ts'
import { prepend } from '../write-lines.ts'
import { MAX_LINE_BYTES } from './partial-export.ts'

/** Export files, read one after the other. */
export interface ExportFiles {
  /** Blocks of all files. A damaged file gives its intact blocks, then the next file follows. */
  readonly blocks: AsyncIterable<SessionBlock>
  readonly hasBlocks: boolean
  /** Damaged files found so far. */
  readonly damaged: readonly DamagedFile[]
  /** Name of the file of the last block. */
  file(): string
  /** Fraction read so far, if the size is known. */
  fractionRead(): number | undefined
}

export interface DamagedFile {
  readonly file: string
  readonly error: ValidationError
}

/** Opens all files and reads the first block. */
export async function openExportFiles(files: readonly string[]): Promise<ExportFiles> {
  const inputs: { name: string; input: InputFile; size: number }[] = []
  for (const file of files) {
    const input = await openInput(file, 'files')
    const isStdin = file === '-'
    inputs.push({ name: isStdin ? 'stdin' : file, input, size: isStdin ? 0 : (await stat(file)).size })
  }
  const size = inputs.reduce((sum, each) => sum + each.size, 0)
  const damaged: DamagedFile[] = []
  let current = ''

  async function* blocks(): AsyncGenerator<SessionBlock, undefined> {
    for (const { name, input } of inputs) {
      current = name
      try {
        yield* blocksIn(readLines(input.chunks, MAX_LINE_BYTES))
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error
        damaged.push({ file: name, error: withFileName(name, error) })
      }
    }
    return undefined
  }

  const rest = blocks()
  const first = await rest.next()
  return {
    blocks: prepend(first, rest),
    hasBlocks: first.done !== true,
    damaged,
    file: () => current,
    fractionRead: () =>
      size === 0
        ? undefined
        : inputs.reduce((sum, each) => sum + each.size * (each.input.fractionRead() ?? 0), 0) / size,
  }
}

/** Adds the file name to an error about a line. */
function withFileName(name: string, error: ValidationError): ValidationError {
  return new ValidationError(`${name}, ${error.field}`, error.message.slice(error.field.length + 2), { cause: error })
}
