import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ValidationError } from '../domain/errors.ts'

export interface InputFile {
  chunks: AsyncIterable<Uint8Array>
  /** Fraction read so far, if the size is known. */
  fractionRead(): number | undefined
}

/** Opens a file, or stdin for `-`. `field` is the option or argument that names it. */
export async function openInput(file: string, field: string): Promise<InputFile> {
  if (file === '-') return { chunks: process.stdin, fractionRead: () => undefined }
  const { size } = await stat(file).catch((error: unknown) => {
    throw unreadable(field, error)
  })
  let read = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
        read += chunk.length
        yield chunk
      }
    } catch (error) {
      throw unreadable(field, error)
    }
  }
  return { chunks: chunks(), fractionRead: () => (size === 0 ? undefined : read / size) }
}

function unreadable(field: string, cause: unknown): ValidationError {
  return new ValidationError(field, `cannot be read: ${(cause as Error).message}`, { cause })
}
