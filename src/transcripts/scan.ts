import type { FileHandle } from 'node:fs/promises'
import { isObject, type Json } from '../domain/json.ts'
import { type Facts, type LineSorter, type LineTranslator, MAIN, type TranscriptFormat } from './format.ts'
import { decodeUtf8 } from './raw-source.ts'
import { type Line, type LinePosition, readLines } from './read-lines.ts'
import { addFacts, SessionInfo } from './session-info.ts'
import { parseJson } from './translate-line.ts'

/** Consecutive lines of one session. */
export interface Run extends LinePosition {
  end: number
}

/** The lines of one session, and its facts. */
export interface ScannedSession {
  readonly runs: Run[]
  readonly info: SessionInfo
}

/** Result of scanning a file. */
export interface FileScan {
  readonly sessions: ReadonlyMap<string, ScannedSession>
  /** Facts of the whole file. */
  readonly facts: Facts
  /** After the last complete line. */
  readonly end: LinePosition
  /** The last line is incomplete. */
  readonly isTorn: boolean
  /** Whether the lines look like a transcript. */
  readonly isTranscript: boolean
  /** Whether the first line is that of a Throughline export. */
  readonly isExport: boolean
  /** The file is blank or has only the start of an entry. */
  readonly isBlank: boolean
}

/** What to scan. */
export interface ScanOptions {
  readonly format: TranscriptFormat
  readonly sorter: LineSorter
  readonly from: LinePosition
  readonly end: number
  readonly longest: number
}

/** Blank, tab and carriage return. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d]
const BRACE = 0x7b

/** Assigns the lines of a file to sessions. Holds no lines, only one range per change between sessions. */
export async function scanFile(file: FileHandle, options: ScanOptions): Promise<FileScan> {
  const { format, sorter, from, end, longest } = options
  const found = new Scanner(format, from)
  for await (const line of readLines(file, from, end, longest)) {
    const text = line.bytes && decodeUtf8(line.bytes)
    const isNeeded = text !== undefined && (!found.isComplete || !line.isEnded || sorter.needs(text))
    const value = isNeeded ? parseJson(text) : undefined
    if (!line.isEnded && !isObject(value)) return found.survey(line)
    found.add(line, value, value === undefined ? MAIN : sorter.sessionOf(value, line.number))
  }
  return found.survey()
}

/** Collects the results of a scan. */
class Scanner {
  readonly #format: TranscriptFormat
  readonly #sessions = new Map<string, ScannedSession & { translator: LineTranslator }>()
  readonly #facts: Facts = {}
  #end: LinePosition
  #last: { readonly key: string; readonly run: Run } | undefined
  #isTranscript = false
  #isExport = false
  #isBlank = true

  constructor(format: TranscriptFormat, from: LinePosition) {
    this.#format = format
    this.#end = from
  }

  /** Whether more lines of the session itself can add nothing. */
  get isComplete(): boolean {
    return this.#facts.sessionId !== undefined && this.#sessions.get(MAIN)?.info.isComplete === true
  }

  /** @param value the parsed line, if it was parsed */
  add({ start, number, end, bytes }: Line, value: Json | undefined, key: string): void {
    this.#isBlank &&= bytes?.every((byte) => BLANKS.includes(byte)) === true
    const session = this.#session(key)
    if (this.#last?.key !== key) {
      this.#last = { key, run: { start, number, end } }
      session.runs.push(this.#last.run)
    }
    this.#last.run.end = end
    // after the line feed that ends it, or will
    this.#end = { start: end + 1, number: number + 1 }
    if (!isObject(value)) return
    const translation = session.translator.translate(value, number)
    session.info.read(value, translation)
    this.#isExport ||= number === 1 && value['kind'] === 'throughline-export'
    if (!this.#format.isEntry(value)) return
    this.#isTranscript = true
    addFacts(this.#facts, translation.facts ?? {})
  }

  #session(key: string): ScannedSession & { translator: LineTranslator } {
    const known = this.#sessions.get(key)
    if (known !== undefined) return known
    const session = { runs: [], info: new SessionInfo(this.#format), translator: this.#format.newTranslator('') }
    this.#sessions.set(key, session)
    return session
  }

  /** @param torn the incomplete last line */
  survey(torn?: Line): FileScan {
    const isTorn = torn !== undefined
    // an incomplete entry starts with a brace
    this.#isBlank &&= !isTorn || torn.bytes?.[0] === BRACE
    const looks = { isTranscript: this.#isTranscript, isExport: this.#isExport, isBlank: this.#isBlank }
    return { sessions: this.#sessions, facts: this.#facts, end: this.#end, isTorn, ...looks }
  }
}
