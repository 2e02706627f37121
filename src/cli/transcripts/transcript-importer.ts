import type { ImportReport, SessionBlock, Throughline } from '../../api.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import { isObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import type { Prices } from '../../domain/price.ts'
import type { TranscriptFormat } from '../../transcripts/format.ts'
import type { Owner } from '../../transcripts/session-started.ts'
import type { SpawnedAgents } from '../../transcripts/spawned-agents.ts'
import { readSpawned, Transcript, type TranscriptOptions } from '../../transcripts/transcript.ts'
import type { SessionEnd } from '../../transcripts/transcript-log.ts'
import type { TranscriptFile } from './find-files.ts'
import { findEnds } from './session-ends.ts'

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
  /** Sub-agents among the sessions. */
  children: number
  /** Sessions ended because their last line is older than the stale timeout. */
  ended: number
  refused: RefusedTranscript[]
  /** Files that are not transcripts. */
  skipped: string[]
  /** Files whose last line or response is incomplete; the next import reads it. */
  torn: string[]
  /** Files to read again although they may not change: they have no message yet, or an incomplete response. */
  waiting: string[]
}

/** What one pass over some files led to. */
interface PassResult {
  readonly report: Omit<ImportReport, 'refused'>
  readonly outcomes: Pick<TranscriptImport, 'refused' | 'skipped' | 'torn' | 'waiting'>
  readonly fileOf: Map<string, string>
  /** Times of the last events. */
  readonly lastAt: Map<string, string>
}

export interface ImportFilesOptions {
  /** Whether to skip a new file until it has a message. */
  waitsForMessage?(file: TranscriptFile): boolean
  /** Called with the number of bytes read since the last call. */
  onBytes?(bytes: number): void
}

/** Sessions to end in one call. */
const SWEPT_AT_ONCE = 100

/** Imports transcripts of one format into a store. */
export class TranscriptImporter {
  readonly #tl: Throughline
  readonly #format: TranscriptFormat
  readonly #owner: Owner
  readonly #transcripts: Map<string, Transcript> | undefined
  readonly #ends = new Map<string, SessionEnd>()
  /** Sessions of sub-agents. */
  readonly #children = new Set<string>()
  /** Calls that started sub-agents, by the path of their transcript. */
  readonly #spawned = new Map<string, SpawnedAgents>()
  readonly #options: TranscriptOptions

  /**
   * @param remembers continue each file where the last import ended; otherwise read from the start and keep no state
   */
  constructor(tl: Throughline, format: TranscriptFormat, owner: Owner, remembers: boolean, prices?: Prices) {
    const spawnedIn = (path: string) => this.#spawnedIn(path)
    this.#options = defined({ ends: this.#ends, spawnedIn, prices })
    this.#tl = tl
    this.#format = format
    this.#owner = owner
    this.#transcripts = remembers ? new Map() : undefined
  }

