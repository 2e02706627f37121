import { stat } from 'node:fs/promises'
import type { SessionBlock } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { blocksIn } from '../../features/transfer/lines.ts'
import { type InputFile, inputFile } from '../input-file.ts'
import { linesOf } from '../lines.ts'
import { LONGEST_LINE } from './resume.ts'

/** Files of exports, one behind the other. */
export interface ExportFiles {
  /** Its blocks, up to where one of the files is damaged: then they end, and `damage` says why. */
  readonly blocks: AsyncGenerator<SessionBlock, undefined>
  readonly damage: () => ValidationError | undefined
  /** The share that was read, where it is known. */
  done(): number | undefined
}

/** Looks that all of them can be read, and reads the first block: what is no export at all fails here. */
export async function exportFiles(files: readonly string[]): Promise<ExportFiles> {
  const inputs: { file: string; input: InputFile; size: number }[] = []
  for (const file of files) {
    const input = await inputFile(file, 'files')
    inputs.push({ file, input, size: file === '-' ? 0 : (await stat(file)).size })
  }
  const size = inputs.reduce((sum, each) => sum + each.size, 0)
  let damage: ValidationError | undefined

  async function* blocks(): AsyncGenerator<SessionBlock, undefined> {
    for (const { file, input } of inputs) {
      try {
        yield* blocksIn(linesOf(input.chunks, LONGEST_LINE))
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error
        damage = inFile(file, error)
        break
      }
    }
    return undefined
  }

  const rest = blocks()
  const first = await rest.next()
  if (first.done && damage !== undefined) throw damage
  return {
    blocks: joined(first, rest),
    damage: () => damage,
    done: () =>
      size === 0 ? undefined : inputs.reduce((sum, each) => sum + each.size * (each.input.done() ?? 0), 0) / size,
  }
}

/** The same error, of a line in a file. */
function inFile(file: string, error: ValidationError): ValidationError {
  const name = file === '-' ? 'stdin' : file
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
