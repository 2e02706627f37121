import { stat } from 'node:fs/promises'
import type { SessionBlock } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { blocksIn } from '../../features/transfer/lines.ts'
import { type InputFile, openInput } from '../input-file.ts'
import { readLines } from '../read-lines.ts'
import { MAX_LINE_BYTES } from './partial-export.ts'

/** Files of exports, one behind the other. */
export interface ExportFiles {
  /** Its blocks. Of a file that is damaged those before that, and then those of the next. */
  readonly blocks: AsyncGenerator<SessionBlock, undefined>
  /** There is at least one block. */
  readonly hasBlocks: boolean
  /** Where files are damaged, as far as they were read. */
  readonly damaged: readonly DamagedFile[]
  /** Name of the file that the last block is from. */
  file(): string
  /** The share that was read, where it is known. */
  fractionRead(): number | undefined
}

export interface DamagedFile {
  readonly file: string
  readonly error: ValidationError
}

/** Looks that all of them can be read, and reads up to the first block. */
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
    blocks: joined(first, rest),
    hasBlocks: first.done !== true,
    damaged,
    file: () => current,
    fractionRead: () =>
      size === 0
        ? undefined
        : inputs.reduce((sum, each) => sum + each.size * (each.input.fractionRead() ?? 0), 0) / size,
  }
}

/** The same error, of a line in a file. */
function withFileName(name: string, error: ValidationError): ValidationError {
  return new ValidationError(`${name}, ${error.field}`, error.message.slice(error.field.length + 2), { cause: error })
}

async function* joined(
  first: IteratorResult<SessionBlock, undefined>,
  rest: AsyncIterable<SessionBlock>,
): AsyncGenerator<SessionBlock, undefined> {
  if (first.done) return undefined
  yield first.value
  yield* rest
  return undefined
}
