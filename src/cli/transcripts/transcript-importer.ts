import type { ImportReport, SessionBlock, Throughline } from '../../api.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import type { Owner } from '../../transcripts/claude-code/session-started.ts'
import { Transcript } from '../../transcripts/claude-code/transcript.ts'
import type { TranscriptFile } from './find-files.ts'

/** A file or session that was not imported, and why. */
export interface RefusedTranscript {
  file: string
  /** Absent if the file is unreadable or not a transcript. */
  sessionId?: string
  code: string
  message: string
}

/** Result of importing some files. */
export interface TranscriptImport extends Omit<ImportReport, 'refused'> {
  files: number
  refused: RefusedTranscript[]
  /** Files that are not transcripts. */
  skipped: string[]
  /** Files with an incomplete last line, which the next import reads. */
  torn: string[]
  /** Files without messages yet. */
  waiting: string[]
}

type FileOutcomes = Pick<TranscriptImport, 'refused' | 'skipped' | 'torn' | 'waiting'>

export interface ImportFilesOptions {
  /** Whether to skip a new file until it has a message. */
  waitsForMessage?(file: TranscriptFile): boolean
  /** Called with the number of bytes read since the last call. */
  onBytes?(bytes: number): void
}

/** Imports transcripts into a store. */
export class TranscriptImporter {
  readonly #tl: Throughline
  readonly #owner: Owner
  readonly #transcripts: Map<string, Transcript> | undefined

  /**
   * @param remembers continue each file where the last import ended; otherwise read from the start and keep no state
   */
  constructor(tl: Throughline, owner: Owner, remembers: boolean) {
    this.#tl = tl
    this.#owner = owner
    this.#transcripts = remembers ? new Map() : undefined
  }

  /** Imports the new lines of these files. An unreadable file does not affect the others. */
  async importFiles(files: readonly TranscriptFile[], options: ImportFilesOptions = {}): Promise<TranscriptImport> {
    const outcomes: FileOutcomes = { refused: [], skipped: [], torn: [], waiting: [] }
    const fileOf = new Map<string, string>()
    const blocks = this.#blocks(files, outcomes, fileOf, options)
    const { refused, ...counts } = await this.#tl.import(blocks).catch((error: unknown) => {
      // unknown which events were stored
      for (const { path } of files) this.#transcripts?.get(path)?.forget()
      throw error
    })
    const named = refused.map((one) => ({ file: fileOf.get(one.sessionId) ?? '', ...one }))
    // read it again from the start next time: it may have changed
    for (const { file } of named) this.#transcripts?.get(file)?.forget()
    return { files: files.length, ...outcomes, ...counts, refused: [...outcomes.refused, ...named] }
  }

  async *#blocks(
    files: readonly TranscriptFile[],
    outcomes: FileOutcomes,
    fileOf: Map<string, string>,
    { waitsForMessage, onBytes = () => {} }: ImportFilesOptions,
  ): AsyncGenerator<SessionBlock> {
    for (const file of files) {
      const { path, isNamed } = file
      try {
        const blocks = this.#transcript(path).blocks({
          goesBy: isNamed ? 'lines' : 'name or lines',
          isPatient: waitsForMessage?.(file) ?? false,
          onBytes,
        })
        let next = await blocks.next()
        for (; !next.done; next = await blocks.next()) {
          fileOf.set(next.value.sessionId, path)
          yield next.value
        }
        const { isOther, isExport, isTorn, isWaiting } = next.value
        if (isOther && isNamed) outcomes.refused.push(describeNoTranscript(path, isExport))
        else if (isOther) outcomes.skipped.push(path)
        if (isTorn && !isOther) outcomes.torn.push(path)
        if (isWaiting) outcomes.waiting.push(path)
      } catch (error) {
        if (error instanceof ThroughlineError) throw error
        outcomes.refused.push({
          file: path,
          code: 'UNREADABLE',
          message: `cannot be read: ${(error as Error).message}`,
        })
      }
    }
  }

  #transcript(path: string): Transcript {
    const transcript = this.#transcripts?.get(path) ?? new Transcript(path, this.#owner)
    this.#transcripts?.set(path, transcript)
    return transcript
  }
}

function describeNoTranscript(file: string, isExport: boolean): RefusedTranscript {
  const message = isExport
    ? 'is a Throughline export: omit --from to import it'
    : 'is not a Claude Code transcript: name a transcript or a folder of them'
  return { file, code: 'NO_TRANSCRIPT', message }
}
