import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { ExportedEvent, SessionBlock } from '../../api.ts'
import { blocksOf } from './blocks.ts'
import { Chains, MAIN } from './chains.ts'
import { eventsOf } from './line-events.ts'
import { type LinePosition, readAt, readLines } from './read-lines.ts'
import { type FileScan, type ScannedChain, scanFile } from './scan.ts'
import { type Origin, type Owner, sessionIdOf, startedParts } from './session-started.ts'
import { clampTime } from './time.ts'
import { TranscriptLog } from './transcript-log.ts'
import { parseTranscriptName, type TranscriptName } from './transcript-name.ts'

/** Bytes of a line that is parsed. Longer ones are kept as they are, in pieces. */
export const LONGEST_LINE = 64 * 1024 * 1024

/** Bytes before the place that was reached, by which it is told whether they are still the same. */
const CHECKED_BYTES = 4096

/** How to read. */
export interface ReadOptions {
  /** Waits until something was said: what a session is about is told by then. */
  readonly isPatient?: boolean
  /** Gives nothing of a file that is none by its lines, and where the name counts too not by that either. @default anything is taken */
  readonly goesBy?: 'lines' | 'name or lines'
  /** Called with the number of bytes that were read. */
  onBytes?(bytes: number): void
}

/** What reading came to. */
export interface ReadResult {
  /** The last line is being written: it is not taken yet. */
  readonly isTorn: boolean
  /** Nothing was said yet, and that was waited for. */
  readonly isWaiting: boolean
  /** The file is no transcript, and nothing of it was given. */
  readonly isOther: boolean
  /** It is an export of Throughline. */
  readonly isExport: boolean
}

/** What is remembered of a file to go on from there. */
interface Progress {
  readonly chains: Chains
  readonly logs: Map<string, TranscriptLog>
  place: LinePosition
  /** Of the session, or of the one that the sub-agent works for. */
  sessionId?: string
  /** Of the last bytes that were taken. */
  digest?: string
}

/**
 * One file of Claude Code. It gives blocks of the sessions in it, and when it is asked again those of what has been added since. What it gave must be
 * stored by then: if it could not be, `forget`.
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

  /** Begins anew when it is asked again. */
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
      // by its lines a file may be one that has no more than the first of them yet
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
      // what was numbered and not taken would be missing
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

  /** Whether the file still has what was read of it. One that was written anew is read anew, and the ids of its events tell the difference. */
  async #isAsLeft(file: FileHandle, size: number): Promise<boolean> {
    const { digest, place } = this.#progress
    if (digest === undefined) return true
    return size >= place.start - 1 && (await this.#lastDigest(file, size)) === digest
  }

  /** Of the last bytes that were taken, and of the line feed behind them. */
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
    const origin = { conversationId, ...(agentId !== undefined && { agentId }) }
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

/** One chain on its way into its log. */
interface Reading {
  readonly log: TranscriptLog
  readonly origin: Origin
  readonly chain: ScannedChain
  readonly onBytes: (bytes: number) => void
}
