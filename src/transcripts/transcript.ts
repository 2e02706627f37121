import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { ExportedEvent, SessionBlock } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { blocksOf } from './blocks.ts'
import { Chains, MAIN } from './chains.ts'
import { eventsOf } from './line-events.ts'
import { type LinePosition, readAt, readLines } from './read-lines.ts'
import { type FileScan, type ScannedChain, scanFile } from './scan.ts'
import { type Origin, type Owner, sessionIdOf, startedParts } from './session-started.ts'
import { clampTime } from './time.ts'
import { TranscriptLog } from './transcript-log.ts'
import { parseTranscriptName, type TranscriptName } from './transcript-name.ts'

/** Maximum bytes of a parsed line. Longer lines are stored verbatim, in pieces. */
export const LONGEST_LINE = 64 * 1024 * 1024

/** Bytes before the last position that are compared to detect a rewritten file. */
const CHECKED_BYTES = 4096

/** Options of reading. */
export interface ReadOptions {
  /** Waits for the first message, so that the task is known. */
  readonly isPatient?: boolean
  /** How to recognize a transcript; other files yield nothing. @default every file is read */
  readonly goesBy?: 'lines' | 'name or lines'
  /** Called with the number of bytes read. */
  onBytes?(bytes: number): void
}

/** Result of reading. */
export interface ReadResult {
  /** The last line is incomplete and not imported yet. */
  readonly isTorn: boolean
  /** Waiting for the first message. */
  readonly isWaiting: boolean
  /** The file is not a transcript; nothing was returned. */
  readonly isOther: boolean
  /** The file is a Throughline export. */
  readonly isExport: boolean
}

/** State to continue reading a file. */
interface Progress {
  readonly chains: Chains
  readonly logs: Map<string, TranscriptLog>
  place: LinePosition
  /** The session, or the one the sub-agent works for. */
  sessionId?: string
  /** Hash of the last imported bytes. */
  digest?: string
}

/**
 * One transcript file of Claude Code. `blocks` yields the sessions in it; a second call yields what was added since.
 * The caller must have stored the earlier blocks, or call `forget`.
 */
export class Transcript {
  readonly #path: string
  readonly #owner: Owner
  readonly #longest: number
  readonly #name: TranscriptName
  #progress: Progress

  constructor(path: string, owner: Owner, longest = LONGEST_LINE) {
    this.#path = path
    this.#owner = owner
    this.#longest = longest
    this.#name = parseTranscriptName(path)
    this.#progress = this.#newProgress()
  }

  /** Starts over on the next call. */
  forget(): void {
    this.#progress = this.#newProgress()
  }

  async *blocks({
    isPatient = false,
    goesBy,
    onBytes = () => {},
  }: ReadOptions = {}): AsyncGenerator<SessionBlock, ReadResult> {
    const file = await open(this.#path)
    let isWhole = false
    try {
      const { size, mtime } = await file.stat()
      if (!(await this.#isAsLeft(file, size))) this.forget()
      const progress = this.#progress
      const { chains, place: from, logs } = progress
      const scan = await scanFile(file, { chains, from, end: size, longest: this.#longest })
      const { isTorn, isExport } = scan
      const isOther = logs.size === 0 && this.#isOther(scan, goesBy)
      const hasMessages = logs.size > 0 || [...scan.chains.values()].some(({ info }) => info.hasMessages)
      // a file recognized by its lines may have only its first lines so far
      const isWaiting = isPatient && !hasMessages && !isExport && (!isOther || goesBy === 'lines')
      if (isOther || isWaiting) return { isTorn, isOther: !isWaiting, isExport, isWaiting }
      progress.sessionId ??= this.#name.sessionId ?? scan.sessionId ?? this.#name.fallback
      for (const [key, chain] of scan.chains) {
        const { log, ...origin } = this.#logOf(key, chain, mtime)
        yield* blocksOf(log.sessionId, this.#events(file, { log, origin, chain, onBytes }))
      }
      progress.place = scan.end
      progress.digest = await this.#lastDigest(file, size)
      isWhole = true
      return { isTorn, isOther, isExport, isWaiting: false }
    } finally {
      // numbered events that were not stored would be missing
      if (!isWhole) this.forget()
      await file.close()
    }
  }

  #newProgress(): Progress {
    const chains = new Chains(this.#name.agentId !== undefined)
    return { chains, logs: new Map(), place: { start: 0, number: 1 } }
  }

  #isOther({ isTranscript, isExport, isBlank }: FileScan, goesBy: ReadOptions['goesBy']): boolean {
    if (goesBy === undefined || isTranscript) return false
    if (goesBy === 'lines' || isExport) return !isBlank
    return this.#name.sessionId === undefined && this.#name.agentId === undefined
  }

  /** Whether the file still starts with the bytes read before. A rewritten file is read again; its event ids differ. */
  async #isAsLeft(file: FileHandle, size: number): Promise<boolean> {
    const { digest, place } = this.#progress
    if (digest === undefined) return true
    return size >= place.start - 1 && (await this.#lastDigest(file, size)) === digest
  }

  /** Hashes the last imported bytes and the line feed after them. */
  async #lastDigest(file: FileHandle, size: number): Promise<string> {
    const { start } = this.#progress.place
    const first = Math.max(0, start - CHECKED_BYTES)
    const bytes = await readAt(file, first, Math.min(start, size) - first)
    const ended = Buffer.concat([bytes, Buffer.from('\n')])
    return hash('sha256', ended.subarray(0, start - first), 'hex')
  }

  #logOf(key: string, { info }: ScannedChain, mtime: Date): Origin & { log: TranscriptLog } {
    const { logs, sessionId: conversationId = this.#name.fallback } = this.#progress
    const agentId = key === MAIN ? this.#name.agentId : key
    const origin = defined({ conversationId, agentId })
    const log = logs.get(key) ?? new TranscriptLog(sessionIdOf(origin), info.at ?? clampTime(mtime))
    logs.set(key, log)
    return { file: this.#name.file, ...origin, log }
  }

  async *#events(file: FileHandle, { log, origin, chain, onBytes }: Reading): AsyncGenerator<ExportedEvent> {
    for (const run of chain.runs) {
      for await (const line of readLines(file, run, run.end, this.#longest)) {
        for await (const { event, part, digest, at } of eventsOf(file, line)) {
          if (log.head === 0) yield log.start(startedParts(this.#owner, origin, chain.info), chain.info.occurredAt)
          yield log.add(event, part, digest, at)
        }
        onBytes(line.end + 1 - line.start)
      }
    }
  }
}

/** One chain and its log. */
interface Reading {
  readonly log: TranscriptLog
  readonly origin: Origin
  readonly chain: ScannedChain
  readonly onBytes: (bytes: number) => void
}
