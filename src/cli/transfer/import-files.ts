import { stat } from 'node:fs/promises'
import type { SessionBlock } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { blocksIn } from '../../features/transfer/lines.ts'
import { type InputFile, inputFile } from '../input-file.ts'
import { linesOf } from '../lines.ts'
import { LONGEST_LINE } from './resume.ts'

/** Files of exports, one behind the other. */
export interface ExportFiles {
  /** Its blocks. Of a file that is damaged those before that, and then those of the next. */
  readonly blocks: AsyncGenerator<SessionBlock, undefined>
  /** There is at least one block. */
  readonly hasBlocks: boolean
  /** Where files are damaged, as far as they were read. */
  readonly damages: readonly Damage[]
  /** Name of the file that the last block is from. */
  file(): string
  /** The share that was read, where it is known. */
  done(): number | undefined
}

export interface Damage {
  readonly file: string
  readonly error: ValidationError
}

/** Looks that all of them can be read, and reads up to the first block. */
export async function exportFiles(files: readonly string[]): Promise<ExportFiles> {
  const inputs: { name: string; input: InputFile; size: number }[] = []
  for (const file of files) {
    const input = await inputFile(file, 'files')
    const isStdin = file === '-'
    inputs.push({ name: isStdin ? 'stdin' : file, input, size: isStdin ? 0 : (await stat(file)).size })
  }
  const size = inputs.reduce((sum, each) => sum + each.size, 0)
  const damages: Damage[] = []
  let current = ''

  async function* blocks(): AsyncGenerator<SessionBlock, undefined> {
    for (const { name, input } of inputs) {
      current = name
      try {
        yield* blocksIn(linesOf(input.chunks, LONGEST_LINE))
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error
        damages.push({ file: name, error: inFile(name, error) })
      }
    }
    return undefined
  }

  const rest = blocks()
  const first = await rest.next()
  return {
    blocks: joined(first, rest),
    hasBlocks: first.done !== true,
    damages,
    file: () => current,
    done: () =>
      size === 0 ? undefined : inputs.reduce((sum, each) => sum + each.size * (each.input.done() ?? 0), 0) / size,
  }
}

/** The same error, of a line in a file. */
function inFile(name: string, error: ValidationError): ValidationError {
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
