import type { ImportReport, SessionBlock, Throughline } from '../../api.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import type { Owner } from '../../transcripts/claude-code/session-started.ts'
import { Transcript } from '../../transcripts/claude-code/transcript.ts'
import type { TranscriptFile } from './find-files.ts'

/** What was not taken, and why. */
export interface RefusedTranscript {
  file: string
  /** Absent where the file could not be read, or is no transcript. */
  sessionId?: string
  code: string
  message: string
}

/** What came of some files. */
export interface TranscriptImport extends Omit<ImportReport, 'refused'> {
  files: number
  refused: RefusedTranscript[]
  /** Files that are no transcripts. */
  skipped: string[]
  /** Files whose last line is being written; it is taken the next time. */
  torn: string[]
  /** Files in which nothing was said yet. */
  waiting: string[]
}

type FileOutcomes = Pick<TranscriptImport, 'refused' | 'skipped' | 'torn' | 'waiting'>

/** How to take. */
export interface ImportFilesOptions {
  /** Files that have only just begun wait until something was said in them. */
  isPatient?(file: TranscriptFile): boolean
  /** Called with the number of bytes that were read. */
  onBytes?(bytes: number): void
}

/** Takes transcripts into a store. */
export class TranscriptImporter {
  readonly #tl: Throughline
  readonly #owner: Owner
  readonly #kept: Map<string, Transcript> | undefined

  /** @param remembers goes on where it was in each file; otherwise it begins anew, and holds nothing of a file once it is done with it */
  constructor(tl: Throughline, owner: Owner, remembers: boolean) {
    this.#tl = tl
    this.#owner = owner
    this.#kept = remembers ? new Map() : undefined
  }

  /** Takes what is new in these files. A file that cannot be read does not keep out the others. */
  async importFiles(files: readonly TranscriptFile[], options: ImportFilesOptions = {}): Promise<TranscriptImport> {
    const taken: FileOutcomes = { refused: [], skipped: [], torn: [], waiting: [] }
    const fileOf = new Map<string, string>()
    const blocks = this.#blocks(files, taken, fileOf, options)
    const { refused, ...counts } = await this.#tl.import(blocks).catch((error: unknown) => {
      // nobody knows what of them is stored
      for (const { path } of files) this.#kept?.get(path)?.forget()
      throw error
    })
    const named = refused.map((one) => ({ file: fileOf.get(one.sessionId) ?? '', ...one }))
    // as if it had not been read: it may be different the next time
    for (const { file } of named) this.#kept?.get(file)?.forget()
    return { files: files.length, ...taken, ...counts, refused: [...taken.refused, ...named] }
  }

  async *#blocks(
    files: readonly TranscriptFile[],
    taken: FileOutcomes,
    fileOf: Map<string, string>,
    { isPatient, onBytes = () => {} }: ImportFilesOptions,
  ): AsyncGenerator<SessionBlock> {
    for (const file of files) {
      const { path, isNamed } = file
      try {
        const blocks = this.#transcript(path).blocks({
          goesBy: isNamed ? 'lines' : 'name or lines',
          isPatient: isPatient?.(file) ?? false,
          onBytes,
        })
        let next = await blocks.next()
        for (; !next.done; next = await blocks.next()) {
          fileOf.set(next.value.sessionId, path)
          yield next.value
        }
        const { isOther, isExport, isTorn, isWaiting } = next.value
        if (isOther && isNamed) taken.refused.push(describeNoTranscript(path, isExport))
        else if (isOther) taken.skipped.push(path)
        if (isTorn && !isOther) taken.torn.push(path)
        if (isWaiting) taken.waiting.push(path)
      } catch (error) {
        if (error instanceof ThroughlineError) throw error
        taken.refused.push({
          file: path,
          code: 'UNREADABLE',
          message: `cannot be read: ${(error as Error).message}`,
        })
      }
    }
  }

  #transcript(path: string): Transcript {
    const transcript = this.#kept?.get(path) ?? new Transcript(path, this.#owner)
    this.#kept?.set(path, transcript)
    return transcript
  }
}

function describeNoTranscript(file: string, isExport: boolean): RefusedTranscript {
  const message = isExport
    ? 'is an export of Throughline: leave out --from to import it'
    : 'is no transcript: none of its lines is one of a transcript of Claude Code; name the file or folder that is'
  return { file, code: 'NO_TRANSCRIPT', message }
}
