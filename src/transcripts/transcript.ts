import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { SessionBlock } from '../api.ts'
import { defined } from '../domain/optional.ts'
import type { Prices } from '../domain/price.ts'
import type { ParentLink } from '../domain/record.ts'
import { blocksOf } from './blocks.ts'
import {
  type Facts,
  type LineSorter,
  type LineTranslator,
  MAIN,
  type SessionIdentity,
  type TranscriptFormat,
  type TranscriptName,
} from './format.ts'
import { LateUsage, QUIET_MS } from './late-usage.ts'
import { eventsOf, type NumberedEvent } from './line-events.ts'
import { type LinePosition, readAt, readLines } from './read-lines.ts'
import { type FileScan, type ScannedSession, scanFile } from './scan.ts'
import type { SessionInfo } from './session-info.ts'
import { type Owner, startedParts } from './session-started.ts'
import { SpawnedAgents } from './spawned-agents.ts'
import { clampTime } from './time.ts'
import { type PlacedEvent, type SessionEnd, TranscriptLog } from './transcript-log.ts'
import { withCost } from './usage.ts'

/** Maximum bytes of a parsed line. Longer lines are stored verbatim, in pieces. */
export const LONGEST_LINE = 64 * 1024 * 1024

/** Bytes before the last position that are compared to detect a rewritten file. */
const CHECKED_BYTES = 4096

/** What a transcript needs to know besides its file. */
export interface TranscriptOptions {
  /** Sessions that have ended in the store, by id: later lines go to another session. */
  readonly ends?: ReadonlyMap<string, SessionEnd>
  /** Returns the calls of another transcript that started sub-agents. @default reads it */
  spawnedIn?(path: string): Promise<SpawnedAgents>
  /** Adds the cost to usage without one. */
  readonly prices?: Prices
  /** @default {@link LONGEST_LINE} */
  readonly longest?: number
}

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
  /** The last line, or the usage of the last response, is still to come; its lines are not imported yet. */
  readonly isTorn: boolean
  /** Waiting for the first message, or for that usage. */
  readonly isWaiting: boolean
  /** The file is not a transcript; nothing was returned. */
  readonly isOther: boolean
  /** The file is a Throughline export. */
  readonly isExport: boolean
}

/** State to continue reading a file. */
interface Progress {
  readonly sorter: LineSorter
  readonly sessions: Map<string, SessionProgress>
  readonly spawned: SpawnedAgents
  place: LinePosition
  /** Facts of the lines read at first. */
  facts?: Facts
  /** Hash of the last imported bytes. */
  digest?: string
}

/** State of one session in the file. */
interface SessionProgress {
  readonly identity: SessionIdentity
  readonly log: TranscriptLog
  readonly translator: LineTranslator
  readonly late: LateUsage
  readonly info: SessionInfo
}

/** A file that is being read. */
interface Reading {
  readonly file: FileHandle
  readonly isQuiet: boolean
  readonly onBytes: (bytes: number) => void
}

/**
 * One transcript file. `blocks` yields the sessions in it; a second call yields what was added since. The caller must
 * have stored the earlier blocks, or call `forget`.
 */
export class Transcript {
  readonly #format: TranscriptFormat
  readonly #path: string
  readonly #owner: Owner
  readonly #options: TranscriptOptions
  readonly #name: TranscriptName
  #progress: Progress

  constructor(format: TranscriptFormat, path: string, owner: Owner, options: TranscriptOptions = {}) {
    this.#format = format
    this.#path = path
    this.#owner = owner
    this.#options = options
    this.#name = format.parseName(path)
    this.#progress = this.#newProgress()
  }