  /**
   * Imports the new lines of these files and ends the sessions that are stale. An unreadable file does not affect the
   * others.
   */
  async importFiles(files: readonly TranscriptFile[], options: ImportFilesOptions = {}): Promise<TranscriptImport> {
    // other transcripts may have grown since
    this.#spawned.clear()
    const first = await this.#pass(this.#inOrder(files), options)
    const continued = await this.#findEnds(first.outcomes.refused)
    const second = continued.size === 0 ? undefined : await this.#pass(files.filter(({ path }) => continued.has(path)))
    const { report, outcomes, lastAt } = second === undefined ? first : merged(first, second, continued)
    const refused = new Set(outcomes.refused.map(({ sessionId }) => sessionId))
    const imported = [...lastAt].filter(([id]) => !refused.has(id))
    const agents = imported.filter(([id]) => this.#children.has(id))
    const others = imported.filter(([id]) => !this.#children.has(id))
    // sub-agents first: they would end with their parents
    const ended = (await this.#endStale(agents)) + (await this.#endStale(others))
    return { files: files.length, ...report, children: agents.length, ended, ...outcomes }
  }

  /** Parents first: they know which call started each sub-agent. */
  #inOrder(files: readonly TranscriptFile[]): TranscriptFile[] {
    const isAgent = ({ path }: TranscriptFile) => this.#format.parseName(path).agentId !== undefined
    return [...files.filter((file) => !isAgent(file)), ...files.filter(isAgent)]
  }

  async #pass(files: readonly TranscriptFile[], options: ImportFilesOptions = {}): Promise<PassResult> {
    const outcomes = { refused: [], skipped: [], torn: [], waiting: [] }
    const texts = () => new Map<string, string>()
    const result = { outcomes, fileOf: texts(), lastAt: texts() }
    const blocks = this.#blocks(files, result, options)
    const { refused, ...report } = await this.#tl.import(blocks).catch((error: unknown) => {
      // unknown which events were stored
      for (const { path } of files) this.#transcripts?.get(path)?.forget()
      throw error
    })
    const named = refused.map((one) => ({ file: result.fileOf.get(one.sessionId) ?? '', ...one }))
    // read it again from the start next time: it may have changed
    for (const { file } of named) this.#transcripts?.get(file)?.forget()
    return { ...result, report, outcomes: { ...outcomes, refused: [...outcomes.refused, ...named] } }
  }

  async *#blocks(
    files: readonly TranscriptFile[],
    { outcomes, fileOf, lastAt }: Omit<PassResult, 'report'>,
    { waitsForMessage, onBytes = () => {} }: ImportFilesOptions,
  ): AsyncGenerator<SessionBlock> {
    for (const file of files) {
      const { path, isNamed } = file
      try {
        const transcript = this.#transcript(path)
        const blocks = transcript.blocks({
          goesBy: isNamed ? 'lines' : 'name or lines',
          isPatient: waitsForMessage?.(file) ?? false,
          onBytes,
        })
        let next = await blocks.next()
        for (; !next.done; next = await blocks.next()) {
          const { sessionId, events } = next.value
          fileOf.set(sessionId, path)
          lastAt.set(sessionId, events.at(-1)?.createdAt ?? '')
          if (isNewChild(next.value)) this.#children.add(sessionId)
          yield next.value
        }
        this.#spawned.set(path, transcript.spawned)
        const { isOther, isExport, isTorn, isWaiting } = next.value
        if (isOther && isNamed) outcomes.refused.push(this.#describeOther(path, isExport))
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
    const known = this.#transcripts?.get(path)
    if (known !== undefined) return known
    const transcript = new Transcript(this.#format, path, this.#owner, this.#options)
    this.#transcripts?.set(path, transcript)
    return transcript
  }

  async #spawnedIn(path: string): Promise<SpawnedAgents> {
    const known = this.#transcripts?.get(path)?.spawned ?? this.#spawned.get(path)
    if (known !== undefined) return known
    const spawned = await readSpawned(this.#format, path, this.#owner, this.#options)
    this.#spawned.set(path, spawned)
    return spawned
  }

  /**
   * Finds the refused sessions that only had ended, so that their lines continue in another session. Returns their
   * files.
   */
  async #findEnds(refused: readonly RefusedTranscript[]): Promise<Set<string>> {
    const files = new Set<string>()
    for (const { file, sessionId, code } of refused) {
      if (code !== 'IMPORT_CONFLICT' || sessionId === undefined) continue
      const ends = await findEnds(this.#tl, sessionId)
      for (const [id, end] of ends) this.#ends.set(id, end)
      if (ends.size > 0) files.add(file)
    }
    return files
  }

  /** Ends those of the sessions that are stale. The oldest first, so that lists by activity keep their order. */
  async #endStale(sessions: readonly (readonly [id: string, lastAt: string])[]): Promise<number> {
    const list = sessions.toSorted(([, a], [, b]) => (a < b ? -1 : Number(a > b)))
    let ended = 0
    for (let i = 0; i < list.length; i += SWEPT_AT_ONCE) {
      const sessionIds = list.slice(i, i + SWEPT_AT_ONCE).map(([id]) => id)
      ended += (await this.#tl.sweep({ sessionIds })).swept
    }
    return ended
  }

  #describeOther(file: string, isExport: boolean): RefusedTranscript {
    const message = isExport
      ? 'is a Throughline export: omit --from to import it'
      : `is not a ${this.#format.title} transcript: name a transcript or a folder of them`
    return { file, code: 'NO_TRANSCRIPT', message }
  }
}

function isNewChild({ events: [first] }: SessionBlock): boolean {
  return first?.sequence === 1 && isObject(first.parts) && first.parts['parent'] !== undefined
}

/** Adds a second pass over some files, which read their other sessions again, unless their lines have to wait. */
function merged(first: PassResult, second: PassResult, again: ReadonlySet<string>): PassResult {
  const wasRefused = new Set(first.outcomes.refused.map(({ sessionId }) => sessionId))
  const repeated = [...first.fileOf.keys()].filter((id) => second.fileOf.has(id) && !wasRefused.has(id)).length
  const [a, b] = [first.report, second.report]
  return {
    report: {
      sessions: a.sessions + b.sessions - repeated,
      created: a.created + b.created,
      extended: a.extended + b.extended,
      unchanged: a.unchanged + Math.max(0, b.unchanged - repeated),
      events: a.events + b.events,
    },
    outcomes: {
      ...first.outcomes,
      waiting: [...new Set([...first.outcomes.waiting, ...second.outcomes.waiting])],
      refused: [...first.outcomes.refused.filter(({ file }) => !again.has(file)), ...second.outcomes.refused],
    },
    fileOf: new Map([...first.fileOf, ...second.fileOf]),
    lastAt: new Map([...first.lastAt, ...second.lastAt]),
  }
}