  /** The calls read so far that start sub-agents. */
  get spawned(): SpawnedAgents {
    return this.#progress.spawned
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
      const { longest = LONGEST_LINE } = this.#options
      const { sorter, place: from, sessions } = progress
      const scan = await scanFile(file, { format: this.#format, sorter, from, end: size, longest })
      const { isTorn, isExport } = scan
      const isOther = sessions.size === 0 && this.#isOther(scan, goesBy)
      const hasMessages = sessions.size > 0 || [...scan.sessions.values()].some(({ info }) => info.hasMessages)
      // a file recognized by its lines may have only its first lines so far
      const isWaiting = isPatient && !hasMessages && !isExport && (!isOther || goesBy === 'lines')
      if (isOther || isWaiting) return { isTorn, isOther: !isWaiting, isExport, isWaiting }
      // look again at all of it once it has an entry
      if (sessions.size === 0 && scan.isBlank) return { isTorn, isOther, isExport, isWaiting }
      progress.facts ??= scan.facts
      const reading = { file, isQuiet: Date.now() - mtime.getTime() > QUIET_MS, onBytes }
      for (const [key, { info, runs }] of inOrder(scan)) {
        const session = sessions.get(key) ?? this.#newSession(key, info, mtime)
        sessions.set(key, session)
        yield* blocksOf(this.#place(session, this.#read(reading, session, runs)))
      }
      for (const [key, session] of sessions) {
        if (!scan.sessions.has(key)) yield* blocksOf(this.#place(session, this.#read(reading, session, [])))
      }
      progress.place = scan.end
      progress.digest = await this.#lastDigest(file, size)
      isWhole = true
      const isHolding = [...sessions.values()].some(({ late }) => late.isHolding)
      return { isTorn: isTorn || isHolding, isOther, isExport, isWaiting: isHolding }
    } finally {
      // numbered events that were not stored would be missing
      if (!isWhole) this.forget()
      await file.close()
    }
  }

  #newProgress(): Progress {
    const { agentTools } = this.#format
    return {
      sorter: this.#format.newSorter(this.#name),
      sessions: new Map(),
      spawned: new SpawnedAgents(agentTools),
      place: { start: 0, number: 1 },
    }
  }

  #newSession(key: string, info: SessionInfo, mtime: Date): SessionProgress {
    const { facts = {} } = this.#progress
    const identity = this.#format.identify(this.#name, facts, key)
    const { sessionId, conversationId } = identity
    const log = new TranscriptLog(sessionId, info.at ?? clampTime(mtime), this.#options.ends ?? new Map())
    const translator = this.#format.newTranslator(conversationId)
    return { identity, log, translator, late: new LateUsage(), info }
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

  /** Yields the events that are ready: all of a file that nobody writes to. */
  async *#read(
    { file, isQuiet, onBytes }: Reading,
    { translator, late }: SessionProgress,
    runs: ScannedSession['runs'],
  ): AsyncGenerator<NumberedEvent> {
    const { longest = LONGEST_LINE } = this.#options
    for (const run of runs) {
      for await (const line of readLines(file, run, run.end, longest)) {
        for await (const event of eventsOf(file, line, this.#format, translator)) {
          if (event.started !== undefined && event.part === 0) this.spawned.addStarted(event.started)
          if (this.#format.hasLateUsage) yield* late.add(event)
          else yield event
        }
        onBytes(line.end + 1 - line.start)
      }
    }
    if (isQuiet) yield* late.end()
  }

  /** Gives events their places in the log, and each session its first event. */
  async *#place(
    session: SessionProgress,
    events: AsyncIterable<NumberedEvent> | Iterable<NumberedEvent>,
  ): AsyncGenerator<PlacedEvent> {
    const { log } = session
    for await (const { event, part, digest, at } of events) {
      if (log.needsStart()) yield await this.#started(session, event.occurredAt, at)
      const placed = log.add(withCost(event, this.#options.prices), part, digest, at)
      this.spawned.addEvent(placed)
      yield placed
    }
  }

  async #started(session: SessionProgress, firstAt: string | undefined, at: string | undefined): Promise<PlacedEvent> {
    const { identity, info, log } = session
    const { file } = this.#name
    const { facts, task } = info
    const { continues } = log
    const parent = await this.#parentOf(session)
    const parts = startedParts(this.#format, this.#owner, { file, ...identity, facts, task, parent, continues })
    return continues === undefined ? log.start(parts, info.occurredAt) : log.start(parts, firstAt, at)
  }

  /** The session that started this one, with the call if the transcripts tell it. */
  async #parentOf({ identity, info }: SessionProgress): Promise<ParentLink | undefined> {
    const { agentId, parentId } = identity
    if (agentId === undefined || parentId === undefined) return undefined
    const { parentPath, callId, ...origin } = await this.#format.findOrigin(this.#path, identity)
    const spawned = parentPath === undefined ? undefined : await this.#spawnedIn(parentPath)
    const { promptHash } = info
    return spawned?.find({ agentId, callId, promptHash }) ?? { sessionId: origin.parentId }
  }

  async #spawnedIn(path: string): Promise<SpawnedAgents> {
    if (path === this.#path) return this.spawned
    if (this.#options.spawnedIn !== undefined) return await this.#options.spawnedIn(path)
    return await readSpawned(this.#format, path, this.#owner, this.#options)
  }
}

/** Reads a transcript for the calls that start sub-agents. */
export async function readSpawned(
  format: TranscriptFormat,
  path: string,
  owner: Owner,
  { ends, longest }: TranscriptOptions,
): Promise<SpawnedAgents> {
  // ends the search: a parent that is a sub-agent needs no parent of its own here
  const spawnedIn = async () => new SpawnedAgents(format.agentTools)
  const transcript = new Transcript(format, path, owner, defined({ ends, longest, spawnedIn }))
  const { spawned } = transcript
  const blocks = transcript.blocks()
  // an unreadable parent is no reason to refuse the sub-agent
  while ((await blocks.next().catch(() => undefined))?.done === false);
  return spawned
}

/** The session itself first: its calls start the others. */
function inOrder({ sessions }: FileScan): [string, ScannedSession][] {
  return [...sessions].sort(([a], [b]) => Number(b === MAIN) - Number(a === MAIN))
}
